"""How far two cells count: what they hold, and the first word that fails.

For docs/en/lstm.md. Every seed of studies/anbn.py.
"""

import matplotlib.pyplot as plt
import numpy as np

from bookproof.run.records import runs
from figures_src.lib.outcomes import mark_seeds
from figures_src.studies.anbn import ASKED, CELLS, LONGEST

LOOKS = {"LSTM": ("c", "s"), "GRU": ("write", "^")}  # quantity, marker
WORDS = {  # what stands beside its curves, where
    "LSTM": ("a cell $c$ of each LSTM", (2, 26)),
    "GRU": ("a state $h$ of each GRU", (8, 2.2)),
}


def results():
    """{cell: per seed, learned up to 30 and first wrong n; range held}."""
    return {cell: summary(runs("anbn", cell=cell)) for cell in CELLS}


def summary(found):
    return {
        "learned": [run["learned"] for run in found],
        "first_wrong": first_wrong(found),
        "range": [float(np.ptp(run["held"])) for run in found],
    }


def first_wrong(found):
    """First n that goes wrong, a seed each; one more than was asked: none."""
    return [run["first_wrong"] or ASKED + 1 for run in found]


def figure(look):
    """Above what the widest unit holds, below the first word that fails."""
    fig, (held, wrong) = plt.subplots(
        *look.row(2),
        figsize=look.size(3.2, phone=5.4),
        gridspec_kw={} if look.narrow else {"width_ratios": [1.5, 1]},
    )
    t = np.arange(1, 2 * LONGEST + 1)
    for y, (cell, (quantity, marker)) in enumerate(LOOKS.items()):
        found = runs("anbn", cell=cell)
        faint = look.line(quantity) | {"linewidth": 1.0, "alpha": 0.6}
        for run in found:
            upward = np.array(run["held"]) * np.sign(run["held"][LONGEST - 1])
            held.plot(t, upward, **faint)
        dots = {"color": look.colour(quantity), "ms": 5, "alpha": 0.7}
        x = first_wrong(found)
        mark_seeds(wrong, y, x, marker, 0.2, 0.33, mew=0, **dots)
    for cell, (text, place) in WORDS.items():
        shade = look.colour(LOOKS[cell][0])
        held.annotate(text, place, color=shade, fontsize=9.5)
    held.axvline(LONGEST + 0.5, color=look.colour("muted"), linewidth=0.8)
    held.set(xlabel="time step $t$, first a, then b", ylabel="held")
    wrong.axvline(LONGEST, color=look.colour("muted"), linewidth=0.8)
    wrong.set_yticks(range(len(LOOKS)), LOOKS)
    wrong.set(xlabel="first $n$ that goes wrong", ylim=(1.6, -0.6))
    return fig
