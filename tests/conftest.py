"""The built site, a browser to open it in, and a small book to try."""

import subprocess
import sys
import textwrap

import pytest
from filelock import FileLock
from playwright.sync_api import sync_playwright
from xdist.scheduler import LoadFileScheduling

from bookproof import book
from bookproof.book import here
from bookproof.site import browser
from bookproof.site import build as builder

ROOT = here().root

WIDTHS = {"desktop": (1280, 800), "phone": (360, 740)}
HOME = builder.environment()["SITE_URL"]


class ByFile(LoadFileScheduling):
    """A file of tests goes to one worker, but each redrawn figure alone.

    Together they would keep one worker longer than all the rest takes.
    """

    def _split_scope(self, nodeid):
        alone = "::test_a_figure_is_drawn_the_same_twice[" in nodeid
        return nodeid if alone else super()._split_scope(nodeid)


def pytest_xdist_make_scheduler(config, log):
    if config.getvalue("dist") == "loadfile":
        return ByFile(config, log)


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


@pytest.fixture(scope="module")
def chrome():
    """A running browser. Without one these tests did not run, and say so."""
    if browser.find() is None:
        if browser.on_ci():
            pytest.fail("no browser: python -m bookproof.site.browser")
        pytest.skip("no browser on this machine: the site was not opened")
    with sync_playwright() as playwright:
        running = browser.launch(playwright)
        yield running
        running.close()


@pytest.fixture(scope="module")
def served(site):
    with browser.serve(site, compress=True, home=HOME) as server:
        yield server


@pytest.fixture
def opened(chrome, served):
    """open(name) -> a page in a fresh profile; at the end, no complaints."""
    contexts, complaints = [], []

    def opening(name, size="desktop", scheme="light", base=None, **options):
        width, height = WIDTHS[size]
        context = chrome.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            **options,
        )
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        base = base or served.url
        listen(page, base, complaints)
        page.add_init_script(WATCH_SHIFTS)
        page.goto(base + name)
        return page

    yield opening
    for context in contexts:
        context.close()  # once more does no harm
    assert not complaints


def listen(page, base, complaints):
    """Note what goes wrong while a page is used."""

    def console(message):
        # The address that the 404 page stands at is its one failure.
        wanted = (
            "404 (" in message.text and "nowhere" in message.location["url"]
        )
        if message.type in ("error", "warning") and not wanted:
            complaints.append(f"console: {message.text}")

    def request(asked):
        if not asked.url.startswith((base, "data:", "blob:")):
            complaints.append(f"asked for {asked.url}")

    def failed(asked):
        if asked.failure != "net::ERR_ABORTED":  # the reader went on
            complaints.append(f"failed: {asked.url} {asked.failure}")

    def response(answer):
        if answer.status >= 400 and "nowhere" not in answer.url:
            complaints.append(f"{answer.status} {answer.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: complaints.append(f"script: {error}"))
    page.on("request", request)
    page.on("response", response)
    page.on("requestfailed", failed)


WATCH_SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput)
      shifts.push([entry.value, ...entry.sources.map((s) =>
        s.node?.parentElement?.outerHTML?.slice(0, 120))]);
}).observe({ type: "layout-shift", buffered: true });
"""
