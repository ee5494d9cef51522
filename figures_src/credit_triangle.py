"""Which pairs (loss, step) full, chunked and windowed BPTT connect.

For docs/bptt.md.
"""

import matplotlib.pyplot as plt
import numpy as np

from figures_src.palette import colour, size
from seqbook.counting import truncation_coverage

T, K = 100, 20


def figure():
    fig, axes = plt.subplots(1, 3, figsize=size(2.7), sharey=True)
    whole = [(1, 1), (T, 1), (T, T)]
    chunks = [[(a, a), (a + K, a), (a + K, a + K)] for a in range(0, T, K)]
    window = [(0, 0), (K, 0), (T, T - K), (T, T)]
    shares = 1.0, *truncation_coverage(T, K)
    shapes = [whole], chunks, [window]
    for ax, polygons, share, name in zip(
        axes, shapes, shares, ("full", "chunks", "window"), strict=True
    ):
        ax.fill(
            *np.transpose(whole),
            facecolor="none",
            edgecolor=colour("muted"),
            linewidth=0.8,
        )
        for polygon in polygons:
            ax.fill(
                *np.transpose(polygon),
                color=colour("gradient"),
                alpha=0.75,
                linewidth=0,
            )
        ax.text(8, 84, f"{name}\n{share:.1%}", fontsize=9.5, va="center")
        ax.set(xlim=(0, T), ylim=(0, T), aspect="equal")
        ax.set_xlabel("loss at $t$")
        ax.set_xticks([0, 50, 100] if size()[0] > 5 else [0, 50])
    axes[0].set_ylabel("step $k$ it reaches")
    return fig
