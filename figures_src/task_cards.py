"""Five small models, one a task shape, and what a blanked-out input changes.

For docs/sequences.md and the lab of the same name. A study: `make studies`
trains the models with the library's own GRU, backward pass and Adam, and
figure() and results() read the weights it wrote.

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

import functools
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path
from matplotlib.textpath import TextPath

from bookproof.run.studies import load_study
from figures_src import palette
from figures_src.palette import colour, line
from seqbook.batching import pad
from seqbook.functional import (
    linear,
    linear_backward,
    mean_cross_entropy_backward,
)
from seqbook.gradients import clip_global_norm
from seqbook.gru import GRUParams, gru_backward, gru_forward, init_gru
from seqbook.optim import adam_init, adam_step
from seqbook.params import arrays_of, map_params
from seqbook.stack import reverse_valid

B, TESTED, LR = 64, 500, 1e-2
SEEDS = {"reported": [0, 1, 2, 3, 4]}  # the lab has the weights of the first
SPLIT = str.split

# --- The tasks: what is drawn, and what its answer is ------------------------

SUBJECTS, NOUNS = SPLIT("people critics friends"), SPLIT("film music ending")
KINDS = SPLIT("old long new")
PRAISE, BLAME = SPLIT("good great"), SPLIT("bad dull")
OPINION = SPLIT("_ most few called the and , very not")
OPINION += [*SUBJECTS, *KINDS, *NOUNS, *PRAISE, *BLAME]
OPINION_ZH = SPLIT("_ 大多数 没几个 说 那 和 ， 很 不")
OPINION_ZH += SPLIT("观众 影评人 朋友 老派的 漫长的 新的 电影 音乐 结局")
OPINION_ZH += SPLIT("好 精彩 差 沉闷")


def opinion(rng):
    """-> a sentence whose first word may turn its last ones round; 0 or 1."""
    good = rng.random() < 0.5
    said, opposite = (PRAISE, BLAME) if good else (BLAME, PRAISE)
    few = rng.random() < 0.3  # rarer, so that there is a start to learn from
    words = ["few" if few else "most", rng.choice(SUBJECTS), "called"]
    for k in range(rng.integers(1, 5)):
        kind = [rng.choice(KINDS)] * rng.integers(2)
        words += ["and"] * (k > 0) + ["the", *kind, rng.choice(NOUNS)]
    plain, negated = [rng.choice(said)], ["not", rng.choice(opposite)]
    both, very = [*plain, ",", *negated], ["very", *plain]
    words += [both, both, negated, negated, very, very, very, plain][
        rng.integers(8)
    ]
    return ids(OPINION, words), [int(good != few)]


WHO, MANY = SPLIT("I we they you"), SPLIT("cats dogs fish boats")
ONE, OLD = SPLIT("man dog can fish boat love"), SPLIT("old young")
ACT, REST = SPLIT("love feed see man"), SPLIT("sleep fish leave")
PAST, MAY = SPLIT("slept left fell"), SPLIT("can will")
TAGS = SPLIT("PRON VERB NOUN AUX DET ADJ CCONJ")
TAGGED = ["_", "the", "and"]
TAGGED += sorted({*WHO, *MANY, *ONE, *OLD, *ACT, *REST, *PAST, *MAY})
CLAUSES = [  # "the old" is a noun or an adjective: what follows decides
    [(WHO, "PRON"), (ACT, "VERB"), (MANY, "NOUN")],
    [(WHO, "PRON"), (ACT, "VERB"), (["the"], "DET"), (ONE, "NOUN")],
    [(WHO, "PRON"), (MAY, "AUX"), (REST, "VERB")],
    [(WHO, "PRON"), (MAY, "AUX"), (ACT, "VERB"), (MANY, "NOUN")],
    [(["the"], "DET"), (ONE, "NOUN"), (PAST, "VERB")],
    [(["the"], "DET"), (ONE, "NOUN"), (MAY, "AUX"), (REST, "VERB")],
    [(["the"], "DET"), (OLD, "ADJ"), (ONE, "NOUN"), (PAST, "VERB")],
    [(["the"], "DET"), (OLD, "NOUN"), (ACT, "VERB"), (MANY, "NOUN")],
    [(["the"], "DET"), (OLD, "NOUN"), (ACT, "VERB")]
    + [(["the"], "DET"), (ONE + MANY, "NOUN")],
    [(["the"], "DET"), (OLD, "NOUN"), (MAY, "AUX"), (REST, "VERB")],
]


def tagged(rng):
    """-> one clause or two, a part of speech for every word."""
    slots = list(CLAUSES[rng.integers(len(CLAUSES))])
    if rng.random() < 0.3:
        slots += [(["and"], "CCONJ"), *CLAUSES[rng.integers(len(CLAUSES))]]
    words, tags = zip(*((rng.choice(w), tag) for w, tag in slots), strict=True)
    return ids(TAGGED, words), ids(TAGS, tags)


NOTES = SPLIT("_ C D E G A |")


def melody(rng):
    """-> four notes, a bar, an episode, a bar; the four notes again."""
    theme, episode = notes(rng, 4), notes(rng, rng.integers(3, 8))
    bar = NOTES.index("|")
    return [*theme, bar, *episode, bar], theme


def notes(rng, n):
    """-> n notes, none the same as the one before."""
    played = [int(rng.integers(1, 6))]
    while len(played) < n:
        played.append((played[-1] + int(rng.integers(4))) % 5 + 1)
    return played


def quarters(rng):
    """-> four years of quarters, then the next four; each season drifts."""
    drift = 0.4 * rng.normal(size=(5, 4))
    drift[0] = rng.normal(size=4)
    season = np.cumsum(drift, axis=0)
    values = np.ravel(season + 0.2 * rng.normal(size=(5, 4))).round(2)
    return values[:16].tolist(), values[16:].tolist()


UNITS = SPLIT("one two three four five six seven eight nine")
TEENS = SPLIT("ten eleven twelve thirteen fourteen fifteen sixteen")
TEENS += SPLIT("seventeen eighteen nineteen")
TENS = SPLIT("twenty thirty forty fifty sixty seventy eighty ninety")
SPELT = ["_", "thousand", "hundred", *UNITS, *TEENS, *TENS]
DIGITS = [*"0123456789", "end", "go"]


def spelt(rng):
    """-> a number below 10,000 in words; its digits."""
    size = rng.integers(1, 5)
    n = int(rng.integers(10 ** (size - 1), 10**size))
    return ids(SPELT, in_words(n)), [int(c) for c in str(n)]


def in_words(n):
    words = []
    for unit, name in (1000, "thousand"), (100, "hundred"):
        if n >= unit:
            words += [UNITS[n // unit - 1], name]
        n %= unit
    if n >= 20:
        words.append(TENS[n // 10 - 2])
        n %= 10
    return words + [["", *UNITS, *TEENS][n]] * (n > 0)


def ids(names, words):
    return [names.index(word) for word in words]


@dataclass(frozen=True)
class Task:
    """A shape, its drawing and its sizes; `rows` is the width of a row."""

    shape: str
    draw: object
    H: int
    iterations: int
    D: int
    rows: int
    writes: int = 1


TASKS = {
    "opinion": Task("classification", opinion, 10, 1500, len(OPINION), 2),
    "tags": Task("labelling", tagged, 8, 1000, len(TAGGED), len(TAGS)),
    "melody": Task("generation", melody, 16, 2500, 7, 7, 4),
    "quarters": Task("forecasting", quarters, 10, 2000, 2, 4, 4),
    "numbers": Task("translation", spelt, 16, 3000, len(SPELT), 12, 6),
}
END, GO, TOLERANCE = 10, 11, 0.15

# --- The models -------------------------------------------------------------


@dataclass
class Model:
    """One cell or two, and a readout."""

    cells: list
    W_hy: np.ndarray
    b_y: np.ndarray


def build(task, rng):
    """-> a fresh Model; b_z = -1 lets its cells keep a little longer."""
    widths = {"labelling": [task.D] * 2, "translation": [task.D, task.rows]}
    widths = widths.get(task.shape, [task.D])
    cells = [init_gru(rng, D, task.H) for D in widths]
    for cell in cells:
        cell.b_h[task.H : 2 * task.H] = -1
    H = task.H * (1 + (task.shape == "labelling"))
    W_hy, b_y = (
        rng.uniform(-1, 1, shape) / np.sqrt(H)
        for shape in [(task.rows, H), task.rows]
    )
    return Model(cells, W_hy, b_y)


def read(cell, x, h_0=None, lengths=None):
    """-> h (T, B, H), and the function from dh to dh_0, grads."""
    if h_0 is None:
        h_0 = np.zeros((x.shape[1], cell.W_hh.shape[1]))
    h, cache = gru_forward(cell, x, h_0, lengths)
    return h, lambda dh: gru_backward(cell, dh, cache)[1:]


def states(task, model, x, lengths, written):
    """What the readout sees (n, B, H), and how its gradient comes back.

    `written` is what generation and translation are told that they wrote.
    """
    first = model.cells[0]
    if task.shape == "labelling":
        right, back = read(first, x, None, lengths)
        turned = reverse_valid(x, lengths)
        left, back_left = read(model.cells[1], turned, None, lengths)

        def both(dh):
            dr, dl = np.split(dh, 2, axis=-1)
            return [back(dr)[1], back_left(reverse_valid(dl, lengths))[1]]

        h = np.concatenate([right, reverse_valid(left, lengths)], axis=-1)
        return h, both
    h, back = read(first, x, None, lengths)
    if task.shape in ("classification", "forecasting"):
        return h[-1:], lambda dh: [back(at_end(h, dh[0]))[1]]
    if task.shape == "generation":  # the last state, then one a note
        s, back_s = read(first, written[:-1], h[-1])

        def through(dh):
            dh_0, grads = back_s(dh[1:])
            ours = back(at_end(h, dh[0] + dh_0))[1]
            return [map_params(np.add, grads, ours)]

        return np.concatenate([h[-1:], s]), through
    s, back_s = read(model.cells[1], written, h[-1])

    def across(dh):
        dh_0, grads = back_s(dh)
        return [back(at_end(h, dh_0))[1], grads]

    return s, across


def at_end(h, dh_T):
    dh = np.zeros_like(h)
    dh[-1] = dh_T
    return dh


def encode(task, inputs):
    """Lists of ids or values, None where blank -> x (T, B, D), lengths."""
    if task.shape == "forecasting":
        values = np.array(inputs, float).T  # None becomes nan
        seen = np.isfinite(values)
        x = np.stack([np.where(seen, values, 0), seen], axis=-1)
        return x, np.full(len(inputs), len(x))
    padded, lengths, _ = pad([[i or 0 for i in each] for each in inputs])
    return np.eye(task.D)[padded], lengths


def blanked(rng, inputs):
    """Every second sequence, with about one input in seven left out."""
    if rng.random() < 0.5:
        return inputs
    return [None if rng.random() < 0.15 else i for i in inputs]


def one_step(task, model, rng):
    """A fresh batch -> the gradient of its mean loss, as a Model."""
    inputs, targets = zip(*(task.draw(rng) for _ in range(B)), strict=True)
    x, lengths = encode(task, [blanked(rng, each) for each in inputs])
    if task.shape == "forecasting":
        h, back = states(task, model, x, lengths, None)
        error = linear(model.W_hy, model.b_y, h) - np.array(targets)
        dy = 2 * error / error.size
    else:
        if task.shape == "translation":
            targets = [[*target, END] for target in targets]
        wanted, _, mask = pad(targets)
        told = np.eye(task.rows)[wanted]
        if task.shape == "translation":
            go = np.eye(task.rows)[np.full((1, B), GO)]
            told = np.concatenate([go, told[:-1]])
        h, back = states(task, model, x, lengths, told)
        logits = linear(model.W_hy, model.b_y, h)
        dy = mean_cross_entropy_backward(logits, wanted, mask)
    dh, dW, db = linear_backward(model.W_hy, h, dy)
    return Model(back(dh), dW, db)


def trained(task, seed):
    """-> Model after Adam on fresh batches, its weights to two decimals."""
    rng = np.random.default_rng(seed)
    model = build(task, rng)
    adam = adam_init(model)
    for i in range(task.iterations):
        grads = one_step(task, model, rng)
        clipped = iter(clip_global_norm(arrays_of(grads), 1.0)[0])
        grads = map_params(lambda _, take=clipped: next(take), grads)
        rate = LR * min(1, 2 - 2 * i / task.iterations)  # down in the end
        model, adam = adam_step(model, grads, adam, rate)
    return map_params(lambda w: w.round(2), model)


def answer(task, model, inputs):
    """-> rows (n, B, K), and ids (n, B): END where nothing is written."""
    x, lengths = encode(task, inputs)
    if task.shape in ("generation", "translation"):
        return written_by(task, model, read(model.cells[0], x, None, lengths))
    h, _ = states(task, model, x, lengths, None)
    rows = linear(model.W_hy, model.b_y, h)
    if task.shape == "forecasting":
        return rows, rows[0].T
    return rows, rows.argmax(axis=-1)


def written_by(task, model, reading):
    """The model's own writing, fed back to it one id at a time."""
    h, rows = reading[0][-1], []
    cell, told = model.cells[-1], np.full(len(h), GO)
    for k in range(task.writes):
        if task.shape == "translation" or k > 0:
            h = read(cell, np.eye(task.rows)[told][None], h)[0][0]
        rows.append(linear(model.W_hy, model.b_y, h))
        told = rows[-1].argmax(axis=-1)
    rows = np.stack(rows)
    found = rows.argmax(axis=-1)
    if task.shape == "translation":
        ended = np.maximum.accumulate(found == END, axis=0)
        found = np.where(ended, END, found)
    return rows, found


def places(task, T, n):
    """Steps 1 .. at which the n answers to T inputs stand."""
    if task.shape == "classification":
        return [T]
    return list(range(1, T + 1) if task.shape == "labelling" else T + 1 + n)


# --- What was measured ------------------------------------------------------


def changes(task, model, inputs):
    """Blank each input in turn -> answer (n,), bool (T, n): is it another?"""
    T = len(inputs)
    tries = [inputs[:t] + [None] + inputs[t + 1 :] for t in range(T)]
    _, found = answer(task, model, [inputs, *tries])
    moved = found[:, 1:] != found[:, :1]
    if task.shape == "forecasting":
        moved = np.abs(found[:, 1:] - found[:, :1]) > TOLERANCE
    return found[:, 0], moved.T


def measured(task, model, seed):
    """Fresh examples -> share right, flips counted by distance, and more."""
    rng = np.random.default_rng(1000 + seed)
    drawn = [task.draw(rng) for _ in range(TESTED)]
    inputs, targets = zip(*drawn, strict=True)
    _, found = answer(task, model, inputs)
    score = {}
    if task.shape == "forecasting":
        truth, naive = np.array(targets), np.array(inputs)[:, -4:]
        score["error"] = rms(found.T - truth)
        score["naive"] = rms(naive - truth)
    else:
        score["right"] = share_right(found, targets)
    if task.shape == "classification":
        mixed = [rng.permutation(each).tolist() for each in inputs]
        score["shuffled"] = share_right(answer(task, model, mixed)[1], targets)
    flips = {}
    for each in inputs:
        told, moved = changes(task, model, each)
        where = np.array(places(task, len(each), np.arange(len(told))))
        for t, j in zip(*np.nonzero(moved), strict=True):
            lag = int(where[j]) - int(t) - 1
            flips[lag] = flips.get(lag, 0) + 1
    score["flips"] = {str(lag): flips[lag] for lag in sorted(flips)}
    return score


def rms(error):
    return round(float(np.sqrt(np.mean(error**2))), 4)


def share_right(found, targets):
    """Share of sequences answered right from the first id to the last."""
    right = []
    for each, target in zip(found.T, targets, strict=True):
        ends = [END] * (len(each) - len(target))
        right.append(each[: len(target)].tolist() == target)
        if len(found) == TASKS["numbers"].writes:
            right[-1] &= each[len(target) :].tolist() == ends
    return round(float(np.mean(right)), 4)


def study(tell):
    """-> the weights of the first seed, what was measured on every seed."""
    weights, found = {}, {}
    for name, task in TASKS.items():
        found[name] = []
        for seed in SEEDS["reported"]:
            model = trained(task, seed)
            found[name].append(measured(task, model, seed))
            if seed == SEEDS["reported"][0]:
                weights[name] = as_lists(model)
            tell(f"{name}, seed {seed}: {found[name][-1]}")
    return {"weights": weights, "measured": found}


def as_lists(model):
    cells = [
        {name: array.tolist() for name, array in vars(cell).items()}
        for cell in model.cells
    ]
    return {
        "cells": cells,
        "W_hy": model.W_hy.tolist(),
        "b_y": model.b_y.tolist(),
    }


# --- What the lab and the figure show --------------------------------------

EXAMPLES = {  # the first stands in the figure
    "opinion": [
        "few critics called the film and the old music very good",
        "few friends called the film very good",
        "most friends called the film very good",
        "few critics called the film not dull",
        "most people called the ending good , not dull",
        "most people called the ending dull , not good",
        "few people called the long film and the music and the old ending "
        "and the new film not bad",
    ],
    "tags": [
        "the old man left",
        "the old man boats",
        "the old man the boats",
        "the young love left",
        "I love cats",
        "they can fish",
        "the old can man boats",
    ],
    "melody": [
        "G A D E | G C G E |",
        "C A D E | C G D C G C D |",
        "A C G D | A E G E |",
        "C E C E | D A D |",
    ],
    "quarters": [5, 1, 9],  # seeds
    "numbers": [
        "four thousand two",
        "eight thousand three hundred seventeen",
        "two thousand",
        "six hundred forty",
        "nine thousand nine hundred ninety nine",
        "nineteen",
    ],
}
WORDS = {
    "opinion": {"en": OPINION, "zh": OPINION_ZH},
    "tags": {"en": TAGGED, "zh": TAGGED},
    "melody": {"en": NOTES, "zh": NOTES},
    "numbers": {"en": SPELT, "zh": SPELT},
}
ANSWERS = {
    "opinion": {"en": SPLIT("against for"), "zh": SPLIT("反对 赞成")},
    "tags": {"en": TAGS, "zh": TAGS},
    "melody": {"en": NOTES, "zh": NOTES},
    "numbers": {"en": DIGITS, "zh": DIGITS},
}


def results():
    """What the docstring of this module says; "measured" {task: [a seed]}."""
    stored = load_study("task_cards")
    record, tasks = stored["results"], []
    for name, task in TASKS.items():
        weights = record["weights"][name]
        tasks.append(
            {"task": name, "shape": task.shape}
            | ({"writes": task.writes} if task.writes > 1 else {})
            | ({"go": GO, "end": END} if task.shape == "translation" else {})
            | ({"words": WORDS[name]} if name in WORDS else {})
            | ({"answers": ANSWERS[name]} if name in ANSWERS else {})
            | ({} if name in WORDS else {"tolerance": TOLERANCE})
            | weights
            | {"examples": shown(name, task, shown_model(name))}
        )
    return {
        "tasks": tasks,
        "measured": record["measured"],
        "cpu_seconds": stored["cpu_seconds"],
    }


def from_lists(weights):
    cells = [
        GRUParams(*(np.array(array) for array in cell.values()))
        for cell in weights["cells"]
    ]
    return Model(cells, np.array(weights["W_hy"]), np.array(weights["b_y"]))


@functools.cache
def shown_model(name):
    """The model of one task whose weights the lab has."""
    record = load_study("task_cards")["results"]
    return from_lists(record["weights"][name])


def ask(name, text):
    """Words, _ where one is blank -> the answer of the task's model."""
    inputs = ids(WORDS[name]["en"], text.split())
    _, told = answer(TASKS[name], shown_model(name), [inputs])
    names = [ANSWERS[name]["en"][i] for i in told[:, 0]]
    return " ".join(name for name in names if name != "end")


def shown(name, task, model):
    """Each example of a task once -> what the lab knows about it."""
    found = {}
    for example in EXAMPLES[name]:
        if name in WORDS:
            inputs = ids(WORDS[name]["en"], example.split())
        else:
            inputs = task.draw(np.random.default_rng(example))[0]
        rows, _ = answer(task, model, [inputs])
        told, moved = changes(task, model, inputs)
        kept = told != END if task.shape == "translation" else told == told
        n = int(np.sum(kept))
        last = min(n + 1, len(rows)) if task.shape == "translation" else n
        rows = rows[:, 0] if name in WORDS else rows[0]
        found[example] = {
            "inputs": inputs,
            "rows": np.round(rows[:last], 12).tolist(),
            "answer": np.round(told[kept], 12).tolist(),
            "places": np.array(
                places(task, len(inputs), np.arange(n))
            ).tolist(),
            "changes": np.argwhere(moved[:, : n + 1]).tolist(),
        }
    return list(found.values())


# --- The figure ------------------------------------------------------------

NAMES = {"translation": "sequence to sequence"}
SIZE, PAD, GAP = 9.5, 4, 5  # points: of the letters, in a box, between boxes
HEIGHTS = {
    "opinion": 84,
    "tags": 84,
    "melody": 86,
    "quarters": 106,
    "numbers": 86,
}


def figure():
    """A strip a task: inputs, answers, and an arc for every change."""
    width = palette.size()[0] * 72
    heights = HEIGHTS | ({"opinion": 108} if palette.narrow else {})
    height = sum(heights.values())
    fig = plt.figure(figsize=(width / 72, height / 72), layout="none")
    ax = fig.add_axes([0, 0, 1, 1], xlim=(0, width), ylim=(0, height))
    ax.axis("off")
    top = height
    for task in results()["tasks"]:
        floor = top - heights[task["task"]] + 12
        strip(ax, task, task["examples"][0], floor, width)
        shape = NAMES.get(task["shape"], task["shape"])
        look = {"color": colour("muted"), "fontsize": SIZE}
        ax.text(2, top - 14, shape, **look)
        top -= heights[task["task"]]
    return fig


def strip(ax, task, shown, floor, width):
    """One task, its last row of boxes on the floor."""
    touched = {t for t, _ in shown["changes"]}
    if "words" not in task:
        return series(ax, shown, touched, floor, width)
    words = [task["words"]["en"][i] for i in shown["inputs"]]
    names = [task["answers"]["en"][i] for i in shown["answer"]]
    if task["shape"] == "labelling":
        return two_rows(ax, words, names, shown, floor)
    wide = [extent(word) + 2 * PAD + GAP for word in words]
    ends = sum(extent(name) + 2 * PAD + GAP for name in names) + 17
    first = len(words)  # of these words the first line is made
    if sum(wide) + ends > width:
        first = next(
            n for n in range(len(wide), 0, -1) if sum(wide[:n]) < width
        )
    y = [floor + 32 * (t < first < len(words)) for t in range(len(words))]
    x, starts = 2, []
    for t, word in enumerate(words):
        x = 2 if t == first else x
        starts.append(box(ax, x, y[t], word, "x", t in touched))
        x += wide[t]
    ax.text(x + 1, floor, "→", color=colour("muted"), fontsize=SIZE)
    x, ends = x + 17, []
    for name in names:
        ends.append(box(ax, x, floor, name, "show"))
        x += extent(name) + 2 * PAD + GAP
    for t, j in shown["changes"]:
        if y[t] > floor:  # round the end of the first line
            around(ax, starts[t], y[t] + 12, x - GAP, floor + 4, width - 6)
        elif j < len(ends):
            most = 14 if first < len(words) else 54
            arc(ax, (starts[t], floor + 12), (ends[j], floor + 12), most)


def series(ax, shown, touched, floor, width):
    """The forecast: sixteen values and four, as points on a line."""
    values = np.array([*shown["inputs"], *shown["answer"]])
    low, high = values.min(), values.max()
    y = floor + 46 * (values - low) / (high - low)
    x = np.linspace(12, min(width - 14, 400), len(values))
    T = len(shown["inputs"])
    ax.plot(x[:T], y[:T], **line("x"))
    ax.plot(x[T - 1 :], y[T - 1 :], **line("show") | {"linewidth": 1.2})
    for t in range(len(values)):
        mark = "keep" if t in touched else "x" if t < T else "show"
        size = 6.5 if t in touched else 4
        ax.plot(
            x[t], y[t], "s" if t >= T else "o", color=colour(mark), ms=size
        )
    for t, j in shown["changes"]:
        arc(ax, (x[t], y[t] + 5), (x[T + j], y[T + j] + 5), 40)


def two_rows(ax, words, names, shown, floor):
    """Labels stand above their words."""
    x, up = 2, 34
    touched, tops = {t for t, _ in shown["changes"]}, []
    for t, (word, name) in enumerate(zip(words, names, strict=True)):
        wide = max(extent(word), extent(name))
        box(ax, x, floor, word, "x", t in touched, wide)
        tops.append(box(ax, x, floor + up, name, "show", False, wide))
        x += wide + 2 * PAD + GAP + 8
    for t, j in shown["changes"]:
        ends = [tops[t], tops[j]], [floor + 12, floor + up - 5]
        ax.plot(*ends, **line("keep") | {"linewidth": 1.3})


def extent(text):
    """Width of a text in points."""
    return TextPath((0, 0), text, size=SIZE).get_extents().width


def box(ax, x, y, text, quantity, touched=False, wide=None):
    """A token whose box begins at x -> the middle of it."""
    wide = wide or extent(text)
    shade = colour("keep" if touched else quantity)
    style = "round,pad=0,rounding_size=3"
    look = {"edgecolor": shade, "linewidth": 2.0 if touched else 0.8}
    ax.add_patch(
        FancyBboxPatch(
            (x, y - 4), wide + 2 * PAD, 15, style, facecolor="none", **look
        )
    )
    middle = x + PAD + wide / 2
    ax.text(middle, y, text, ha="center", color=shade, fontsize=SIZE)
    return middle


def arc(ax, start, end, most):
    """From an input over what lies between to the answer it changes."""
    high = max(start[1], end[1]) + min(12 + 0.14 * (end[0] - start[0]), most)
    points = [start, (start[0], high), (end[0], high), end]
    dashed(ax, Path(points, [Path.MOVETO] + 3 * [Path.CURVE4]))


def around(ax, x, y, right, floor, edge):
    """From an input over its line, round the edge, back to the answer."""
    points = [(x, y), (x, y + 12), (edge, y + 12), (edge, floor)]
    dashed(ax, Path([*points, (right, floor)]))


def dashed(ax, path):
    look = {"edgecolor": colour("keep"), "linewidth": 1.3, "linestyle": "--"}
    ax.add_patch(PathPatch(path, facecolor="none", **look))
