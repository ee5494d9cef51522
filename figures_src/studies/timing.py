"""How long one training step of each cell takes in PyTorch.

A timing belongs to the machine that it was taken on: the record says which.
Nothing in the book asserts these numbers.
"""

import time

import torch

from bookproof.run.records import crossed

T, B, D, REPEATS = 50, 32, 128, 40
UNITS = [32, 256]
CELLS = {"RNN": torch.nn.RNN, "GRU": torch.nn.GRU, "LSTM": torch.nn.LSTM}
TIMES = ["milliseconds"]


def jobs(done):
    return crossed(H=UNITS, seed=0)


def run(H, seed):
    """-> {cell: milliseconds of REPEATS steps, the cells in turn}."""
    torch.manual_seed(seed)
    x = torch.randn(T, B, D)
    cells = {name: make(D, H) for name, make in CELLS.items()}
    times = {name: [] for name in CELLS}
    for _ in range(REPEATS):  # in turn, so that noise hits all alike
        for name, cell in cells.items():
            times[name].append(round(1e3 * one_step(cell, x), 3))
    return {"milliseconds": times}


def one_step(cell, x):
    """Seconds of one forward and backward pass."""
    started = time.perf_counter()
    cell(x)[0].square().sum().backward()
    return time.perf_counter() - started
