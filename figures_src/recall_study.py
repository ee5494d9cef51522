"""Which cell still remembers after T steps, its memory tuned or not.

For docs/lstm.md, docs/vanishing_gradients.md. A study: `make studies` runs
it, and figure() and results() read what it wrote. Every cell gets the same
training and the same search: five values of the one number that sets how
long it remembers, tried on seeds of their own and chosen for each T.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from bookproof.run.studies import load_study
from figures_src import palette
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
STEPS = 20, 50, 100  # T
SEEDS = {"reported": [0, 1, 2, 3, 4], "tuning": [100, 101, 102, 103, 104]}
GRIDS = {
    "RNN": [1.0, 1.1, 1.2, 1.3, 1.4],  # W_hh = this times an orthogonal one
    "LSTM": [1.0, 3.0, 5.0, 7.0, 9.0],  # b_f
    "GRU": [-1.0, -3.0, -5.0, -7.0, -9.0],  # b_z, negative remembers
}
ROWS = {  # name: cell, memory; None is torch's default, "tuned" is from GRIDS
    "RNN": ("RNN", None),
    "RNN orthogonal": ("RNN", 1.0),
    "RNN tuned": ("RNN", "tuned"),
    "LSTM": ("LSTM", None),
    "LSTM b_f = 1": ("LSTM", 1.0),
    "LSTM tuned": ("LSTM", "tuned"),
    "GRU": ("GRU", None),
    "GRU tuned": ("GRU", "tuned"),
}


def build(kind, memory, seed):
    """A fresh model; `memory` sets how long its cell remembers at first."""
    cells = {"RNN": nn.RNN, "LSTM": nn.LSTM, "GRU": nn.GRU}
    cell = cells[kind](SYMBOLS + NOISE, H)
    if memory is not None and kind == "RNN":
        set_orthogonal(cell, memory, torch.Generator().manual_seed(seed))
    elif memory is not None and kind == "LSTM":
        set_forget_bias(cell, memory)
    elif memory is not None:
        set_update_bias(cell, memory)
    return LastStepClassifier(cell, SYMBOLS)


def run(kind, memory, T, seed):
    """Train one model -> a dictionary of what happened."""
    model = seeded(seed, lambda: build(kind, memory, seed))
    rng = np.random.default_rng(seed)

    def draw(size):
        return delayed_recall(rng, size, T)

    started = time.process_time()
    iterations, reached = train_until(model, draw, GOAL, LIMIT, B)
    return {
        "seed": seed,
        "solved": reached >= GOAL,
        "iterations": iterations,
        "accuracy": round(reached, 4),
        "seconds": round(time.process_time() - started, 2),
    }


def chosen(trials):
    """{memory: runs} -> the memory solved most often, then fastest."""

    def merit(memory):
        runs = trials[memory]
        solved = sum(run["solved"] for run in runs)
        return solved, -sum(run["iterations"] for run in runs)

    return max(trials, key=merit)


def study(tell):
    """-> "rows" {row: {T: its memory and runs}}, "tuning" {cell: {T: runs}}.

    On one thread; `tell` is called with a line for every run.
    """
    torch.set_num_threads(1)
    jobs = sum(map(len, GRIDS.values())) * len(SEEDS["tuning"])
    left = [len(STEPS) * (jobs + len(ROWS) * len(SEEDS["reported"]))]

    def runs(kind, memory, T, seeds):
        done = []
        for seed in seeds:
            done.append(run(kind, memory, T, seed))
            left[0] -= 1
            tell(f"T {T}, {kind}, {memory}: {done[-1]}; {left[0]} runs left")
        return done

    tuning = {kind: {} for kind in GRIDS}
    rows = {name: {} for name in ROWS}
    for T in STEPS:
        best = {}
        for kind, grid in GRIDS.items():
            trials = {m: runs(kind, m, T, SEEDS["tuning"]) for m in grid}
            tuning[kind][T], best[kind] = trials, chosen(trials)
        for name, (kind, memory) in ROWS.items():
            memory = best[kind] if memory == "tuned" else memory
            done = runs(kind, memory, T, SEEDS["reported"])
            rows[name][T] = {"memory": memory, "runs": done}
    return {"rows": rows, "tuning": tuning}


def summary(runs):
    """Runs of one row and T -> how often, how soon, how well."""
    solved = [run["iterations"] for run in runs if run["solved"]]
    reached = [run["accuracy"] for run in runs]
    return {
        "solved": len(solved),
        "of": len(runs),
        "median": float(np.median(solved)) if solved else None,
        "fastest": min(solved, default=None),
        "slowest": max(solved, default=None),
        "lowest": min(reached),
        "highest": max(reached),
    }


def results():
    """{row: {T: summary, and the memory it was given}} of the last study."""
    rows = load_study("recall_study")["results"]["rows"]
    return {
        name: {
            int(T): {"memory": cell["memory"], **summary(cell["runs"])}
            for T, cell in columns.items()
        }
        for name, columns in rows.items()
    }


def search_results():
    """{cell: {T: {memory: summary}}} of the search, on its own seeds."""
    cells = load_study("recall_study")["results"]["tuning"]
    return {
        kind: {
            int(T): {float(m): summary(runs) for m, runs in trials.items()}
            for T, trials in columns.items()
        }
        for kind, columns in cells.items()
    }


def figure():
    """One panel a T, one row a cell: every seed, and the median of all."""
    rows = load_study("recall_study")["results"]["rows"]
    shape, height = (1, len(STEPS)), 3.2
    if palette.narrow:  # on a phone the panels stand below each other
        shape, height = shape[::-1], 9
    fig, axes = plt.subplots(
        *shape, figsize=palette.size(height), sharex=True, sharey=True
    )
    for ax, T in zip(axes, STEPS, strict=True):
        for y, name in enumerate(ROWS):
            mark_seeds(ax, y, name, rows[name][str(T)])
        ax.axvspan(2000, 5000, color=palette.colour("x"), alpha=0.12, lw=0)
        ax.annotate(
            f"$T = {T}$", (0.5, 1.02), xycoords="axes fraction", ha="center"
        )
        if ax is axes[-1] or not palette.narrow:
            ax.set(xlabel="iterations (log scale)")
    ticks = {30: "30", 100: "100", 300: "300", NEVER: f"> {LIMIT}"}
    axes[0].set(xscale="log", xlim=(15, 5000))
    axes[0].set_xticks(list(ticks), ticks.values())
    axes[0].set_xticks([], minor=True)
    axes[0].set_yticks(range(len(ROWS)), [LABELS.get(n, n) for n in ROWS])
    axes[0].invert_yaxis()
    return fig


NEVER = 3200  # where a seed that did not learn is drawn
LABELS = {
    "RNN orthogonal": r"RNN, $W_{hh} = Q$",
    "RNN tuned": r"RNN, $W_{hh} = sQ$",
    "LSTM b_f = 1": r"LSTM, $b_f = 1$",
    "LSTM tuned": r"LSTM, $b_f$ tuned",
    "GRU tuned": r"GRU, $b_z$ tuned",
}
LOOKS = {  # quantity whose colour it has, marker, symbol of its memory
    "RNN": ("h", "o", "s"),
    "LSTM": ("c", "s", "b_f"),
    "GRU": ("write", "^", "b_z"),
}


def mark_seeds(ax, y, name, column):
    """One row of one panel; the tuned value stands beside its seeds."""
    kind, kept = ROWS[name]
    quantity, marker, symbol = LOOKS[kind]
    shade = palette.colour(quantity)
    x = [r["iterations"] if r["solved"] else NEVER for r in column["runs"]]
    spread = y + np.linspace(-0.25, 0.25, len(x))
    ax.plot(x, spread, marker, color=shade, alpha=0.5, ms=4, mew=0)
    ax.vlines(np.median(x), y - 0.36, y + 0.36, color=shade, lw=2)
    if kept == "tuned":
        learned = [u for u in x if u < NEVER] or [20]
        right = max(learned) < 300
        ax.annotate(
            f"${symbol} = {column['memory']:g}$",
            (max(learned) if right else min(learned), y),
            (6 if right else -6, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            fontsize=9.5,
            color=shade,
        )
