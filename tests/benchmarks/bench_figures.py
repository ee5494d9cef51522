"""How long each figure takes: its results once, then each further copy.

python tests/benchmarks/bench_figures.py
"""

import importlib
import time

import matplotlib

from bookproof.run import figures as build

AIM = 1.0  # seconds for a copy, once the results are there


def main():
    matplotlib.use("svg")
    total = 0
    for name, path in build.scripts().items():
        module = importlib.import_module(build.module_name(path))
        results = getattr(module, "results", lambda: None)
        computed = seconds(results)
        first, *others = (
            seconds(build.copy, module.figure, look) for look in build.LOOKS
        )
        total += computed + first + sum(others)
        print(
            f"{name:24} results {computed:6.2f} s   first copy {first:5.2f} s"
            f"   further copy {max(others):5.2f} s"
            f"   ratio {max(others) / AIM:5.2f}"
        )
    print(f"{'all':24} {total:6.1f} s")


def seconds(call, *arguments):
    """How long a call takes."""
    started = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
