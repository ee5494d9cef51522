"""Build the whole book: all that is not a page, then each language's pages,
then one folder of them all."""

import os
import shutil
import subprocess
import sys
import time

from bookproof import book, kept
from bookproof.book import here
from bookproof.lint.every import of_sources
from bookproof.run.proofs import FalsePage
from bookproof.site import assets

DEFAULT_URL = "http://127.0.0.1:8000/"


def environment():
    """Settings that MkDocs reads, beside those of every process."""
    url = os.environ.get("SITE_URL", DEFAULT_URL).rstrip("/") + "/"
    edit = "edit/main/docs/" if os.environ.get("REPO_URL") else ""
    return {
        **book.environment(),
        "EDIT_URI": edit and edit + "en/",
        "EDIT_URI_ZH": edit and edit + "zh/",
        "SITE_URL": url,
        "SITE_URL_ZH": url + "zh/",
        "NO_MKDOCS_2_WARNING": "1",
        "JUPYTER_PLATFORM_DIRS": "1",
    }


def parts():
    """The folder in which the languages are built, each apart."""
    return here().cache / "site"


def key(language):
    """Digest of everything that one language of the site is made from."""
    others = [
        here().pages(other) for other in here().languages if other != language
    ]
    folders = here().docs, here().scripts, here().root / "press"
    if here().library:
        folders += (here().root / here().library,)
    found = [
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and not path.name.startswith(".")
        and not any(path.is_relative_to(other) for other in others)
    ]
    names = [x.config for x in here().languages.values()]
    names += ["pyproject.toml", "package-lock.json", "requirements.lock"]
    found += filter(os.path.exists, (here().root / name for name in names))
    settings = environment()
    addresses = settings["SITE_URL"], settings.get("REPO_URL", "")
    return kept.digest(*sorted(found), *addresses)


def stale():
    """Languages whose pages are not built, or from other sources."""
    return [
        language
        for language in here().languages
        if not here().site.is_dir()
        or not kept.is_made(f"pages-{language}", key(language))
    ]


def build(say=print):
    """Lints, figures, experiments, proofs, then the languages side by side.

    Raises FalsePage with a line for each fault of the sources.
    """
    started = time.perf_counter()
    languages = stale()
    if languages:
        keys = {language: key(language) for language in languages}
        if wrong := of_sources():
            raise FalsePage("\n".join(wrong))
        assets.prepare(say)
        say(f"building the pages: {', '.join(languages)}")
        build_pages(languages, say)
        assemble()
        for language in languages:
            kept.made(f"pages-{language}", keys[language])
    say(f"up to date after {time.perf_counter() - started:.1f} s")
    say(f"open {(here().site / 'index.html').as_uri()}")


def build_pages(languages, say):
    """One MkDocs for each language, at the same time."""
    settings = {**environment(), "BOOKPROOF_PREPARED": "1"}
    running = {
        language: subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "build"]
            + ["-f", here().languages[language].config],
            cwd=here().root,
            env=settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        for language in languages
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
    """The leading language at the root, each other in a folder of its own;
    shared files stand once a language, so that either can be moved."""
    first, *others = here().languages
    fresh = parts() / "whole"
    if fresh.exists():
        shutil.rmtree(fresh)
    shutil.copytree(parts() / first, fresh)
    for other in others:
        shutil.copytree(parts() / other, fresh / other)
        (fresh / other / "404.html").unlink()
    if here().site.exists():
        shutil.rmtree(here().site)
    fresh.rename(here().site)
