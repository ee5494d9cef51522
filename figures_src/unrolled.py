"""One cell with a loop, and the same cell copied once a word.

For docs/en/rnn.md.
"""

import matplotlib.pyplot as plt

from figures_src import palette
from figures_src.gru_cell import box, wire
from figures_src.palette import colour

WORDS = "the", "cat", "sat", "on", "the"


def cell(ax, x, y):
    box(ax, x, y, r"$\tanh$", "h", width=1.05)


def weight(ax, x, y, name, **place):
    ax.text(x, y, name, fontsize=9.5, color=colour("ink"), **place)


def looped(ax):
    """The network as it is stored: three matrices, one arrow to itself."""
    cell(ax, 0, 0)
    wire(ax, (0, -1.5), (0, -0.32), quantity="x")
    wire(ax, (0, 0.32), (0, 1.5), quantity="ink")
    loop = (0.57, 0), (1.0, 0), (1.0, 0.85), (-1.0, 0.85), (-1.0, 0)
    wire(ax, *loop, (-0.58, 0), quantity="h")
    ax.text(0, -1.9, "$x_t$", ha="center", color=colour("x"))
    ax.text(0, 1.65, "$y_t$", ha="center", color=colour("ink"))
    ax.text(1.1, 0.15, "$h_t$", color=colour("h"))
    weight(ax, 0.12, -1.0, "$W_{xh}$")
    weight(ax, -0.55, 1.0, "$W_{hh}$", ha="center")
    weight(ax, 0.12, 1.1, "$W_{hy}$")


def copies(ax, left, gap):
    """T copies: the state goes from one to the next."""
    ax.text(
        left - gap, 0, "$h_0$", ha="center", va="center", color=colour("h")
    )
    for t, word in enumerate(WORDS, 1):
        x = left + (t - 1) * gap
        start = x - gap + (0.25 if t == 1 else 0.57)
        wire(ax, (start, 0), (x - 0.58, 0), quantity="h")
        wire(ax, (x, -1.5), (x, -0.32), quantity="x")
        cell(ax, x, 0)
        if not palette.narrow:
            weight(ax, x + 0.1, -1.0, "$W_{xh}$")
            weight(ax, x - 0.5 * gap, -0.42, "$W_{hh}$", ha="center")
        ax.text(x, -1.9, word, ha="center", color=colour("x"))
        between = (x + 0.5 * gap, 0.14)
        ax.text(*between, f"$h_{t}$", ha="center", color=colour("h"))
    wire(ax, (x + 0.57, 0), (x + 0.8 * gap, 0), quantity="h")
    wire(ax, (x, 0.32), (x, 1.5), quantity="ink")
    ax.text(x, 1.65, f"$y_{len(WORDS)}$", ha="center", color=colour("ink"))


def figure():
    if palette.narrow:
        fig, (one, many) = plt.subplots(2, 1, figsize=palette.size(5.4))
        many.set(xlim=(-2.3, 9.0))
        one.set(xlim=(-5.6, 5.7))
    else:
        fig, (one, many) = plt.subplots(
            1, 2, figsize=palette.size(2.8), width_ratios=[1, 3.6]
        )
        one.set(xlim=(-1.5, 1.7))
        many.set(xlim=(-2.2, 9.3))
    looped(one)
    copies(many, 0, 1.75)
    for ax in one, many:
        ax.set(ylim=(-2.2, 2.1))
        ax.axis("off")
    return fig
