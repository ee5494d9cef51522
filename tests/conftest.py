"""The built site, for the tests that look at it; built first if stale."""

import subprocess
import sys

import pytest
from filelock import FileLock

from seqbook.press import site as builder
from seqbook.press.sources import ROOT


@pytest.fixture(scope="session")
def site():
    """Folder of the built site. Two workers never build at once."""
    (ROOT / ".cache").mkdir(exist_ok=True)
    with FileLock(ROOT / ".cache" / "site.lock"):
        done = subprocess.run(
            [sys.executable, "-m", "seqbook.press.site", "build"],
            cwd=ROOT,
            capture_output=True,
            encoding="utf-8",
            env=builder.environment(),
        )
    if done.returncode:
        said = (done.stdout + done.stderr).strip()
        pytest.fail(f"the site was not built:\n{said}")
    return builder.SITE
