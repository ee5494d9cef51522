"""Five shapes of a task, told apart by what comes out and when.

For docs/sequences.md. Inputs below, states in the middle, outputs above.
"""

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from figures_src import palette
from figures_src.palette import colour

SIDE, STEP = 0.42, 0.62  # of a square, from one square to the next
ROWS = {"input": 0.0, "state": 0.95, "output": 1.9}


def square(ax, x, row, quantity):
    y = ROWS[row]
    corner = x - SIDE / 2, y - SIDE / 2
    look = {"facecolor": "none", "edgecolor": colour(quantity)}
    ax.add_patch(Rectangle(corner, SIDE, SIDE, linewidth=1.4, **look))


def arrow(ax, start, end, quantity, style="-"):
    look = {"arrowstyle": "-|>", "color": colour(quantity), "linewidth": 1.1}
    look |= {"shrinkA": 0, "shrinkB": 0, "linestyle": style}
    ax.annotate("", end, start, arrowprops=look | {"mutation_scale": 8})


def chain(ax, steps, read, write, feed=()):
    """States at 0 .. steps - 1; which read, which write, which are fed."""
    half = SIDE / 2
    for t in range(steps):
        x = t * STEP
        square(ax, x, "state", "h")
        if t:
            y = ROWS["state"]
            arrow(ax, (x - STEP + half, y), (x - half, y), "h")
        if t in read:
            square(ax, x, "input", "x")
            up = ROWS["input"] + half, ROWS["state"] - half
            arrow(ax, (x, up[0]), (x, up[1]), "x")
        if t in write:
            square(ax, x, "output", "show")
            up = ROWS["state"] + half, ROWS["output"] - half
            arrow(ax, (x, up[0]), (x, up[1]), "show")
    for t in feed:  # what was written is read at the next step
        x, y = t * STEP, ROWS["output"]
        down = ROWS["state"] - half
        middle = x + STEP / 2
        ax.plot(
            [x + half, middle, middle, x + STEP, x + STEP],
            [y, y, down - 0.18, down - 0.18, down - 0.16],
            color=colour("show"), linewidth=1.1, linestyle="--",
        )  # fmt: skip
        arrow(ax, (x + STEP, down - 0.18), (x + STEP, down), "show")


def several(ax, at, n):
    """One state, n outputs side by side: all written at once."""
    y = ROWS["output"]
    for k in range(n):
        square(ax, at + k * STEP, "output", "show")
        up = ROWS["state"] + SIDE / 2, y - SIDE / 2
        arrow(ax, (at, up[0]), (at + k * STEP, up[1]), "show")


SHAPES = {  # what is said of it, how many squares it is wide
    "classification": ("one answer,\nat the end", 4),
    "labelling": ("an answer\nat every step", 4),
    "generation": ("each answer is\nthe next input", 4),
    "forecasting": ("a fixed number,\nall at once", 5),
    "sequence to sequence": ("read all, then write\nuntil done", 6),
}
WIDE = [*SHAPES][:3], [*SHAPES][3:]  # rows of the figure, and on a phone
PHONE = [*SHAPES][:2], [*SHAPES][2:4], [*SHAPES][4:]
CELL = 4.35, 4.1  # width and height that each of them gets


def draw(ax, name):
    if name == "classification":
        chain(ax, 4, range(4), [3])
    elif name == "labelling":
        chain(ax, 4, range(4), range(4))
    elif name == "generation":
        chain(ax, 4, [0], range(4), feed=range(3))
    elif name == "forecasting":
        chain(ax, 4, range(4), [])
        several(ax, 3 * STEP, 2)
    else:
        chain(ax, 6, range(3), range(3, 6), feed=range(3, 5))
    note, _ = SHAPES[name]
    middle = 1.5 * STEP
    if name == "sequence to sequence":
        middle += STEP
    look = {"ha": "center", "va": "top"}
    ax.text(middle, 3.42, name, fontsize=10.5, **look)
    ax.text(middle, 2.98, note, fontsize=9, color=colour("muted"), **look)


def figure():
    rows = PHONE if palette.narrow else WIDE
    width = palette.size()[0]
    columns = len(rows[0])
    unit = width / columns / CELL[0]  # inches
    height = len(rows) * CELL[1] * unit
    fig = plt.figure(figsize=(width, height), layout="none")
    for i, row in enumerate(rows):
        for j, name in enumerate([*row, "key"][:columns]):
            place = j / columns, 1 - (i + 1) / len(rows)
            ax = fig.add_axes([*place, 1 / columns, 1 / len(rows)])
            shift = 0.5 if name == "sequence to sequence" else 0.95
            ax.set(xlim=(-shift, CELL[0] - shift), ylim=(-0.45, 3.65))
            ax.axis("off")
            (key if name == "key" else draw)(ax, *[name][: name != "key"])
    return fig


def key(ax):
    for row, quantity in zip(ROWS, ("x", "h", "show"), strict=True):
        square(ax, 0, row, quantity)
        look = {"va": "center", "color": colour(quantity), "fontsize": 10.5}
        ax.text(0.4, ROWS[row], row, **look)
