"""How long a rebuild after one edit takes, and what the pages weigh.

    python -m tests.benchmarks.bench_site

The rebuild is held against a plain `mkdocs build` of the same Markdown with
the theme alone, in the same run: at most 1.4 times is the aim.
"""

import os
import shutil
import statistics
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
from tests.benchmarks.bounds import row

PAIRS, HEAVIEST = 5, 5
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


def seconds(*command, cwd=None):
    """Wall-clock seconds of a command; raises when it fails."""
    started, cwd = time.perf_counter(), cwd or here().root
    subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env={**builder.environment(), "PYTHONPATH": path_of(cwd)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - started


def path_of(folder):
    """The modules of a copy of the book come before those of this one."""
    return os.pathsep.join(map(str, (folder, Path(folder, "press"))))


@contextmanager
def edited(path, sentence):
    """A page with one more sentence, while it lasts."""
    text = path.read_bytes()
    try:
        path.write_bytes(text.rstrip() + f"\n\n{sentence}\n".encode())
        yield
    finally:
        path.write_bytes(text)


def plain_build(folder, language):
    """Seconds of MkDocs and the theme alone over the same Markdown.

    Links to `#=` are harmless there; listings and labs stay as written.
    """
    docs = Path(folder, "docs")
    source = here().pages(language)
    for path in source.rglob("*.md"):
        copy = docs / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    config = Path(folder, "plain.yml")
    config.write_text(
        PLAIN.format(docs=docs, site=Path(folder, "site"), language=language),
        encoding="utf-8",
    )
    return seconds("mkdocs", "build", "-q", "-f", str(config))


def rebuild(count):
    """Seconds of `make site` after the count-th edit of one chapter."""
    page = here().pages("en") / "gru.md"
    with edited(page, f"Sentence number {count}."):
        return seconds("bookproof.site", "build")


def cold_build():
    """Seconds of `make site` in a copy of the book that has made nothing."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "book")
        made = shutil.ignore_patterns(".git", ".venv", ".cache", "site?")
        shutil.copytree(here().root, copy, ignore=made, symlinks=True)
        shutil.rmtree(copy / "site", ignore_errors=True)
        return seconds("bookproof.site", "build", cwd=copy)


def weights():
    """(page, bytes of a first view compressed) for each chapter."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chrome = browser.launch(playwright)
        for page in read(here().site):
            with browser.serve(here().site, compress=True) as server:
                tab = chrome.new_context().new_page()
                tab.goto(server.url + page.name)
                tab.evaluate("scrollTo(0, document.body.scrollHeight)")
                tab.wait_for_load_state("networkidle")
                sent = dict(server.sent)
                tab.context.close()
            yield (
                sum(n for a, n in sent.items() if "search_index" not in a),
                page.name,
            )
        chrome.close()


def main():
    seconds("bookproof.site", "build")
    pairs = []
    for count in range(PAIRS):  # interleaved: a busy moment hits both
        with tempfile.TemporaryDirectory() as folder:
            pairs.append((plain_build(folder, "en"), rebuild(count)))
    plain, ours = map(statistics.median, zip(*pairs, strict=True))
    print(f"plain build of one language {plain:.1f} s, an edit {ours:.1f} s")
    row("an edit, against the plain build", ours / plain, 1.4)
    row("cold build", cold_build(), 90, "s")
    seconds("bookproof.site", "build")  # as it was before the edits
    if browser.find() is None:
        print("page weights were not measured: no browser")
        return
    for size, name in sorted(weights(), reverse=True)[:HEAVIEST]:
        row(f"{name}, first view", size / 1024, 350, "KB")


if __name__ == "__main__":
    main()
