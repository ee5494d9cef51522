"""Build the Markdown pages with Zensical, MkDocs' successor, and compare.

    python -m bookproof.site.successor

The theme's authors end its life in May 2027. This step proves that the book
does not depend on it: the pages are built from the same mkdocs.yml, less
hooks and plugins, which Zensical does not run, and must hold as many
checked numbers and formulas as our own.
"""

import re
import shutil
import subprocess
import sys

from mkdocs.utils.yaml import get_yaml_loader, yaml_load

from bookproof.book import here
from bookproof.run import proofs
from bookproof.site import assets
from bookproof.site import build as site

COUNTED = {
    "numbers": r'<data [^>]*class="?(?:checked|measured)',
    "formulas": r'class="?katex["\s>]',
}


def settings(language):
    """mkdocs.yml as Zensical is to read it: no hooks, no plugins."""
    text = (here().root / here().languages[language].config).read_text(
        encoding="utf-8"
    )
    config = yaml_load(text, loader=get_yaml_loader())
    for name in "hooks", "plugins", "strict", "edit_uri", "repo_url":
        config.pop(name, None)
    config["theme"].pop("custom_dir")
    config["docs_dir"], config["site_dir"] = "docs", "site"
    config["nav"] = only_markdown(config["nav"])
    return config


def only_markdown(nav):
    """A navigation without the experiments, whose pages need a plugin."""
    kept = []
    for entry in nav:
        if isinstance(entry, dict):
            ((title, below),) = entry.items()
            if isinstance(below, list):
                entry = {title: only_markdown(below)}
        if not str(entry).endswith(".ipynb"):
            kept.append(entry)
    return kept


def build():
    """Build the English pages with Zensical -> folder they are in."""
    import yaml

    work = here().cache / "successor"
    if work.exists():
        shutil.rmtree(work)
    shutil.copytree(
        here().pages("en"),
        work / "docs",
        ignore=shutil.ignore_patterns("experiments"),
    )
    for uri, path in assets.shared():
        target = work / "docs" / uri
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    config = yaml.safe_dump(settings("en"), allow_unicode=True)
    (work / "mkdocs.yml").write_text(config, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "-f", "mkdocs.yml"],
        cwd=work,
        env=site.environment(),
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)
    return work / "site"


def counts(folder, page):
    """How often each counted thing stands in a built page."""
    html = (folder / page).read_text(encoding="utf-8")
    return {name: len(re.findall(p, html)) for name, p in COUNTED.items()}


def main():
    theirs, ours = build(), here().site
    wrong = 0
    for path in proofs.markdown_pages(["en"]):
        page = f"{path.stem}.html"
        a, b = counts(ours, page), counts(theirs, page)
        print(f"{page:28s} ours {a}  Zensical {b}")
        wrong += a != b
    return f"{wrong} pages differ" if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
