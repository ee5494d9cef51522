"""The LSTM as a picture: a cell, three gates, and what is shown of it.

For docs/en/lstm.md. In the style of gru_cell.
"""

import matplotlib.pyplot as plt

from figures_src.lib.wires import box, joint, wire

GATES = {  # name: where it stands, its quantity, its line, where it leads
    "f": (1.7, "keep", "--", [(1.7, 3.6), (1.7, 3.9)]),
    "i": (3.5, "write", "-.", [(3.5, 2.85), (4.8, 2.85), (5.1, 2.85)]),
    "g": (5.3, "candidate", ":", [(5.3, 2.35), (5.3, 2.65)]),
    "o": (7.1, "show", (0, (9, 3)), [(7.1, 2.3), (7.8, 2.3), (8.1, 2.3)]),
}


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(3.8))
    ax.set(xlim=(-0.5, 9.6), ylim=(-0.5, 4.75))
    ax.axis("off")
    cell_line(look, ax)
    inputs(look, ax)
    for name, (x, quantity, dash, road) in GATES.items():
        box(look, ax, x, 1.2, f"${name}_t$", quantity, width=0.95)
        wire(look, ax, (x, 1.52), *road, quantity=quantity, dash=dash)
    written = (5.3, 3.05), (5.3, 3.6), (5.3, 3.9)
    wire(look, ax, *written, quantity="candidate", dash=":")
    joint(look, ax, 5.3, 2.85, "×")
    return fig


def cell_line(look, ax):
    """c goes straight through; a squashed copy leaves through o."""
    c, h = look.colour("c"), look.colour("h")
    wire(look, ax, (-0.2, 4.1), (9.3, 4.1), quantity="c")
    joint(look, ax, 1.7, 4.1, "×")
    joint(look, ax, 5.3, 4.1, "+")
    ax.text(-0.3, 4.35, "$c_{t-1}$", color=c)
    ax.text(9.0, 4.35, "$c_t$", color=c)
    wire(look, ax, (8.3, 4.1), (8.3, 3.55), quantity="c")
    ax.text(8.3, 3.28, "tanh", ha="center", va="center", color=c)
    wire(look, ax, (8.3, 3.02), (8.3, 2.5), quantity="c")
    wire(look, ax, (8.3, 2.08), (8.3, 0.35), (9.3, 0.35), quantity="h")
    joint(look, ax, 8.3, 2.3, "×")
    ax.text(9.0, 0.55, "$h_t$", color=h)


def inputs(look, ax):
    """All four read the input and what was shown the step before."""
    last = GATES["o"][0]
    for x, *_ in GATES.values():
        wire(look, ax, (x + 0.15, -0.15), (x + 0.15, 0.86), quantity="x")
        wire(look, ax, (x - 0.15, 0.35), (x - 0.15, 0.86), quantity="h")
    line = (-0.2, -0.15), (last + 0.15, -0.15)
    wire(look, ax, *line, quantity="x", head=False)
    line = (-0.2, 0.35), (last - 0.15, 0.35)
    wire(look, ax, *line, quantity="h", head=False)
    ax.text(-0.3, -0.45, "$x_t$", color=look.colour("x"))
    ax.text(-0.3, 0.55, "$h_{t-1}$", color=look.colour("h"))
