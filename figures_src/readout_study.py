"""Last state, mean or maximum: which readout finds a far word?

For docs/en/rnn.md. The reviews of unroll.py, twenty-five steps each, with the
verdict either at once or at the end, far from the thing it is about. A study:
`make studies` runs it, and figure() and results() read what it wrote.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from bookproof.run.studies import load_study
from figures_src import palette
from figures_src.palette import colour
from figures_src.unroll import WORDS, early, late, reviews
from seqbook.batching import masked_mean, masked_mean_backward
from seqbook.convolution import max_over_time, max_over_time_backward
from seqbook.functional import (
    linear,
    linear_backward,
    mean_cross_entropy_backward,
)
from seqbook.gradients import clip_global_norm, orthogonal
from seqbook.optim import adam_init, adam_step
from seqbook.rnn import init_rnn, rnn_backward, rnn_forward

SEEDS = [0, 1, 2, 3, 4]
H, B, LIMIT, GOAL, RATE = 32, 64, 1500, 0.99, 3e-3
TASKS = {"early": early(4), "late": late(4)}
READOUTS = "last", "mean", "max"
STARTS = "default", "orthogonal", "cut"  # cut: W_hh is zero and stays zero


def read_out(readout, h):
    """h (T, B, H) -> one state a review (B, H), and its backward."""
    mask = np.ones(h.shape[:2], bool)
    if readout == "mean":
        return masked_mean(h, mask), lambda d: masked_mean_backward(d, mask)
    if readout == "max":
        top, won = max_over_time(h)
        return top, lambda d: max_over_time_backward(d, won)
    last = np.arange(len(h))[:, None, None] == len(h) - 1
    return h[-1], lambda d: np.where(last, d, 0)


def init(rng, start, learned):
    """-> [cell, W_hy (2, H), b_y (2,)], and h_0 (H,) if it is learned."""
    cell = init_rnn(rng, len(WORDS), H)
    W_hy = rng.uniform(-1, 1, (2, H)) / np.sqrt(H)
    if start != "default":
        cell.W_hh = orthogonal(rng, H) * (start != "cut")
    return [cell, W_hy, np.zeros(2)] + [np.zeros(H)] * learned


def forward(p, ids, readout):
    """-> logits (B, 2), all that the backward needs."""
    cell, W_hy, b_y, *h_0 = p
    start = np.zeros((ids.shape[1], H)) + (h_0[0] if h_0 else 0)
    h, cache = rnn_forward(cell, np.eye(len(WORDS))[ids], start)
    summary, back = read_out(readout, h)
    return linear(W_hy, b_y, summary), (cache, summary, back)


def gradient(p, ids, praise, readout):
    """Of the mean cross-entropy -> list like p."""
    cell, W_hy, _, *h_0 = p
    logits, (cache, summary, back) = forward(p, ids, readout)
    dlogits = mean_cross_entropy_backward(logits, praise)
    dsummary, dW_hy, db_y = linear_backward(W_hy, summary, dlogits)
    _, dh_0, dcell = rnn_backward(cell, back(dsummary), cache)
    dcell.W_hh *= cell.W_hh.any()  # cut stays cut
    return [dcell, dW_hy, db_y] + [dh_0.sum(axis=0)] * len(h_0)


def accuracy(p, ids, praise, readout):
    right = forward(p, ids, readout)[0].argmax(axis=1) == praise
    return float(np.mean(right))


def run(task, readout, start, seed, learned=False):
    """Train one model -> a dictionary of what happened."""
    rng = np.random.default_rng(seed)
    p, slots = init(rng, start, learned), TASKS[task]
    state, started = adam_init(p), time.process_time()
    for iteration in range(1, LIMIT + 1):
        batch = reviews(rng, B, slots)
        grads, _ = clip_global_norm(gradient(p, *batch, readout), 1.0)
        p, state = adam_step(p, grads, state, RATE)
        if iteration % 10 == 0:
            reached = accuracy(p, *reviews(rng, 256, slots), readout)
            if reached >= GOAL:
                break
    return {
        "seed": seed,
        "solved": reached >= GOAL,
        "iterations": iteration,
        "accuracy": round(reached, 4),
        "seconds": round(time.process_time() - started, 2),
    }


def study(tell):
    """-> {task: {"readout, start": runs}}; "last" also with a learned h_0."""
    found = {}
    for task in TASKS:
        rows = found[task] = {}
        for readout in READOUTS:
            for start in STARTS:
                plain = readout != "last" or start == "cut"
                cases = [False] if plain else [False, True]
                for learned in cases:
                    name = f"{readout}, {start}" + ", h_0 learned" * learned
                    rows[name] = [
                        run(task, readout, start, seed, learned)
                        for seed in SEEDS
                    ]
                    tell(f"{task}, {name}: {rows[name]}")
    return found


def results():
    """{task: {row: solved of five, and iterations of those that did}}."""
    return {
        task: {
            name: {
                "solved": sum(run["solved"] for run in runs),
                "of": len(runs),
                "iterations": [r["iterations"] for r in runs if r["solved"]],
                "accuracy": [run["accuracy"] for run in runs],
            }
            for name, runs in rows.items()
        }
        for task, rows in load_study("readout_study")["results"].items()
    }


NEVER = 3200  # where a seed that did not learn is drawn
LOOKS = {"last": ("h", "o"), "mean": ("keep", "s"), "max": ("write", "^")}
LABELS = {"cut": "$W_{hh} = 0$"}


def figure():
    """A panel a task, a row a readout and start: every seed, the median."""
    found = load_study("readout_study")["results"]
    shape, height = (1, 2), 3.4
    if palette.narrow:
        shape, height = (2, 1), 7
    fig, axes = plt.subplots(
        *shape, figsize=palette.size(height), sharex=True, sharey=True
    )
    names = [f"{r}, {start}" for r in READOUTS for start in STARTS]
    for ax, (task, rows) in zip(axes, found.items(), strict=True):
        for y, name in enumerate(names):
            quantity, marker = LOOKS[name.partition(",")[0]]
            shade = colour(quantity)
            x = [r["iterations"] if r["solved"] else NEVER for r in rows[name]]
            at = y + np.linspace(-0.22, 0.22, len(x))
            ax.plot(x, at, marker, color=shade, alpha=0.6, ms=4.5, mew=0)
            ax.vlines(np.median(x), y - 0.34, y + 0.34, color=shade, lw=2)
        ax.axvspan(2000, 5000, color=colour("x"), alpha=0.12, lw=0)
        place = "at once" if task == "early" else "at the end"
        ax.annotate(
            f"verdict {place}",
            (0.5, 1.02),
            xycoords="axes fraction",
            ha="center",
        )
        if ax is axes[-1] or not palette.narrow:
            ax.set(xlabel="iterations (log scale)")
    ticks = {10: "10", 100: "100", 1000: "1000", NEVER: "never"}
    axes[0].set(xscale="log", xlim=(8, 5000))
    axes[0].set_xticks(list(ticks), ticks.values())
    axes[0].set_xticks([], minor=True)
    labels = [f"{r}, {LABELS.get(s, s)}" for r in READOUTS for s in STARTS]
    axes[0].set_yticks(range(len(names)), labels)
    axes[0].invert_yaxis()
    return fig
