"""The shapes of one step of a plain network. For docs/en/notation.md."""

import matplotlib.pyplot as plt

from figures_src.lib.squares import square

CENTRED = {"ha": "center", "va": "center"}


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(2.3))
    ax.set(xlim=(0, 12.2), ylim=(-1.75, 1.75), aspect="equal")
    ax.axis("off")
    block(look, ax, 0.45, 0.5, 2.2, "$h_t$", "$H$", "h")
    ax.text(1.5, 0, r"$=\ \tanh($", **CENTRED)
    block(look, ax, 3.35, 1.5, 2.2, "$W_{xh}$", r"$H \times D$", "ink")
    block(look, ax, 4.75, 0.5, 1.5, "$x_t$", "$D$", "x")
    ax.text(5.6, 0, "$+$", **CENTRED)
    block(look, ax, 7.3, 2.2, 2.2, "$W_{hh}$", r"$H \times H$", "ink")
    block(look, ax, 9.175, 0.75, 2.2, "$h_{t-1}$", "$H$", "h")
    ax.text(10.1, 0, "$+$", **CENTRED)
    block(look, ax, 10.95, 0.5, 2.2, "$b_h$", "$H$", "ink")
    ax.text(11.7, 0, "$)$", **CENTRED)
    return fig


def block(look, ax, x, width, height, label, shape, quantity):
    """A matrix or a column around (x, 0): name above, shape below."""
    shade, muted = look.colour(quantity), look.colour("muted")
    square(ax, x, 0, width, height, shade, linewidth=1.6)
    ax.text(x, height / 2 + 0.3, label, color=shade, **CENTRED)
    ax.text(x, -height / 2 - 0.3, shape, fontsize=9, color=muted, **CENTRED)
