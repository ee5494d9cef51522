"""The press serves another book: built from what its page says, no more.

The files of that book are the blocks of docs/en/checked_numbers.md, which
names each before it, put into an empty folder.
"""

import contextlib
import re
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from bs4 import BeautifulSoup

from bookproof.book import environment, here
from bookproof.read import pages

GUIDE = here().pages("en") / "checked_numbers.md"
NAMED = re.compile(r"`([\w/.-]+)`[^\n]*:\n\n$")


def files():
    """{name: text} of the blocks that stand behind the name of a file."""
    text = GUIDE.read_text(encoding="utf-8")
    found = {}
    for fence in pages.fences(text):
        if name := NAMED.search(text[: fence.start]):
            found[name[1]] = fence.body
    return found


@pytest.fixture
def foreign(tmp_path):
    """An empty folder with the files of the guide in it."""
    for name, text in files().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def call(folder, *command):
    """Run a module in a folder -> exit code, all that it printed."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**environment(), "PYTHONPATH": outside(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    return done.returncode, done.stdout


def outside(folder):
    """The foreign book and the press, but nothing of this book."""
    return f"{folder}{':' if sys.platform != 'win32' else ';'}{PRESS}"


PRESS = here().root / "press"


def replace(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_guide_names_the_files_of_a_whole_book():
    assert {*files()} == {
        "mkdocs.yml",
        "conftest.py",
        "growth.py",
        "figures_src/doubling.py",
        "docs/bibliography.toml",
        "docs/index.md",
        "docs/references.md",
    }


def test_all_that_the_guide_promises_is_on_the_page(foreign):
    status, said = call(foreign, "mkdocs", "build", "--strict")
    assert status == 0, said
    page = (foreign / "site" / "index.html").read_text(encoding="utf-8")
    tree = BeautifulSoup(page, "lxml")
    number = tree.select_one("data.checked")
    assert number["title"] == "doubled(10) = 1024, checked"
    assert len(tree.select(".highlight .gp")) == 2  # prompts
    cite = tree.select_one("a.cite")
    assert cite["href"].endswith("references/#malthus1798")
    assert tree.select_one("#eq-growth-1 .katex")
    assert tree.select_one(".formula .katex")
    figure = tree.select_one("figure#fig-doubling")
    assert len(figure.select("picture")) == 2
    for image in figure.select("img"):
        assert (foreign / "site" / image["src"]).is_file()
    styles = [link["href"] for link in tree.select("link[rel=stylesheet]")]
    for style in "assets/katex/katex.min.css", "assets/bookproof.css":
        assert style in styles and (foreign / "site" / style).is_file()


FAULTS = {
    "digit": ("docs/index.md", "[1024]", "[1023]", "[1023] is not doubled"),
    "module": ("growth.py", "2**steps", "3**steps", "[1024] is not doubled"),
    "example": ("docs/index.md", "\n8\n", "\n9\n", "expected '9', got '8'"),
    "source": ("docs/index.md", "malthus1798", "malthus", "“malthus” is not"),
    "equation": ("docs/index.md", "(#eq-growth-1)", "(#eq-growth-2)", "leads"),
    "figure": ("docs/index.md", "/doubling.svg", "/tripling.svg", "tripling"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_does_not_hold_stops_the_build_with_file_and_line(foreign, fault):
    file, old, new, said = FAULTS[fault]
    status, printed = call(foreign, "mkdocs", "build", "--strict")
    assert status == 0, printed
    text = (foreign / "docs/index.md").read_text(encoding="utf-8")
    replace(foreign / file, old, new)
    status, printed = call(foreign, "mkdocs", "build", "--strict")
    assert status == 1, printed
    place = old if file == "docs/index.md" else "[1024]"
    line = pages.line_of(text, text.index(place))
    assert re.search(rf"docs/index\.md:{line}: .*{re.escape(said)}", printed)
    assert "Traceback" not in printed


def test_pytest_collects_its_pages(foreign):
    command = "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"
    status, printed = call(foreign, *command)
    assert status == 0, printed
    assert re.search(r"^[2-9] passed", printed, re.MULTILINE)
    replace(foreign / "docs/index.md", "[1024]", "[1023]")
    status, printed = call(foreign, *command)
    assert status == 1
    assert "docs/index.md:" in printed
    assert "the expression gives 1024" in printed


def test_a_served_page_says_what_is_wrong_and_follows_a_module(foreign):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}/"
    command = [sys.executable, "-m", "mkdocs", "serve", "-a", address[7:-1]]
    environ = {**environment(), "PYTHONPATH": outside(foreign)}
    with (foreign / "log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=foreign, env=environ, stdout=log, stderr=log
        )
    fault = r"docs/index\.md:\d+: \[{}\] is not doubled\(10\)"
    try:
        wait_for(address, "checked", "alert")
        replace(foreign / "docs/index.md", "[1024]", "[1023]")
        wait_for(address, fault.format(1023))
        replace(foreign / "docs/index.md", "[1023]", "[1024]")
        wait_for(address, "checked", "alert")
        replace(foreign / "growth.py", "2**steps", "3**steps")
        wait_for(address, fault.format(1024))
        replace(foreign / "growth.py", "3**steps", "2**steps")
        wait_for(address, "checked", "alert")
        script = foreign / "figures_src/doubling.py"
        replace(script, "fig, ax =", "fig, ax, x =")
        wait_for(address, r"figures_src/doubling\.py:7: ValueError")
    finally:
        server.terminate()
        server.wait()


def wait_for(address, wanted, unwanted="^$", seconds=60):
    """Ask for a page until it holds one thing and not the other."""
    text, end = "", time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            text = urllib.request.urlopen(address, timeout=5).read().decode()
            if re.search(wanted, text) and not re.search(unwanted, text):
                return
        time.sleep(0.3)
    pytest.fail(f"{wanted} never came, but {text[-3000:]}")
