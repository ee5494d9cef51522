"""How long one training step of each cell takes in PyTorch. For docs/gru.md.

A study, since a timing belongs to the machine it was taken on: the JSON
beside this file says which. Nothing in the book asserts these numbers.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import torch

from bookproof.run.studies import load_study
from figures_src.palette import colour, size

SEEDS = {"reported": [0]}
T, B, D, REPEATS = 50, 32, 128, 40
UNITS = 32, 256
CELLS = {"RNN": torch.nn.RNN, "GRU": torch.nn.GRU, "LSTM": torch.nn.LSTM}


def one_step(cell, x):
    """Seconds of one forward and backward pass."""
    started = time.perf_counter()
    cell(x)[0].square().sum().backward()
    return time.perf_counter() - started


def study(tell):
    """-> {units: {cell: milliseconds of REPEATS interleaved steps}}."""
    torch.set_num_threads(1)
    found = {}
    for H in UNITS:
        torch.manual_seed(SEEDS["reported"][0])
        x = torch.randn(T, B, D)
        cells = {name: make(D, H) for name, make in CELLS.items()}
        times = {name: [] for name in CELLS}
        for _ in range(REPEATS):  # in turn, so that noise hits all alike
            for name, cell in cells.items():
                times[name].append(round(1e3 * one_step(cell, x), 3))
        found[str(H)] = times
        tell(f"H {H}: done")
    return found


def results():
    """Median milliseconds per cell and size, and the machine."""
    record = load_study("timing_study")
    medians = {
        H: {name: float(np.median(ms)) for name, ms in times.items()}
        for H, times in record["results"].items()
    }
    return {"milliseconds": medians, "machine": record["machine"]}


def figure():
    fig, ax = plt.subplots(figsize=size(2.4))
    quantities = {"RNN": "h", "GRU": "write", "LSTM": "c"}
    hatches = {"RNN": "", "GRU": "//", "LSTM": "xx"}
    for i, (H, times) in enumerate(results()["milliseconds"].items()):
        for j, (name, ms) in enumerate(times.items()):
            y = i * 4 + j
            ax.barh(
                y,
                ms,
                color=colour(quantities[name]),
                height=0.8,
                hatch=hatches[name],
                edgecolor=colour("paper"),
            )
            ax.text(ms, y, f" {name}, $H = {H}$", va="center", fontsize=9.5)
    ax.set(xlabel="milliseconds for one training step", yticks=[])
    ax.set_xlim(0, 1.35 * ax.get_xlim()[1])
    return fig
