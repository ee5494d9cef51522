"""How long each figure takes to draw, all four copies and its results.

python tests/benchmarks/bench_figures.py
"""

import tempfile
from pathlib import Path

from bookproof.run import figures as build

AIM = 4.0  # seconds: one a copy


def main():
    total = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in build.names():
            took = build.draw(name, Path(folder))
            total += took
            print(f"{name:24} {took:6.1f} s   ratio {took / AIM:5.2f}")
    print(f"{'all':24} {total:6.1f} s")


if __name__ == "__main__":
    main()
