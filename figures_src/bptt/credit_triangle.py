"""Which pairs (loss, step) full, chunked and windowed BPTT connect.

For docs/en/bptt.md.
"""

import matplotlib.pyplot as plt
import numpy as np

from seqbook.counting import truncation_coverage

T, K = 100, 20


def figure(look):
    fig, axes = plt.subplots(1, 3, figsize=look.size(2.7), sharey=True)
    whole = [(1, 1), (T, 1), (T, T)]
    chunks = [[(a, a), (a + K, a), (a + K, a + K)] for a in range(0, T, K)]
    window = [(0, 0), (K, 0), (T, T - K), (T, T)]
    panels = {"full": [whole], "chunks": chunks, "window": [window]}
    shares = 1.0, *truncation_coverage(T, K)
    outline = {"facecolor": "none", "edgecolor": look.colour("muted")}
    reached = {"color": look.colour("gradient"), "alpha": 0.75}
    for ax, share, (name, polygons) in zip(
        axes, shares, panels.items(), strict=True
    ):
        ax.fill(*np.transpose(whole), linewidth=0.8, **outline)
        for polygon in polygons:
            ax.fill(*np.transpose(polygon), linewidth=0, **reached)
        ax.text(8, 84, f"{name}\n{share:.1%}", fontsize=9.5, va="center")
        ax.set(xlim=(0, T), ylim=(0, T), aspect="equal")
        ax.set_xlabel("loss at $t$")
        ax.set_xticks([0, 50] if look.narrow else [0, 50, 100])
    axes[0].set_ylabel("step $k$ it reaches")
    return fig
