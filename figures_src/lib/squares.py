"""Empty rectangles, and the slots of a batch, hatched where it is padded."""

from matplotlib.patches import Rectangle


def square(ax, x, y, width, height, colour, **style):
    """A rectangle around (x, y) with nothing in it."""
    corner = x - width / 2, y - height / 2
    style = {"facecolor": "none", "edgecolor": colour} | style
    return ax.add_patch(Rectangle(corner, width, height, **style))


def slot(look, ax, x, y, width, real, quantity="x", **style):
    """One step of one sequence around (x, y); padding is hatched."""
    style = {"linewidth": 1.2} | style
    if not real:
        quantity = "muted"
        style |= {"hatch": "////", "linewidth": 0.5, "alpha": 0.55}
    colour = look.colour(quantity)
    square(ax, x, y, width, 0.8, colour, **style).set_clip_on(False)


def slot_text(look, ax, x, y, text, real, quantity="x"):
    """What a slot holds, in front of the hatching."""
    paper = {"facecolor": look.colour("paper"), "edgecolor": "none"}
    ground = None if real else paper | {"pad": 0.6}
    colour = look.colour(quantity if real else "muted")
    style = {"ha": "center", "va": "center", "fontsize": 9.5}
    ax.text(x, y, text, color=colour, bbox=ground, **style)
