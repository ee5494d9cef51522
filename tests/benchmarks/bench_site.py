"""How long a rebuild after one edit takes, and what the pages weigh.

    python tests/benchmarks/bench_site.py

The rebuild is held against a plain `mkdocs build` of the same Markdown with
the theme alone, in the same run: at most 1.5 times is the aim.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from bookproof.book import here
from bookproof.lint.built import read
from bookproof.site import browser
from bookproof.site import build as builder

ROOT = here().root

PLAIN = """\
site_name: plain
docs_dir: {docs}
site_dir: {site}
theme:
  name: material
  language: {language}
markdown_extensions: [attr_list, md_in_html, tables, admonition,
  pymdownx.details, pymdownx.superfences, pymdownx.highlight]
"""


def seconds(*command):
    """Wall-clock seconds of a command; raises when it fails."""
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=builder.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


@contextmanager
def edited(path):
    """A page with one more sentence, while it lasts."""
    text = path.read_bytes()
    try:
        path.write_bytes(text.rstrip() + b"\n\nOne more sentence.\n")
        yield
    finally:
        path.write_bytes(text)


def plain_build(folder):
    """Seconds for both languages with the theme alone, one after the other.

    Links to `#=` are harmless there; listings and labs stay as written.
    """
    total = 0
    for language in builder.LANGUAGES:
        docs = Path(folder, language)
        source = ROOT / "docs" / language
        for path in source.rglob("*.md"):
            copy = docs / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        config = Path(folder, f"{language}.yml")
        config.write_text(
            PLAIN.format(
                docs=docs, site=Path(folder, "site"), language=language
            ),
            encoding="utf-8",
        )
        total += seconds("mkdocs", "build", "-q", "-f", str(config))
    return total


def rebuild():
    """Seconds of `make site` after an edit of one chapter."""
    page = ROOT / "docs" / "en" / "gru.md"
    with edited(page):
        return seconds("bookproof.site", "build")


def weights():
    """(page, bytes of a first view compressed) for each chapter."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chrome = browser.launch(playwright)
        for page in read(builder.SITE):
            with browser.serve(builder.SITE, compress=True) as server:
                tab = chrome.new_context().new_page()
                tab.goto(server.url + page.name)
                tab.evaluate("scrollTo(0, document.body.scrollHeight)")
                tab.wait_for_load_state("networkidle")
                sent = dict(server.sent)
                tab.context.close()
            yield (
                page.name,
                sum(n for a, n in sent.items() if "search_index" not in a),
            )
        chrome.close()


def main():
    seconds("bookproof.site", "build")
    with tempfile.TemporaryDirectory() as folder:
        plain = plain_build(folder)
    ours = rebuild()
    seconds("bookproof.site", "build")  # as it was before the edit
    print(f"rebuild after one edit   {ours:6.1f} s")
    print(f"plain build, theme alone {plain:6.1f} s")
    print(f"ratio                    {ours / plain:6.2f}   aim 1.50")
    if browser.find() is None:
        print("page weights were not measured: no browser")
        return
    for name, size in weights():
        if not re.search(r"404", name):
            print(f"{name:40} {size / 1024:6.0f} KB   aim 350")


if __name__ == "__main__":
    main()
