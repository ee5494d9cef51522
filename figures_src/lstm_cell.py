"""The LSTM as a picture: a cell, three gates, and what is shown of it.

For docs/lstm.md. In the style of gru_cell.
"""

import matplotlib.pyplot as plt

from figures_src.gru_cell import box, joint, wire
from figures_src.palette import colour, size

LONG_DASH = (0, (9, 3))
GATES = {  # name: where it stands, its quantity, its line, where it leads
    "f": (1.7, "keep", "--", [(1.7, 3.6), (1.7, 3.9)]),
    "i": (3.5, "write", "-.", [(3.5, 2.85), (4.8, 2.85), (5.1, 2.85)]),
    "g": (5.3, "candidate", ":", [(5.3, 2.35), (5.3, 2.65)]),
    "o": (7.1, "show", LONG_DASH, [(7.1, 2.3), (7.8, 2.3), (8.1, 2.3)]),
}


def figure():
    fig, ax = plt.subplots(figsize=size(3.8))
    ax.set(xlim=(-0.5, 9.6), ylim=(-0.5, 4.75))
    ax.axis("off")
    cell_line(ax)
    inputs(ax)
    for name, (x, quantity, style, road) in GATES.items():
        box(ax, x, 1.2, f"${name}_t$", quantity, width=0.95)
        wire(ax, (x, 1.52), *road, quantity=quantity, style=style)
    written = {"quantity": "candidate", "style": ":"}
    wire(ax, (5.3, 3.05), (5.3, 3.6), (5.3, 3.9), **written)
    joint(ax, 5.3, 2.85, "×")
    return fig


def cell_line(ax):
    """c goes straight through; a squashed copy leaves through o."""
    wire(ax, (-0.2, 4.1), (9.3, 4.1), quantity="c")
    joint(ax, 1.7, 4.1, "×")
    joint(ax, 5.3, 4.1, "+")
    ax.text(-0.3, 4.35, "$c_{t-1}$", color=colour("c"))
    ax.text(9.0, 4.35, "$c_t$", color=colour("c"))
    wire(ax, (8.3, 4.1), (8.3, 3.55), quantity="c")
    ax.text(8.3, 3.28, "tanh", ha="center", va="center", color=colour("c"))
    wire(ax, (8.3, 3.02), (8.3, 2.5), quantity="c")
    wire(ax, (8.3, 2.08), (8.3, 0.35), (9.3, 0.35), quantity="h")
    joint(ax, 8.3, 2.3, "×")
    ax.text(9.0, 0.55, "$h_t$", color=colour("h"))


def inputs(ax):
    """All four read the input and what was shown the step before."""
    last = GATES["o"][0]
    for x, *_ in GATES.values():
        wire(ax, (x + 0.15, -0.15), (x + 0.15, 0.86), quantity="x")
        wire(ax, (x - 0.15, 0.35), (x - 0.15, 0.86), quantity="h")
    wire(ax, (-0.2, -0.15), (last + 0.15, -0.15), quantity="x", arrow=False)
    wire(ax, (-0.2, 0.35), (last - 0.15, 0.35), quantity="h", arrow=False)
    ax.text(-0.3, -0.45, "$x_t$", color=colour("x"))
    ax.text(-0.3, 0.55, "$h_{t-1}$", color=colour("h"))
