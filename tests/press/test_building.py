"""The driver that builds and serves the book."""

import socket
import subprocess
import sys

from bookproof.book import environment, here
from bookproof.site import __main__ as driver
from bookproof.site import build, serve


def test_what_is_not_a_page_is_prepared_in_a_process_of_its_own():
    # The server relies on it: see press/bookproof/site/plugin.py.
    command = [sys.executable, "-m", "bookproof.site", "prepare"]
    done = subprocess.run(
        command,
        cwd=here().root,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_an_unknown_command_is_answered_with_the_known_ones():
    assert "build | prepare | serve [en|zh]" in driver.main(["biuld"])
    assert "build | prepare | serve" in driver.main(["serve", "fr"])


def test_a_traceback_is_cut_to_its_last_line():
    printed = (
        "INFO  - x\nERROR - page\nTraceback (most recent call last):\nV: y"
    )
    assert build.said(printed) == "ERROR - page\nV: y"


def test_a_port_that_is_taken_is_answered_with_a_sentence(monkeypatch):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        monkeypatch.setenv("PORT", str(port))
        said = serve.serve("en")
    assert said.startswith(f"port {port} is taken")
    assert f"PORT={port + 1}" in said


def test_a_file_that_is_no_text_is_part_of_the_key(another):
    root = another({"docs/en/a.md": "# A {#a}\n"})
    first = build.key("en")
    (root / "docs" / ".DS_Store").write_bytes(b"\x00\xff")
    assert build.key("en") == first
    (root / "docs" / "a.png").write_bytes(b"\x89PNG\xff")
    assert build.key("en") != first


def test_a_fault_of_the_sources_stops_the_build_before_anything_is_made(
    another, capsys
):
    root = another(
        {
            "mkdocs.yml": "site_name: a\n",
            "mkdocs.zh.yml": "site_name: a\n",
            "docs/en/a.md": "# A {#a}\n\n[b](b.md)\n",
            "docs/zh/a.md": "# A {#a}\n",
        }
    )
    first = driver.main(["build"]).splitlines()[0]
    assert first == "docs/en/a.md:3: b.md leads to no page"
    assert not (root / "site").exists()
