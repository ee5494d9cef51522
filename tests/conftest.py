"""The built site, a browser to open it in, and a small book to try.

One browser serves all tests of a worker: it starts within a second, but not
once for each of twenty modules. Each page has a profile of its own.
"""

import subprocess
import sys
import textwrap

import pytest
from filelock import FileLock
from playwright.sync_api import sync_playwright

from bookproof import book
from bookproof.book import here
from bookproof.run import node
from bookproof.site import browser
from bookproof.site import build as builder
from tests.browsing import PREPARED, SIZES, listen

ROOT = here().root
TWO = """
    [tool.bookproof]
    library = "seqbook"

    [tool.bookproof.languages]
    en = { config = "mkdocs.yml", pages = "docs/en" }
    zh = { config = "mkdocs.zh.yml", pages = "docs/zh" }
"""


@pytest.fixture
def another(tmp_path):
    """another({name: text}) -> its root; files may be added by calling again.

    It has the two languages of this book, and whatever the test writes.
    """
    home = book.here().root

    def write(files=None):
        for name, text in {"pyproject.toml": TWO, **(files or {})}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        book.use(tmp_path)
        return tmp_path

    yield write
    book.use(home)


@pytest.fixture(scope="session")
def site():
    """Folder of the built site. Two workers never build at once."""
    (ROOT / ".cache").mkdir(exist_ok=True)
    with FileLock(ROOT / ".cache" / "site.lock"):
        done = subprocess.run(
            [sys.executable, "-m", "bookproof.site", "build"],
            cwd=ROOT,
            capture_output=True,
            encoding="utf-8",
            env=builder.environment(),
        )
    if done.returncode:
        said = (done.stdout + done.stderr).strip()
        pytest.fail(f"the site was not built:\n{said}")
    return here().site


@pytest.fixture(scope="session")
def chrome():
    """A running browser. Without one these tests did not run, and say so."""
    if browser.find() is None:
        if browser.on_ci():
            pytest.fail("no browser: python -m bookproof.site.browser")
        pytest.skip("no browser on this machine: the site was not opened")
    node.install(tests=True)  # axe
    with sync_playwright() as playwright:
        running = browser.launch(playwright)
        yield running
        running.close()


@pytest.fixture
def browse(chrome):
    """browse(base, name) -> a page in a fresh profile; at the end, no
    complaints. It may be a "phone", and be what Playwright can have it be."""
    contexts, complaints = [], []

    def opening(base, name, size="desktop", **options):
        context = chrome.new_context(**{"viewport": SIZES[size], **options})
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        listen(page, base, complaints)
        page.add_init_script(PREPARED)
        page.goto(base + name)
        return page

    yield opening
    for context in contexts:
        context.close()  # once more does no harm
    assert not complaints
