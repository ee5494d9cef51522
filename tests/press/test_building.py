"""The driver that builds and serves the book."""

import subprocess
import sys

from bookproof.site import build as site
from bookproof.sources import ROOT


def test_what_is_not_a_page_is_prepared_in_a_process_of_its_own():
    # The server relies on it: see press/bookproof/site/hooks.py.
    command = [sys.executable, "-m", "bookproof.site", "prepare"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_an_unknown_command_is_answered_with_the_known_ones():
    assert "build | prepare | serve" in site.main(["biuld"])


def test_a_traceback_is_cut_to_its_last_line():
    printed = (
        "INFO  - x\nERROR - page\nTraceback (most recent call last):\nV: y"
    )
    assert site.said(printed) == "ERROR - page\nV: y"
