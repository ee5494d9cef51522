"""Build the whole book, or serve one language of it while it is written.

python -m bookproof.site prepare    # all that is not a page
python -m bookproof.site build
python -m bookproof.site serve [en|zh]
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from bookproof import sources
from bookproof.run.notebooks import FailedCell
from bookproof.run.proofs import FalsePage
from bookproof.site import assets
from bookproof.sources import ROOT

LANGUAGES = {"en": "mkdocs.yml", "zh": "mkdocs.zh.yml"}
PARTS = ROOT / ".cache" / "site"
SITE = ROOT / "site"
DEFAULT_URL = "http://127.0.0.1:8000/"


def environment():
    """Settings that MkDocs reads; one thread for every process."""
    url = os.environ.get("SITE_URL", DEFAULT_URL).rstrip("/") + "/"
    edit = "edit/main/docs/" if os.environ.get("REPO_URL") else ""
    return {
        **os.environ,
        "EDIT_URI": edit and edit + "en/",
        "EDIT_URI_ZH": edit and edit + "zh/",
        "SITE_URL": url,
        "SITE_URL_ZH": url + "zh/",
        "OMP_NUM_THREADS": "1",
        "PYTHONUTF8": "1",
        "NO_MKDOCS_2_WARNING": "1",
        "JUPYTER_PLATFORM_DIRS": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "press")]),
    }


def key(language):
    """Digest of everything that one language of the site is made from."""
    found = []
    for folder in "docs", "seqbook", "figures_src", "press":
        found += (p for p in (ROOT / folder).rglob("*") if p.is_file())
    others = {ROOT / "docs" / other for other in LANGUAGES} - {
        ROOT / "docs" / language
    }
    found = [
        path
        for path in found
        if "__pycache__" not in path.parts and others.isdisjoint(path.parents)
    ]
    found += [ROOT / name for name in LANGUAGES.values()]
    found += [ROOT / "package-lock.json", ROOT / "requirements.lock"]
    settings = environment()
    return sources.digest(
        found, settings["SITE_URL"], settings.get("REPO_URL", "")
    )


def stamp(language):
    return PARTS / f"{language}.key"


def stale():
    """Languages whose pages are not built, or from other sources."""
    return [
        language
        for language in LANGUAGES
        if not (SITE.is_dir() and stamp(language).exists())
        or stamp(language).read_text(encoding="utf-8") != key(language)
    ]


def build(say=print):
    """Figures, experiments and proofs, then the languages side by side."""
    started = time.perf_counter()
    languages = stale()
    if languages:
        keys = {language: key(language) for language in languages}
        assets.prepare(say)
        say(f"building the pages: {', '.join(languages)}")
        build_pages(languages, say)
        assemble()
        for language in languages:
            stamp(language).write_text(keys[language], encoding="utf-8")
    say(f"up to date after {time.perf_counter() - started:.1f} s")
    say(f"open {(SITE / 'index.html').as_uri()}")


def build_pages(languages, say):
    """One MkDocs for each language, at the same time."""
    settings = {**environment(), "SEQBOOK_PREPARED": "1"}
    running = {
        language: subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "build", "-f", config],
            cwd=ROOT,
            env=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        for language, config in LANGUAGES.items()
        if language in languages
    }
    failed = False
    for language, process in running.items():
        printed = process.communicate()[0]
        if process.returncode:
            failed = True
            say(f"{language}: {said(printed)}")
    if failed:
        raise SystemExit("The site was not built; site/ is as it was.")


def said(printed):
    """What MkDocs printed, less a traceback: its first and last word.

    (Its own -q would hide warnings from `strict`, which then lets them by.)
    """
    printed = "\n".join(
        line for line in printed.splitlines() if not line.startswith("INFO")
    )
    head, _, trace = printed.strip().partition("Traceback (most recent")
    last = trace.strip().splitlines()[-1:]
    return "\n".join([head.strip(), *last])


def assemble():
    """English at the root, Chinese below zh/; shared files stand once a
    language, so that either can be moved on its own."""
    fresh = PARTS / "whole"
    if fresh.exists():
        shutil.rmtree(fresh)
    shutil.copytree(PARTS / "en", fresh)
    shutil.copytree(PARTS / "zh", fresh / "zh")
    (fresh / "zh" / "404.html").unlink()
    if SITE.exists():
        shutil.rmtree(SITE)
    fresh.rename(SITE)


def serve(language):
    """Reload on every edit; only the page that changed is built again."""
    assets.prepare()
    command = [sys.executable, "-m", "mkdocs", "serve", "--dirty"]
    command += ["--no-strict"]  # a dirty build is a warning, we know
    command += ["-f", LANGUAGES[language], "-a", "127.0.0.1:8000"]
    return subprocess.call(command, cwd=ROOT, env=environment())


def main(arguments):
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(encoding="utf-8")
    os.chdir(ROOT)
    command, *rest = arguments or ["build"]
    try:
        if command == "build":
            build()
        elif command == "prepare":
            assets.prepare()
        elif command == "serve" and (rest or ["en"])[0] in LANGUAGES:
            return serve((rest or ["en"])[0])
        else:
            return (
                f"usage: {Path(__file__).name} build | prepare | serve [en|zh]"
            )
    except (FalsePage, FailedCell, RuntimeError, ValueError) as error:
        return str(error)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
