"""One cell with a loop, and the same cell copied once a word.

For docs/en/rnn.md.
"""

import matplotlib.pyplot as plt

from figures_src.lib.wires import box, wire

WORDS = "the", "cat", "sat", "on", "the"


def figure(look):
    if look.narrow:
        fig, (one, many) = plt.subplots(2, 1, figsize=look.size(5.4))
        many.set(xlim=(-2.3, 9.0))
        one.set(xlim=(-5.6, 5.7))
    else:
        fig, (one, many) = plt.subplots(
            1, 2, figsize=look.size(2.8), width_ratios=[1, 3.6]
        )
        one.set(xlim=(-1.5, 1.7))
        many.set(xlim=(-2.2, 9.3))
    looped(look, one)
    copies(look, many, 0, 1.75)
    for ax in one, many:
        ax.set(ylim=(-2.2, 2.1))
        ax.axis("off")
    return fig


def looped(look, ax):
    """The network as it is stored: three matrices, one arrow to itself."""
    cell(look, ax, 0)
    wire(look, ax, (0, -1.5), (0, -0.32), quantity="x")
    wire(look, ax, (0, 0.32), (0, 1.5), quantity="ink")
    loop = (0.57, 0), (1.0, 0), (1.0, 0.85), (-1.0, 0.85), (-1.0, 0)
    wire(look, ax, *loop, (-0.58, 0), quantity="h")
    ax.text(0, -1.9, "$x_t$", ha="center", color=look.colour("x"))
    ax.text(0, 1.65, "$y_t$", ha="center", color=look.colour("ink"))
    ax.text(1.1, 0.15, "$h_t$", color=look.colour("h"))
    ax.text(0.12, -1.0, "$W_{xh}$", fontsize=9.5)
    ax.text(-0.55, 1.0, "$W_{hh}$", fontsize=9.5, ha="center")
    ax.text(0.12, 1.1, "$W_{hy}$", fontsize=9.5)


def copies(look, ax, left, gap):
    """T copies: the state goes from one to the next."""
    state = {"ha": "center", "color": look.colour("h")}
    ax.text(left - gap, 0, "$h_0$", va="center", **state)
    for t, word in enumerate(WORDS, 1):
        x = left + (t - 1) * gap
        start = x - gap + (0.25 if t == 1 else 0.57)
        wire(look, ax, (start, 0), (x - 0.58, 0), quantity="h")
        wire(look, ax, (x, -1.5), (x, -0.32), quantity="x")
        cell(look, ax, x)
        if not look.narrow:
            ax.text(x + 0.1, -1.0, "$W_{xh}$", fontsize=9.5)
            before = x - 0.5 * gap
            ax.text(before, -0.42, "$W_{hh}$", fontsize=9.5, ha="center")
        ax.text(x, -1.9, word, ha="center", color=look.colour("x"))
        ax.text(x + 0.5 * gap, 0.14, f"$h_{t}$", **state)
    wire(look, ax, (x + 0.57, 0), (x + 0.8 * gap, 0), quantity="h")
    wire(look, ax, (x, 0.32), (x, 1.5), quantity="ink")
    ink = look.colour("ink")
    ax.text(x, 1.65, f"$y_{len(WORDS)}$", ha="center", color=ink)


def cell(look, ax, x):
    box(look, ax, x, 0, r"$\tanh$", "h", width=1.05)
