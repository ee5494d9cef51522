"""Five small models, one a task shape, and what a blanked-out input changes.

They are trained with the library's own GRU, backward pass and Adam. Then
five hundred fresh examples are read, every input blanked once, and every
changed answer counted by its distance from the input.
"""

import numpy as np

from bookproof.run.records import crossed
from figures_src.studies.cards.models import answer, as_lists, places, trained
from figures_src.studies.cards.tasks import END, TASKS, TOLERANCE

TESTED = 500
SEEDS = [0, 1, 2, 3, 4]  # the lab has the weights of the first


def jobs(done):
    return crossed(row=[*TASKS], seed=SEEDS)


def run(row, seed):
    """-> what was measured, and of the first seed also the weights."""
    model = trained(TASKS[row], seed)
    found = measured(TASKS[row], model, seed)
    if seed == SEEDS[0]:
        found["weights"] = as_lists(model)
    return found


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
