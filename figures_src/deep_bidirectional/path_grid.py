"""A stack as a grid: how many paths lead to each state, and one of them.

For docs/en/deep_bidirectional.md. Every path from the first step of the lowest
layer takes T - 1 edges to the right and L - 1 up, in some order.
"""

import matplotlib.pyplot as plt

from figures_src.lib.arrows import arrow
from seqbook.counting import grid_paths

T, L = 7, 4
PATH = [
    (1, 1),
    (2, 1),
    (3, 1),
    (3, 2),
    (4, 2),
    (4, 3),
    (5, 3),
    (6, 3),
    (7, 3),
    (7, 4),
]


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(2.9))
    ax.set(xlim=(0.35, T + 0.45), ylim=(0.3, L + 0.5))
    for t in range(1, T + 1):
        for n in range(1, L + 1):
            for end in (t + 1, n), (t, n + 1):
                if end[0] <= T and end[1] <= L:
                    edge(look, ax, (t, n), end)
            state(look, ax, t, n)
    ax.set(xlabel="time step $t$", ylabel="layer")
    ax.set(xticks=range(1, T + 1), yticks=range(1, L + 1))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return fig


def state(look, ax, t, n):
    """How many paths lead to step t of layer n; bold on the marked one."""
    style = {"color": look.colour("h")}
    if (t, n) in PATH:
        style = {"color": look.colour("gradient"), "fontweight": "bold"}
    paths = grid_paths(t, n)[1]
    ax.text(t, n, str(paths), ha="center", va="center", **style)


def edge(look, ax, start, end):
    """Arrow between two numbers; thick on the marked path."""
    on = (start, end) in zip(PATH, PATH[1:], strict=False)
    dx, dy = end[0] - start[0], end[1] - start[1]
    room = (0.33 if look.narrow else 0.24) * dx, 0.24 * dy
    style = {"linewidth": 0.8, "alpha": 0.6}
    if on:
        style = {"linewidth": 2, "alpha": 1}
    arrow(
        ax,
        (start[0] + room[0], start[1] + room[1]),
        (end[0] - room[0], end[1] - room[1]),
        look.colour("gradient" if on else "muted"),
        mutation_scale=8,
        **style,
    )
