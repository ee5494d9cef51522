"""Last state, mean or maximum: which readout finds a far word?

The reviews of studies/unroll.py, twenty-five steps each, with the verdict
either at once or at the end, far from the thing it is about.
"""

import numpy as np

from bookproof.run.records import crossed
from figures_src.studies.unroll import WORDS, early, late, reviews
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
READOUTS = ["last", "mean", "max"]
STARTS = ["default", "orthogonal", "cut"]  # cut: W_hh is and stays zero


def jobs(done):
    """Where h_0 may matter, when the last state is read, also learned."""
    for task in TASKS:
        for row in crossed(readout=READOUTS, start=STARTS):
            both = row["readout"] == "last" and row["start"] != "cut"
            learned = [False, True] if both else [False]
            yield from crossed(task=task, **row, learned=learned, seed=SEEDS)


def run(task, readout, start, learned, seed):
    """Train one model; `learned` is said of its h_0, else zero."""
    rng = np.random.default_rng(seed)
    p, slots = init(rng, start, learned), TASKS[task]
    state = adam_init(p)
    for iteration in range(1, LIMIT + 1):
        batch = reviews(rng, B, slots)
        grads, _ = clip_global_norm(gradient(p, *batch, readout), 1.0)
        p, state = adam_step(p, grads, state, RATE)
        if iteration % 10 == 0:
            reached = accuracy(p, *reviews(rng, 256, slots), readout)
            if reached >= GOAL:
                break
    return {
        "solved": reached >= GOAL,
        "iterations": iteration,
        "accuracy": round(reached, 4),
    }


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
