"""A cell as a circuit: boxes, wires between them, signs where wires meet."""

from matplotlib.patches import FancyBboxPatch

from figures_src.lib.arrows import arrow


def box(look, ax, x, y, text, quantity, width=1.15):
    """A box with round corners around (x, y), and what it computes."""
    corner, colour = (x - width / 2, y - 0.26), look.colour(quantity)
    patch = FancyBboxPatch(corner, width, 0.52, "round,pad=0.04")
    patch.set(facecolor="none", edgecolor=colour, linewidth=1.5)
    ax.add_patch(patch)
    ax.text(x, y, text, ha="center", va="center", color=colour)


def wire(look, ax, *points, quantity="ink", head=True, dash="-"):
    """A line along the points, with an arrowhead at the last of them."""
    colour = look.colour(quantity)
    xs, ys = zip(*points, strict=True)
    ax.plot(xs, ys, color=colour, linewidth=1.4, linestyle=dash)
    if head:
        arrow(ax, points[-2], points[-1], colour, linewidth=1.4)


def joint(look, ax, x, y, sign):
    """A sign in a circle, on top of the wires that meet there."""
    circle = {
        "boxstyle": "circle,pad=0.18",
        "facecolor": look.colour("paper"),
        "edgecolor": look.colour("ink"),
        "linewidth": 1.0,
    }
    place = {"ha": "center", "va": "center"}
    ax.text(x, y, sign, fontsize=11, bbox=circle, **place)
