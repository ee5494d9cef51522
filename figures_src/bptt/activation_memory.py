"""States that BPTT keeps, against the length of the sequence.

For docs/en/bptt.md.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import note
from seqbook.counting import checkpointed_states, stored_states

K = 20


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(2.8))
    T = np.unique(np.geomspace(10, 10_000, 80).astype(int))
    rooted = [checkpointed_states(t, math.isqrt(t)) for t in T]
    curves = (
        ("all of them", [stored_states(t) for t in T], "-"),
        ("checkpoints every $\\sqrt{T}$", rooted, "--"),
        (f"chunks of {K}", [min(t, K) + 1 for t in T], ":"),
    )
    for label, kept, dash in curves:
        ax.plot(T, kept, color=look.colour("h"), linestyle=dash)
        note(ax, label, (T[-1], kept[-1]), (-4, 5), ha="right")
    ax.set(xscale="log", yscale="log", ylim=(8, 3e4))
    ax.set(xlabel="length $T$ (log axis)", ylabel="states kept (log axis)")
    return fig
