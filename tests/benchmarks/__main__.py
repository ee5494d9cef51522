"""Run every benchmark and print its ratios: `make bench`.

A benchmark prints what it measured beside its bound and never fails.
"""

import subprocess
import sys
from pathlib import Path

for script in sorted(Path(__file__).parent.glob("bench_*.py")):
    print(f"\n{script.stem}", flush=True)
    subprocess.run([sys.executable, str(script)], check=True)
