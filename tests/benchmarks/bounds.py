"""How benchmarks measure, and how they print it: beside its bound."""

import statistics
import time


def medians(runs, rounds):
    """{key: function of no argument} -> {key: median seconds of a call}.

    In turn, so that a busy moment of the machine hits all of them.
    """
    seconds = {key: [] for key in runs}
    for _ in range(rounds):
        for key, run in runs.items():
            started = time.perf_counter()
            run()
            seconds[key].append(time.perf_counter() - started)
    return {key: statistics.median(times) for key, times in seconds.items()}


def row(what, measured, bound, unit=""):
    """One line; a value over its bound is marked."""
    mark = "" if measured <= bound else "   OVER"
    print(f"{what:44} {measured:8.2f} {unit:3} bound {bound:g}{mark}")
