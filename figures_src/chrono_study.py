"""How an LSTM's first gate biases decide what it learns to bring along.

For docs/carousel.md. A study: `make studies` runs it, and figure() and
results() read what it wrote. Two tasks of a hundred steps: a symbol seen at
the first step alone ("one lag"), and two symbols, one from the first step
and one from five steps before the end ("two lags"). Every network gets the
same training; only the biases of forget and input gate differ at the start.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from bookproof.run.studies import load_study
from figures_src import palette
from figures_src.recall_study import summary
from seqbook.tasks import NOISE, SYMBOLS, delayed_recall
from seqbook.torch_models import (
    LastStepClassifier,
    seeded,
    set_gate_bias,
    train_until,
)

H, B, T, NEAR, LIMIT, GOAL = 32, 64, 100, 5, 800, 0.99
SEEDS = {"reported": list(range(10))}
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


def run(start, task, seed):
    """Train one model -> a dictionary of what happened."""
    symbols = TASKS[task]
    model = seeded(seed, lambda: build(start, symbols, seed))
    rng = np.random.default_rng(seed)

    def draw(size):
        if symbols == 1:
            return delayed_recall(rng, size, T)
        return two_lags(rng, size)

    started = time.process_time()
    iterations, reached = train_until(model, draw, GOAL, LIMIT, B)
    return {
        "seed": seed,
        "solved": reached >= GOAL,
        "iterations": iterations,
        "accuracy": round(reached, 4),
        "seconds": round(time.process_time() - started, 2),
    }


def study(tell):
    """-> {task: {start: runs}}, on one thread; tell gets a line a run."""
    torch.set_num_threads(1)
    found = {task: {start: [] for start in STARTS} for task in TASKS}
    for task in TASKS:
        for start in STARTS:
            for seed in SEEDS["reported"]:
                found[task][start].append(run(start, task, seed))
                tell(f"{task}, {start}: {found[task][start][-1]}")
    return found


def results():
    """{task: {start: summary}} of the last study, and its seconds."""
    found = load_study("chrono_study")["results"]
    return {
        task: {start: summary(runs) for start, runs in starts.items()}
        for task, starts in found.items()
    }


NEVER = 1500  # where a seed that did not learn is drawn
LABELS = {
    "b_f = 1": "$b_f = 1$",
    "b_f = log 99": "$b_f = \\log 99$",
    "b_f spread": "$b_f$ spread, to 100",
    "b_f = log 99, b_i = -b_f": "$b_f = \\log 99 = -b_i$",
    "chrono": "chrono, to 100",
    "chrono, scales up to 20": "chrono, to 20",
    "chrono, scales up to 1000": "chrono, to 1000",
}


def figure():
    """One panel a task, one row a start: every seed, and the median."""
    tasks = load_study("chrono_study")["results"]
    shape, height = (1, 2), 3.4
    if palette.narrow:
        shape, height = (2, 1), 7
    fig, axes = plt.subplots(
        *shape, figsize=palette.size(height), sharex=True, sharey=True
    )
    for ax, (task, starts) in zip(axes, tasks.items(), strict=True):
        for y, (start, runs) in enumerate(starts.items()):
            mark_seeds(ax, y, STARTS[start][2], runs)
        ax.axvspan(1000, 2200, color=palette.colour("x"), alpha=0.12, lw=0)
        ax.annotate(task, (0.5, 1.02), xycoords="axes fraction", ha="center")
        if ax is axes[-1] or not palette.narrow:
            ax.set(xlabel="iterations (log scale)")
    ticks = {30: "30", 100: "100", 300: "300", NEVER: f"> {LIMIT}"}
    axes[0].set(xscale="log", xlim=(25, 2200))
    axes[0].set_xticks(list(ticks), ticks.values())
    axes[0].set_xticks([], minor=True)
    axes[0].set_yticks(range(len(STARTS)), [LABELS[n] for n in STARTS])
    axes[0].invert_yaxis()
    return fig


def mark_seeds(ax, y, tied, runs):
    """One row; filled squares where the input gate starts at 1 - f."""
    shade = palette.colour("c")
    x = [run["iterations"] if run["solved"] else NEVER for run in runs]
    spread = y + np.linspace(-0.28, 0.28, len(x))
    style = {"color": shade, "ms": 4, "mfc": shade if tied else "none"}
    ax.plot(x, spread, "s", alpha=0.6, **style)
    ax.vlines(np.median(x), y - 0.38, y + 0.38, color=shade, lw=2)
