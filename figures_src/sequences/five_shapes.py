"""Five shapes of a task, told apart by what comes out and when.

For docs/en/sequences.md. Inputs below, states in the middle, outputs above.
"""

import matplotlib.pyplot as plt

from figures_src.lib.arrows import arrow
from figures_src.lib.squares import square

SIDE, STEP = 0.42, 0.62  # of a square, from one square to the next
ROWS = {  # what a square is: its height, its quantity
    "input": (0.0, "x"),
    "state": (0.95, "h"),
    "output": (1.9, "show"),
}
SHAPES = {  # what is said of it, the arguments of its chain()
    "classification": (
        "one answer,\nat the end",
        {"steps": 4, "read": range(4), "write": [3]},
    ),
    "labelling": (
        "an answer\nat every step",
        {"steps": 4, "read": range(4), "write": range(4)},
    ),
    "generation": (
        "each answer is\nthe next input",
        {"steps": 4, "read": [0], "write": range(4), "feed": range(3)},
    ),
    "forecasting": (
        "a fixed number,\nall at once",
        {"steps": 4, "read": range(4), "write": []},  # see several()
    ),
    "sequence to sequence": (
        "read all, then write\nuntil done",
        {
            "steps": 6,
            "read": range(3),
            "write": range(3, 6),
            "feed": range(3, 5),
        },
    ),
}
LONG = "sequence to sequence"  # its chain needs more room to the right
WIDE = (
    ["classification", "labelling", "generation"],
    ["forecasting", LONG, "key"],
)
PHONE = (
    ["classification", "labelling"],
    ["generation", "forecasting"],
    [LONG, "key"],
)
CELL = 4.35, 4.1  # width and height that each of them gets


def figure(look):
    rows = PHONE if look.narrow else WIDE
    columns, (width, _) = len(rows[0]), look.size()
    unit = width / columns / CELL[0]  # inches
    height = len(rows) * CELL[1] * unit
    fig = plt.figure(figsize=(width, height), layout="none")
    for i, row in enumerate(rows):
        for j, name in enumerate(row):
            corner = j / columns, 1 - (i + 1) / len(rows)
            ax = fig.add_axes([*corner, 1 / columns, 1 / len(rows)])
            left = 0.5 if name == LONG else 0.95
            ax.set(xlim=(-left, CELL[0] - left), ylim=(-0.45, 3.65))
            ax.axis("off")
            if name == "key":
                key(look, ax)
            else:
                draw(look, ax, name)
    return fig


def draw(look, ax, name):
    """One shape: its squares, its name, what is said of it."""
    said, squares = SHAPES[name]
    chain(look, ax, **squares)
    if name == "forecasting":
        several(look, ax, 3 * STEP, 2)
    middle = (2.5 if name == LONG else 1.5) * STEP
    place = {"ha": "center", "va": "top"}
    ax.text(middle, 3.42, name, fontsize=10.5, **place)
    muted = {"fontsize": 9, "color": look.colour("muted")}
    ax.text(middle, 2.98, said, **muted, **place)


def key(look, ax):
    """What the squares of each height are."""
    for row, (y, quantity) in ROWS.items():
        cell(look, ax, 0, row)
        style = {"va": "center", "color": look.colour(quantity)}
        ax.text(0.4, y, row, fontsize=10.5, **style)


def chain(look, ax, steps, read, write, feed=()):
    """States at 0 .. steps - 1; which read, which write, which are fed."""
    half, (y, _) = SIDE / 2, ROWS["state"]
    for t in range(steps):
        x = t * STEP
        cell(look, ax, x, "state")
        if t:
            link(look, ax, (x - STEP + half, y), (x - half, y), "state")
        if t in read:
            cell(look, ax, x, "input")
            link(look, ax, (x, half), (x, y - half), "input")
        if t in write:
            cell(look, ax, x, "output")
            top = ROWS["output"][0] - half
            link(look, ax, (x, y + half), (x, top), "output")
    for t in feed:
        fed(look, ax, t * STEP)


def fed(look, ax, x):
    """What was written at x goes down, and is read at the next step."""
    half, after, middle = SIDE / 2, x + STEP, x + STEP / 2
    high, low = ROWS["output"][0], ROWS["state"][0] - half
    ax.plot(
        [x + half, middle, middle, after, after],
        [high, high, low - 0.18, low - 0.18, low - 0.16],
        color=look.colour("show"),
        linewidth=1.1,
        linestyle="--",
    )
    link(look, ax, (after, low - 0.18), (after, low), "output")


def several(look, ax, at, n):
    """One state, n outputs side by side: all written at once."""
    low, high = ROWS["state"][0] + SIDE / 2, ROWS["output"][0] - SIDE / 2
    for k in range(n):
        x = at + k * STEP
        cell(look, ax, x, "output")
        link(look, ax, (at, low), (x, high), "output")


def cell(look, ax, x, row):
    y, quantity = ROWS[row]
    square(ax, x, y, SIDE, SIDE, look.colour(quantity), linewidth=1.4)


def link(look, ax, start, end, row):
    colour = look.colour(ROWS[row][1])
    arrow(ax, start, end, colour, linewidth=1.1, mutation_scale=8)
