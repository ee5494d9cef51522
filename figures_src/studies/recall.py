"""Which cell still remembers after T steps, its memory tuned or not.

Every cell gets the same training and the same search: five values of the one
number that sets how long it remembers, tried on seeds of their own and
chosen for each T.
"""

import numpy as np
import torch
from torch import nn

from bookproof.run.records import crossed, select
from seqbook.tasks import NOISE, SYMBOLS, delayed_recall
from seqbook.torch_models import (
    LastStepClassifier,
    seeded,
    set_forget_bias,
    set_orthogonal,
    set_update_bias,
    train_until,
)

H, B, LIMIT, GOAL = 32, 64, 1500, 0.99
STEPS = [20, 50, 100]  # T
SEEDS, TUNING = [0, 1, 2, 3, 4], [100, 101, 102, 103, 104]
CELLS = {"RNN": nn.RNN, "LSTM": nn.LSTM, "GRU": nn.GRU}
GRIDS = {
    "RNN": [1.0, 1.1, 1.2, 1.3, 1.4],  # W_hh = this times an orthogonal one
    "LSTM": [1.0, 3.0, 5.0, 7.0, 9.0],  # b_f
    "GRU": [-1.0, -3.0, -5.0, -7.0, -9.0],  # b_z, negative remembers
}
UNTUNED = {"RNN": [None, 1.0], "LSTM": [None, 1.0], "GRU": [None]}


def jobs(done):
    for T in STEPS:
        for cell, grid in GRIDS.items():
            yield from crossed(cell=cell, memory=grid, T=T, seed=TUNING)
            memories = UNTUNED[cell] + tuned(done, cell, T)
            yield from crossed(cell=cell, memory=memories, T=T, seed=SEEDS)


def run(cell, memory, T, seed):
    """Train one model; a memory of None is torch's default."""
    model = seeded(seed, lambda: build(cell, memory, seed))
    rng = np.random.default_rng(seed)

    def draw(size):
        return delayed_recall(rng, size, T)

    iterations, reached = train_until(model, draw, GOAL, LIMIT, B)
    return {
        "solved": reached >= GOAL,
        "iterations": iterations,
        "accuracy": round(reached, 4),
    }


def build(kind, memory, seed):
    """A fresh model; `memory` sets how long its cell remembers at first."""
    cell = CELLS[kind](SYMBOLS + NOISE, H)
    if memory is not None and kind == "RNN":
        set_orthogonal(cell, memory, torch.Generator().manual_seed(seed))
    elif memory is not None and kind == "LSTM":
        set_forget_bias(cell, memory)
    elif memory is not None:
        set_update_bias(cell, memory)
    return LastStepClassifier(cell, SYMBOLS)


def tuned(done, cell, T):
    """-> [memory solved most often, then fastest], [] before all are tried."""

    def merit(memory):
        tries = trials[memory]
        solved = sum(run["solved"] for run in tries)
        return solved, -sum(run["iterations"] for run in tries)

    trials = {
        memory: select(done, cell=cell, memory=memory, T=T, seed=TUNING)
        for memory in GRIDS[cell]
    }
    complete = all(len(tries) == len(TUNING) for tries in trials.values())
    return [max(trials, key=merit)] if complete else []
