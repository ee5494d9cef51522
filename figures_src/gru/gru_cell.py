"""The GRU as a picture: one state, two gates. For docs/en/gru.md."""

import matplotlib.pyplot as plt

from figures_src.lib.wires import box, joint, wire


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(3.4))
    ax.set(xlim=(-0.2, 9.2), ylim=(-0.35, 4.0))
    ax.axis("off")
    state_line(look, ax)
    gates(look, ax)
    reset(look, ax)
    update(look, ax)
    return fig


def state_line(look, ax):
    """h goes straight through: times 1 - z, plus what is written."""
    wire(look, ax, (0.3, 3.4), (8.8, 3.4), quantity="h")
    joint(look, ax, 5.1, 3.4, "×")
    joint(look, ax, 7.4, 3.4, "+")
    ax.text(0.2, 3.68, "$h_{t-1}$", color=look.colour("h"))
    ax.text(8.6, 3.68, "$h_t$", color=look.colour("h"))


def gates(look, ax):
    """Both gates and the candidate read the input; the gates read h."""
    box(look, ax, 1.9, 1.15, "$r_t$", "candidate")
    box(look, ax, 4.2, 1.15, "$z_t$", "write")
    box(look, ax, 6.4, 1.15, r"$\tilde h_t$", "candidate")
    for x in 1.9, 4.2, 6.4:
        wire(look, ax, (x, 0.0), (x, 0.82), quantity="x")
    wire(look, ax, (0.4, 0.0), (6.4, 0.0), quantity="x", head=False)
    ax.text(0.3, -0.3, "$x_t$", color=look.colour("x"))
    for x in 0.9, 3.2:
        road = (x, 3.4), (x, 1.15), (x + 0.36, 1.15)
        wire(look, ax, *road, quantity="h")


def reset(look, ax):
    """r scales what the candidate sees of the old state."""
    scale = (1.9, 1.47), (1.9, 2.2), (5.2, 2.2)
    wire(look, ax, *scale, quantity="candidate", head=False, dash=":")
    seen = (2.6, 3.4), (2.6, 2.75), (5.4, 2.75), (5.4, 1.15), (5.76, 1.15)
    wire(look, ax, *seen, quantity="h")
    joint(look, ax, 5.4, 2.2, "×")


def update(look, ax):
    """z keeps 1 - z of the old and writes z of the new."""
    kept = (4.2, 1.47), (4.2, 2.95), (5.1, 2.95), (5.1, 3.2)
    wire(look, ax, *kept, quantity="keep", dash="--")
    words = {"color": look.colour("keep"), "fontsize": 9.5}
    ax.text(4.25, 3.02, "$1 - z_t$", ha="right", **words)
    new = (6.4, 1.47), (6.4, 2.4), (7.4, 2.4), (7.4, 3.2)
    wire(look, ax, *new, quantity="candidate")
    joint(look, ax, 7.4, 2.4, "×")
    write = (4.2, 0.83), (4.2, 0.4), (8.3, 0.4), (8.3, 2.4), (7.62, 2.4)
    wire(look, ax, *write, quantity="write", dash="-.")
    words = {"color": look.colour("write"), "fontsize": 9.5}
    ax.text(8.4, 1.4, "$z_t$", **words)
