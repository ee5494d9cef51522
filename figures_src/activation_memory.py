"""States that BPTT keeps, against the length of the sequence.

For docs/bptt.md.
"""

import math

import matplotlib.pyplot as plt
import numpy as np

from figures_src.palette import colour, size
from seqbook.counting import checkpointed_states, stored_states

K = 20


def figure():
    fig, ax = plt.subplots(figsize=size(2.8))
    T = np.unique(np.geomspace(10, 10_000, 80).astype(int))
    curves = [
        ("all of them", [stored_states(t) for t in T], "-"),
        (
            "checkpoints every $\\sqrt{T}$",
            [checkpointed_states(t, math.isqrt(t)) for t in T],
            "--",
        ),
        (f"chunks of {K}", [min(t, K) + 1 for t in T], ":"),
    ]
    for label, kept, style in curves:
        ax.plot(T, kept, color=colour("h"), linestyle=style)
        ax.annotate(
            label,
            (T[-1], kept[-1]),
            xytext=(-4, 5),
            ha="right",
            textcoords="offset points",
            fontsize=9.5,
        )
    ax.set(xscale="log", yscale="log", ylim=(8, 3e4))
    ax.set(xlabel="length $T$ (log axis)", ylabel="states kept (log axis)")
    return fig
