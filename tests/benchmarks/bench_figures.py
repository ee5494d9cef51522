"""How long each figure takes: its results once, then each further copy.

python -m tests.benchmarks.bench_figures
"""

import importlib
import time

import matplotlib

from bookproof.run import figures as build
from tests.benchmarks.bounds import row

AIM = 1.0  # seconds for a copy, once the results are there


def main():
    matplotlib.use("svg")
    total, found = 0, []
    for name, path in build.scripts().items():
        module = importlib.import_module(build.module_name(path))
        results = getattr(module, "results", lambda: None)
        computed = seconds(results)
        first, *others = (
            seconds(build.copy, module.figure, look) for look in build.LOOKS
        )
        total += computed + first + sum(others)
        found.append((max(others), computed, name))
    print(f"all results and copies {total:.1f} s")
    for computed, name in sorted((c, n) for _, c, n in found)[:-6:-1]:
        print(f"  results of {name} {computed:.1f} s")
    for other, _, name in sorted(found)[:-6:-1]:
        row(f"a further copy of {name}", other, AIM, "s")


def seconds(call, *arguments):
    """How long a call takes."""
    started = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
