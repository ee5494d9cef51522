"""The built site, for the tests that look at it; built first if stale."""

import subprocess
import sys
import time

import pytest

from seqbook.press import site as builder
from seqbook.press.sources import ROOT

LOCK = ROOT / ".cache" / "site.lock"
PATIENCE = 20 * 60  # seconds after which a lock is one that was left behind


def take_lock():
    """Two workers never build at once: the second one waits."""
    LOCK.parent.mkdir(exist_ok=True)
    while True:
        try:
            LOCK.mkdir()
            return
        except FileExistsError:
            if time.time() - LOCK.stat().st_mtime > PATIENCE:
                LOCK.rmdir()
            time.sleep(0.2)


@pytest.fixture(scope="session")
def site():
    """Folder of the built site."""
    take_lock()
    try:
        if builder.is_stale() or not builder.SITE.is_dir():
            done = subprocess.run(
                [sys.executable, "-m", "seqbook.press.site", "build"],
                cwd=ROOT,
                capture_output=True,
                encoding="utf-8",
                env=builder.environment(),
            )
            if done.returncode:
                pytest.fail(f"the site was not built:\n{done.stderr.strip()}")
    finally:
        LOCK.rmdir()
    return builder.SITE
