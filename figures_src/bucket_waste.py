"""How much of a batch is padding, against the width of its buckets.

For docs/en/batching.md. Batches of 64 from 20 000 log-normal lengths, and
from the sentences of Python's reference manual; five seeds each.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.palette import colour, line, size
from figures_src.sentence_lengths import lengths, stand_in
from seqbook.batching import bucket_batches, waste

SIZE, SEEDS = 64, 5
WIDTHS = 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150
SHUFFLED = 10**6  # one bucket holds all
AT = 400  # where the shuffled batches are drawn


@cache
def run(source, width, seed):
    """-> waste, and the spread of the batches' mean lengths.

    The spread is the standard deviation of the batch means, in units of
    what it would be if every batch were drawn at random.
    """
    n = stand_in(seed) if source == "stand-in" else lengths()
    batches = bucket_batches(np.random.default_rng(seed), n, SIZE, width)
    means = [n[batch].mean() for batch in batches if len(batch) == SIZE]
    return waste(n, batches), float(np.std(means) * SIZE**0.5 / np.std(n))


def results():
    """{source: {width: {"waste", "spread"}}}, each a list over the seeds."""
    found = {}
    for source in "stand-in", "manual":
        for width in *WIDTHS, SHUFFLED:
            runs = [run(source, width, seed) for seed in range(SEEDS)]
            wastes, spreads = map(list, zip(*runs, strict=True))
            name = "shuffled" if width == SHUFFLED else str(width)
            entry = {"waste": wastes, "spread": spreads}
            found.setdefault(source, {})[name] = entry
    return found | {"size": SIZE, "seeds": SEEDS}


LOOKS = {"stand-in": "ink", "manual": "x"}


def figure():
    fig, ax = plt.subplots(figsize=size(3.0))
    for source, quantity in LOOKS.items():
        look = line(quantity) | {"linewidth": 1.8}
        look["linestyle"] = "--" if source == "stand-in" else "-"
        table = [
            [100 * run(source, width, seed)[0] for width in WIDTHS]
            for seed in range(SEEDS)
        ]
        for row in table:
            ax.plot(WIDTHS, row, **look | {"linewidth": 0.7, "alpha": 0.45})
        ax.plot(WIDTHS, np.median(table, axis=0), **look)
        far = [100 * run(source, SHUFFLED, s)[0] for s in range(SEEDS)]
        ax.plot([AT] * SEEDS, far, "o", color=look["color"], ms=4, alpha=0.6)
    label = {"textcoords": "offset points", "fontsize": 9.5}
    ax.text(1, 45, "sentences of the manual", color=colour("x"), fontsize=9.5)
    at = 100 * run("stand-in", 7, 0)[0]
    ax.annotate("log-normal lengths", (7, at), (11, -9), **label)
    ax.annotate("shuffled", (AT, 71), (0, -16), ha="center", **label)
    ax.set(xscale="log", xlim=(0.9, 700), ylim=(0, 80))
    ticks = {1: "1", 3: "3", 10: "10", 30: "30", 100: "100", AT: "no buckets"}
    ax.set_xticks(list(ticks), ticks.values())
    ax.set_xticks([], minor=True)
    ax.set(xlabel="width of a bucket, words (log axis)")
    ax.set(ylabel="padding, % of cells")
    return fig
