"""Biome: lays out and checks JavaScript, as ruff does Python.

python -m bookproof.run.biome            # says what is wrong
python -m bookproof.run.biome --write    # mends what it can
"""

import subprocess
import sys

from bookproof.book import here
from bookproof.run import node

FOLDERS = "docs/assets", "press"


def check(*arguments, **options):
    """Run Biome on files or folders -> its CompletedProcess."""
    node.install(tests=True)
    modules = here().root / "node_modules"
    biome = modules / "@biomejs" / "biome" / "bin" / "biome"
    command = [node.program(), biome, "check", "--error-on-warnings"]
    return subprocess.run([*command, *arguments], cwd=here().root, **options)


if __name__ == "__main__":
    sys.exit(check(*sys.argv[1:], *FOLDERS).returncode)
