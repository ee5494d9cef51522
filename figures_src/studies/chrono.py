"""How an LSTM's first gate biases decide what it learns to bring along.

Two tasks of a hundred steps: a symbol seen at the first step alone ("one
lag"), and two symbols, one from the first step and one from five steps
before the end ("two lags"). Every network gets the same training; only the
biases of forget and input gate differ at the start.
"""

import numpy as np
import torch
from torch import nn

from bookproof.run.records import crossed
from seqbook.tasks import NOISE, SYMBOLS, delayed_recall
from seqbook.torch_models import (
    LastStepClassifier,
    seeded,
    set_gate_bias,
    train_until,
)

H, B, T, NEAR, LIMIT, GOAL = 32, 64, 100, 5, 800, 0.99
SEEDS = list(range(10))
TASKS = {"one lag": 1, "two lags": 2}  # symbols to bring along
STARTS = {  # name: longest time scale, spread over the units?, b_i = -b_f?
    "b_f = 1": (None, False, False),
    "b_f = log 99": (100, False, False),
    "b_f spread": (100, True, False),
    "b_f = log 99, b_i = -b_f": (100, False, True),
    "chrono": (100, True, True),
    "chrono, scales up to 20": (20, True, True),
    "chrono, scales up to 1000": (1000, True, True),
}


def jobs(done):
    return crossed(task=[*TASKS], start=[*STARTS], seed=SEEDS)


def run(task, start, seed):
    symbols = TASKS[task]
    model = seeded(seed, lambda: build(start, symbols, seed))
    rng = np.random.default_rng(seed)

    def draw(size):
        if symbols == 1:
            return delayed_recall(rng, size, T)
        return two_lags(rng, size)

    iterations, reached = train_until(model, draw, GOAL, LIMIT, B)
    return {
        "solved": reached >= GOAL,
        "iterations": iterations,
        "accuracy": round(reached, 4),
    }


def two_lags(rng, B):
    """-> ids (T, B) int, targets (B,) int, 0 to 15: 4 * far + near.

    Ids 0..3 at the first step, 4..7 at NEAR steps before the end, noise
    8..11 everywhere else.
    """
    far, near = rng.integers(SYMBOLS, size=(2, B))
    ids = 2 * SYMBOLS + rng.integers(NOISE, size=(T, B))
    ids[0], ids[T - NEAR] = far, SYMBOLS + near
    return ids, SYMBOLS * far + near


def build(start, symbols, seed):
    """A fresh model whose gates have the biases of this start."""
    longest, spread, tied = STARTS[start]
    cell = nn.LSTM(symbols * SYMBOLS + NOISE, H)
    b_f = torch.ones(H)
    if longest is not None:
        u = np.random.default_rng(seed).uniform(1, longest - 1, H)
        scales = u if spread else np.full(H, longest - 1)
        b_f = torch.tensor(np.log(scales), dtype=torch.float32)
    set_gate_bias(cell, 1, b_f)  # i | f | g | o
    if tied:
        set_gate_bias(cell, 0, -b_f)
    return LastStepClassifier(cell, SYMBOLS**symbols)
