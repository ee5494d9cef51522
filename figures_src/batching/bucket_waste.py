"""How much of a batch is padding, against the width of its buckets.

For docs/en/batching.md. Batches of 64 from 20 000 log-normal lengths, and
from the sentences of Python's reference manual; five seeds each.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.batching.sentence_lengths import lengths, stand_in
from figures_src.lib.notes import note
from figures_src.lib.seeds import plot_seeds
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


LINES = {"stand-in": ("ink", "--"), "manual": ("x", "-")}


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(3.0))
    for source, (quantity, dash) in LINES.items():
        colour = look.colour(quantity)
        style = {"color": colour, "linestyle": dash, "linewidth": 1.8}
        table = [
            [100 * run(source, width, seed)[0] for width in WIDTHS]
            for seed in range(SEEDS)
        ]
        plot_seeds(ax, WIDTHS, table, style)
        far = [100 * run(source, SHUFFLED, s)[0] for s in range(SEEDS)]
        ax.plot([AT] * SEEDS, far, "o", color=colour, ms=4, alpha=0.6)
    manual = {"color": look.colour("x"), "fontsize": 9.5}
    ax.text(1, 45, "sentences of the manual", **manual)
    at = 100 * run("stand-in", 7, 0)[0]
    note(ax, "log-normal lengths", (7, at), (11, -9))
    note(ax, "shuffled", (AT, 71), (0, -16), ha="center")
    ax.set(xscale="log", xlim=(0.9, 700), ylim=(0, 80))
    ticks = {1: "1", 3: "3", 10: "10", 30: "30", 100: "100", AT: "no buckets"}
    ax.set_xticks(list(ticks), ticks.values())
    ax.set_xticks([], minor=True)
    ax.set(xlabel="width of a bucket, words (log axis)")
    ax.set(ylabel="padding, % of cells")
    return fig
