"""Five small models, one a task shape, and what a blanked-out input changes.

For docs/en/sequences.md and the lab of the same name. The models are those
of studies/task_cards.py; figure() shows the first example of each.

What the lab computes. Every model reads with the GRU of docs/gru.md from
h_0 = 0; the rows of W_xh (3H, D), W_hh (3H, H), b_h (3H) are the blocks
r | z | n:

    r = sigmoid(W_xr x + W_hr h + b_r)         h is the state before
    z = sigmoid(W_xz x + W_hz h + b_z)
    n = tanh(W_xn x + W_hn (r * h) + b_n)      r acts before the product
    h = (1 - z) * h + z * n

and answers with rows y = W_hy h + b_y. x is one-hot: column `id` of W_xh.
The id 0 is the blank, a token like the others that the models met in
training. By "shape":

    classification  one row, from the last state of cells[0]
    labelling       a row a step, from [h_t of cells[0]; h_t of cells[1]],
                    the second read from the last input to the first
    generation      the first row from the last state of cells[0]; then
                    cells[0] reads the largest entry's id, and so on, until
                    there are as many rows as "writes"
    forecasting     x is [value, 1], or [0, 0] where it is blank; one row
                    from the last state, its entries the "writes" forecasts
    translation     cells[1] starts from the last state of cells[0] and
                    reads "go", then each id that it wrote itself; a row
                    after each step, until the largest entry is "end" or
                    there are as many rows as "writes"

results()["tasks"] is a list of dictionaries:

    task, shape     names; writes, go, end where the shape has them
    words           {"en": [..], "zh": [..]} name of each input id, blank
                    first; not for the forecast
    answers         {"en": [..], "zh": [..]} name of each entry of a row;
                    not for the forecast
    cells           list of {"W_xh", "W_hh", "b_h"}; W_hy, b_y
    tolerance       of the forecast: what moves less has not changed
    examples        list of dictionaries, one an input that nobody touched:
        inputs      ids, or values, of steps 1 .. T
        rows        what the model answers, as numbers, to 12 digits
        answer      per row the largest entry's id, without "end"; the
                    forecasts themselves
        places      per answer the step it stands at: its distance from
                    input t is places[j] - t, negative from the right
        changes     [[t, j], ..] counted from 0: if input t alone is blank,
                    answer j is another, or missing; j = len(answer) means
                    that the writing goes on where it should have ended

The other keys of results() are what was measured on five seeds.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from bookproof.run.records import record, runs
from figures_src.lib.cards import ANSWERS, WORDS, shown, shown_weights
from figures_src.studies.cards.tasks import END, GO, TASKS, TOLERANCE

MEASURES = "right", "shuffled", "error", "naive", "flips"


def results():
    """What the docstring of this module says; "measured" {task: [a seed]}."""
    return {
        "tasks": [card(name, task) for name, task in TASKS.items()],
        "measured": {name: measured(name) for name in TASKS},
        "cpu_seconds": record("task_cards")["made"]["seconds"],
    }


def card(name, task):
    """What the lab knows of one task."""
    found = {"task": name, "shape": task.shape}
    if task.writes > 1:
        found["writes"] = task.writes
    if task.shape == "translation":
        found |= {"go": GO, "end": END}
    if name in WORDS:
        found |= {"words": WORDS[name], "answers": ANSWERS[name]}
    else:
        found["tolerance"] = TOLERANCE
    return found | shown_weights(name) | {"examples": shown(name)}


def measured(name):
    """What was measured of one task, a dict a seed."""
    return [
        {key: run[key] for key in MEASURES if key in run}
        for run in runs("task_cards", row=name)
    ]


NAMES = {"translation": "sequence to sequence"}
SIZE, PAD, GAP = 9.5, 4, 5  # points: of the letters, in a box, between boxes
LINE, UP = 32, 34  # points: from line to line, from words up to their labels
HEIGHTS = {
    "opinion": 84,
    "tags": 84,
    "melody": 86,
    "quarters": 106,
    "numbers": 86,
}


def figure(look):
    """A strip a task: inputs, answers, and an arc for every change."""
    width = look.size()[0] * 72
    heights = HEIGHTS | ({"opinion": 108} if look.narrow else {})
    height = sum(heights.values())
    fig = plt.figure(figsize=(width / 72, height / 72), layout="none")
    ax = fig.add_axes([0, 0, 1, 1], xlim=(0, width), ylim=(0, height))
    ax.axis("off")
    top = height
    for name, task in TASKS.items():
        strip(look, ax, name, top - heights[name] + 12, width)
        shape = NAMES.get(task.shape, task.shape)
        muted = look.colour("muted")
        ax.text(2, top - 14, shape, color=muted, fontsize=SIZE)
        top -= heights[name]
    return fig


def strip(look, ax, name, floor, width):
    """The first example of one task, its last row of boxes on the floor."""
    example = shown(name)[0]
    touched = {t for t, _ in example["changes"]}
    if name not in WORDS:
        return series(look, ax, example, touched, floor, width)
    words = [WORDS[name]["en"][i] for i in example["inputs"]]
    names = [ANSWERS[name]["en"][i] for i in example["answer"]]
    if TASKS[name].shape == "labelling":
        labelled = zip(words, names, strict=True)
        return two_rows(look, ax, labelled, example, touched, floor)
    return in_a_row(look, ax, words, names, example, touched, floor, width)


def in_a_row(look, ax, words, names, example, touched, floor, width):
    """Words, an arrow, answers; on a second line what does not fit."""
    first = words_of_first_line(words, names, width)
    two_lines = first < len(words)
    x, starts = 2, []
    for t, word in enumerate(words):
        x = 2 if t == first else x
        y = floor + LINE * (two_lines and t < first)
        starts.append((box(look, ax, x, y, word, "x", t in touched), y))
        x += room(word)
    muted = look.colour("muted")
    ax.text(x + 1, floor, "→", color=muted, fontsize=SIZE)
    x, ends = x + 17, []
    for name in names:
        ends.append(box(look, ax, x, floor, name, "show"))
        x += room(name)
    for t, j in example["changes"]:
        at, y = starts[t]
        if y > floor:  # round the end of the first line
            around(look, ax, at, y + 12, x - GAP, floor + 4, width - 6)
        elif j < len(ends):
            most = 14 if two_lines else 54
            arc(look, ax, (at, floor + 12), (ends[j], floor + 12), most)


def words_of_first_line(words, names, width):
    """How many: all, if the answers fit behind them."""
    wide = [room(word) for word in words]
    if sum(wide) + sum(map(room, names)) + 17 <= width:
        return len(words)
    return next(n for n in range(len(wide), 0, -1) if sum(wide[:n]) < width)


def series(look, ax, example, touched, floor, width):
    """The forecast: sixteen values and four, as points on a line."""
    values = np.array([*example["inputs"], *example["answer"]])
    low, high = values.min(), values.max()
    y = floor + 46 * (values - low) / (high - low)
    x = np.linspace(12, min(width - 14, 400), len(values))
    T, thin = len(example["inputs"]), {"linewidth": 1.2}
    ax.plot(x[:T], y[:T], **look.line("x"))
    ax.plot(x[T - 1 :], y[T - 1 :], **look.line("show") | thin)
    for t in range(len(values)):
        mark = "keep" if t in touched else "x" if t < T else "show"
        style = {"color": look.colour(mark), "ms": 6.5 if t in touched else 4}
        ax.plot(x[t], y[t], "s" if t >= T else "o", **style)
    for t, j in example["changes"]:
        arc(look, ax, (x[t], y[t] + 5), (x[T + j], y[T + j] + 5), 40)


def two_rows(look, ax, labelled, example, touched, floor):
    """Labels stand above their words."""
    x, tops = 2, []
    for t, (word, name) in enumerate(labelled):
        wide = max(extent(word), extent(name))
        box(look, ax, x, floor, word, "x", t in touched, wide)
        tops.append(box(look, ax, x, floor + UP, name, "show", wide=wide))
        x += wide + 2 * PAD + GAP + 8
    for t, j in example["changes"]:
        ends = [tops[t], tops[j]], [floor + 12, floor + UP - 5]
        ax.plot(*ends, **look.line("keep") | {"linewidth": 1.3})


def extent(text):
    """Width of a text in points."""
    return TextPath((0, 0), text, size=SIZE).get_extents().width


def room(text):
    """Width of a box in points, with the gap after it."""
    return extent(text) + 2 * PAD + GAP


def box(look, ax, x, y, text, quantity, touched=False, wide=None):
    """A token whose box begins at x -> the middle of it."""
    wide = wide or extent(text)
    shade = look.colour("keep" if touched else quantity)
    corners = "round,pad=0,rounding_size=3"
    patch = FancyBboxPatch((x, y - 4), wide + 2 * PAD, 15, corners)
    thick = 2.0 if touched else 0.8
    patch.set(facecolor="none", edgecolor=shade, linewidth=thick)
    ax.add_patch(patch)
    middle = x + PAD + wide / 2
    ax.text(middle, y, text, ha="center", color=shade, fontsize=SIZE)
    return middle


def arc(look, ax, start, end, most):
    """From an input over what lies between to the answer it changes."""
    high = max(start[1], end[1]) + min(12 + 0.14 * (end[0] - start[0]), most)
    points = [start, (start[0], high), (end[0], high), end]
    dashed(look, ax, Path(points, [Path.MOVETO] + 3 * [Path.CURVE4]))


def around(look, ax, x, y, right, floor, edge):
    """From an input over its line, round the edge, back to the answer."""
    points = [(x, y), (x, y + 12), (edge, y + 12), (edge, floor)]
    dashed(look, ax, Path([*points, (right, floor)]))


def dashed(look, ax, path):
    style = {"facecolor": "none", "linewidth": 1.3, "linestyle": "--"}
    patch = PathPatch(path, edgecolor=look.colour("keep"), **style)
    ax.add_patch(patch)
