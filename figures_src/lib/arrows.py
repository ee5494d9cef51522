"""Straight arrows."""


def arrow(ax, start, end, colour, **style):
    """From one point to the other, in full; style is that of arrowprops."""
    look = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "color": colour}
    ax.annotate("", end, start, arrowprops=look | style)
