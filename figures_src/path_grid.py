"""A stack as a grid: how many paths lead to each state, and one of them.

For docs/deep_bidirectional.md. Every path from the first step of the lowest
layer takes T - 1 edges to the right and L - 1 up, in some order.
"""

import matplotlib.pyplot as plt

from figures_src import palette
from figures_src.palette import colour, size
from seqbook.counting import grid_paths

T, L = 7, 4
PATH = [(1, 1), (2, 1), (3, 1), (3, 2), (4, 2), (4, 3), (5, 3), (6, 3),
        (7, 3), (7, 4)]  # fmt: skip


def figure():
    fig, ax = plt.subplots(figsize=size(2.9))
    ax.set(xlim=(0.35, T + 0.45), ylim=(0.3, L + 0.5))
    for t in range(1, T + 1):
        for n in range(1, L + 1):
            for end in (t + 1, n), (t, n + 1):
                if end[0] <= T and end[1] <= L:
                    edge(ax, (t, n), end)
            on = (t, n) in PATH
            ax.text(
                t, n, str(grid_paths(t, n)[1]), ha="center", va="center",
                color=colour("gradient" if on else "h"),
                fontweight="bold" if on else "normal",
            )  # fmt: skip
    ax.set(xlabel="time step $t$", ylabel="layer")
    ax.set(xticks=range(1, T + 1), yticks=range(1, L + 1))
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    return fig


def edge(ax, start, end):
    """Line between two numbers; thick on the marked path."""
    on = (start, end) in set(zip(PATH, PATH[1:], strict=False))
    dx, dy = end[0] - start[0], end[1] - start[1]
    room = (0.33 if palette.narrow else 0.24) * dx, 0.24 * dy
    ax.annotate(
        "", (end[0] - room[0], end[1] - room[1]),
        (start[0] + room[0], start[1] + room[1]),
        arrowprops={
            "arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0,
            "color": colour("gradient" if on else "muted"),
            "linewidth": 2 if on else 0.8, "mutation_scale": 8,
            "alpha": 1 if on else 0.6,
        },
    )  # fmt: skip
