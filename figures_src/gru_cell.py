"""The GRU as a picture: one state, two gates. For docs/gru.md."""

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

from figures_src.palette import colour, size


def box(ax, x, y, text, quantity, width=1.15):
    patch = FancyBboxPatch(
        (x - width / 2, y - 0.26), width, 0.52, "round,pad=0.04",
        facecolor="none", edgecolor=colour(quantity), linewidth=1.5,
    )  # fmt: skip
    ax.add_patch(patch)
    ax.text(x, y, text, ha="center", va="center", color=colour(quantity))


def wire(ax, *points, quantity="ink", arrow=True, style="-"):
    xs, ys = zip(*points, strict=True)
    ax.plot(xs, ys, color=colour(quantity), linewidth=1.4, linestyle=style)
    if arrow:
        ax.annotate(
            "", points[-1], points[-2],
            arrowprops={"arrowstyle": "-|>", "color": colour(quantity),
                        "shrinkA": 0, "shrinkB": 0, "linewidth": 1.4},
        )  # fmt: skip


def joint(ax, x, y, sign):
    ax.text(
        x, y, sign, ha="center", va="center", fontsize=11,
        bbox={"boxstyle": "circle,pad=0.18", "facecolor": colour("paper"),
              "edgecolor": colour("ink"), "linewidth": 1.0},
    )  # fmt: skip


def figure():
    fig, ax = plt.subplots(figsize=size(3.4))
    ax.set(xlim=(-0.2, 9.2), ylim=(-0.35, 4.0))
    ax.axis("off")
    # The state goes straight through: times 1 - z, plus what is written.
    wire(ax, (0.3, 3.4), (8.8, 3.4), quantity="h")
    joint(ax, 5.1, 3.4, "×")
    joint(ax, 7.4, 3.4, "+")
    ax.text(0.2, 3.68, "$h_{t-1}$", color=colour("h"))
    ax.text(8.6, 3.68, "$h_t$", color=colour("h"))
    # Gates read the old state and the input.
    box(ax, 1.9, 1.15, "$r_t$", "candidate")
    box(ax, 4.2, 1.15, "$z_t$", "write")
    box(ax, 6.4, 1.15, r"$\tilde h_t$", "candidate")
    for x in (1.9, 4.2, 6.4):
        wire(ax, (x, 0.0), (x, 0.82), quantity="x")
    wire(ax, (0.4, 0.0), (6.4, 0.0), quantity="x", arrow=False)
    ax.text(0.3, -0.3, "$x_t$", color=colour("x"))
    wire(ax, (0.9, 3.4), (0.9, 1.15), (1.26, 1.15), quantity="h")
    wire(ax, (3.2, 3.4), (3.2, 1.15), (3.56, 1.15), quantity="h")
    # The reset gate scales what the candidate sees of the old state.
    wire(
        ax,
        (1.9, 1.47),
        (1.9, 2.2),
        (5.2, 2.2),
        quantity="candidate",
        arrow=False,
        style=":",
    )
    wire(
        ax,
        (2.6, 3.4),
        (2.6, 2.75),
        (5.4, 2.75),
        (5.4, 1.15),
        (5.76, 1.15),
        quantity="h",
    )
    joint(ax, 5.4, 2.2, "×")
    # The update gate keeps 1 - z of the old and writes z of the new.
    wire(
        ax,
        (4.2, 1.47),
        (4.2, 2.95),
        (5.1, 2.95),
        (5.1, 3.2),
        quantity="keep",
        style="--",
    )
    ax.text(
        4.25, 3.02, "$1 - z_t$", color=colour("keep"), fontsize=9.5, ha="right"
    )
    wire(
        ax,
        (6.4, 1.47),
        (6.4, 2.4),
        (7.4, 2.4),
        (7.4, 3.2),
        quantity="candidate",
    )
    joint(ax, 7.4, 2.4, "×")
    wire(
        ax,
        (4.2, 0.83),
        (4.2, 0.4),
        (8.3, 0.4),
        (8.3, 2.4),
        (7.62, 2.4),
        quantity="write",
        style="-.",
    )
    ax.text(8.4, 1.4, "$z_t$", color=colour("write"), fontsize=9.5)
    return fig
