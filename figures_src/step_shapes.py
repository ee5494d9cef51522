"""The shapes of one step of a plain network. For docs/notation.md."""

import matplotlib.pyplot as plt

from figures_src.palette import colour, size


def block(ax, x, y, width, height, label, shape, quantity):
    ax.add_patch(
        plt.Rectangle(
            (x, y - height / 2), width, height, facecolor="none",
            edgecolor=colour(quantity), linewidth=1.6,
        )
    )  # fmt: skip
    ax.text(x + width / 2, y + height / 2 + 0.3, label, ha="center",
            va="center", color=colour(quantity))  # fmt: skip
    ax.text(x + width / 2, y - height / 2 - 0.3, shape, ha="center",
            va="center", fontsize=9, color=colour("muted"))  # fmt: skip


def figure():
    fig, ax = plt.subplots(figsize=size(2.3))
    ax.set(xlim=(0, 12.2), ylim=(-1.75, 1.75), aspect="equal")
    ax.axis("off")
    block(ax, 0.2, 0, 0.5, 2.2, "$h_t$", "$H$", "h")
    ax.text(1.5, 0, r"$=\ \tanh($", ha="center", va="center")
    block(ax, 2.6, 0, 1.5, 2.2, "$W_{xh}$", r"$H \times D$", "ink")
    block(ax, 4.5, 0, 0.5, 1.5, "$x_t$", "$D$", "x")
    ax.text(5.6, 0, "$+$", ha="center", va="center")
    block(ax, 6.2, 0, 2.2, 2.2, "$W_{hh}$", r"$H \times H$", "ink")
    block(ax, 8.8, 0, 0.75, 2.2, "$h_{t-1}$", "$H$", "h")
    ax.text(10.1, 0, "$+$", ha="center", va="center")
    block(ax, 10.7, 0, 0.5, 2.2, "$b_h$", "$H$", "ink")
    ax.text(11.7, 0, "$)$", ha="center", va="center")
    return fig
