"""Run every benchmark and print its ratios: `make bench`.

A benchmark prints what it measured beside its bound, marks what is over it,
and never fails: a time says as much about the machine as about the code.
"""

import subprocess
import sys
from pathlib import Path

from bookproof.book import environment, here

for script in sorted(Path(__file__).parent.glob("bench_*.py")):
    print(f"\n{script.stem.removeprefix('bench_')}", flush=True)
    subprocess.run(
        [sys.executable, "-m", f"tests.benchmarks.{script.stem}"],
        cwd=here().root,
        env=environment(),
    )
