"""Five small models, one a shape, with the library's GRU and its backward.

figures_src/sequences/task_cards.py says in words what each computes.
"""

from dataclasses import dataclass

import numpy as np

from figures_src.studies.cards.tasks import END, GO
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

B, LR = 64, 1e-2


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


def from_lists(weights):
    """What as_lists gave -> Model."""
    cells = [
        GRUParams(*(np.array(array) for array in cell.values()))
        for cell in weights["cells"]
    ]
    return Model(cells, np.array(weights["W_hy"]), np.array(weights["b_y"]))
