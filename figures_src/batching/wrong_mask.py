"""What scoring the padding does to the gradient, and to the training.

For docs/en/batching.md. A small language model, a tanh RNN, reads sentences
of Python's reference manual in batches of 32 and predicts the next word. It
is trained twice from the same start: with the lengths given to cell and
loss, and with neither, so that it predicts the padding as well.
"""

from dataclasses import dataclass
from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.batching.sentence_lengths import sentences
from figures_src.lib.notes import note
from figures_src.lib.seeds import plot_seeds
from seqbook.batching import pad, truncate
from seqbook.functional import (
    linear,
    linear_backward,
    mean_cross_entropy,
    mean_cross_entropy_backward,
)
from seqbook.optim import adam_init, adam_step
from seqbook.params import arrays_of, map_params
from seqbook.rnn import RNNParams, init_rnn, rnn_backward, rnn_forward
from seqbook.text import BOS, EOS, build_vocabulary, encode

D, H, B, SEEDS, UPDATES, EVERY = 16, 32, 32, 5, 80, 10
LONGEST, MIN_COUNT, HELD_OUT, RATE = 80, 30, 200, 3e-3


@dataclass
class Model:
    """Embedding (V, D), cell, and readout (V, H), (V,)."""

    E: np.ndarray
    cell: RNNParams
    W: np.ndarray
    b: np.ndarray


@cache
def corpus():
    """-> list of ids for each sentence, BOS to EOS, and V."""
    texts = [s[: LONGEST - 2] for s in sentences()]
    vocabulary = build_vocabulary([w for s in texts for w in s], MIN_COUNT)
    found = [[BOS, *encode(vocabulary, s)[0].tolist(), EOS] for s in texts]
    return truncate(found, LONGEST)[0], len(vocabulary)


def split(seed):
    """-> sentences to train on, and the batch that the model is tested on."""
    found, _ = corpus()
    order = np.random.default_rng(seed).permutation(len(found))
    texts = [found[i] for i in order]
    return texts[HELD_OUT:], batch(texts[:HELD_OUT])


def batch(texts):
    """-> inputs, targets (T, B), lengths (B,), mask (T, B) of both."""
    ids, lengths, mask = pad(texts)
    return ids[:-1], ids[1:], lengths - 1, mask[1:]


def init(rng):
    V, k = corpus()[1], 1 / np.sqrt(H)
    W, b = rng.uniform(-k, k, (V, H)), rng.uniform(-k, k, V)
    m = Model(rng.normal(size=(V, D)), init_rnn(rng, D, H), W, b)
    return map_params(np.float32, m)


def forward(m, ids, lengths):
    h_0 = np.zeros((ids.shape[1], H), np.float32)
    h, back = rnn_forward(m.cell, m.E[ids], h_0, lengths)
    return h, back, linear(m.W, m.b, h)


def loss_of(m, inputs, targets, lengths, mask):
    return mean_cross_entropy(forward(m, inputs, lengths)[2], targets, mask)


def gradient(m, inputs, targets, lengths, mask):
    """-> loss in nats a position, its gradient as a Model."""
    h, back, logits = forward(m, inputs, lengths)
    dlogits = mean_cross_entropy_backward(logits, targets, mask)
    dh, dW, db = linear_backward(m.W, h, dlogits)
    dx, _, dcell = rnn_backward(m.cell, dh, back)
    dE = np.zeros_like(m.E)
    np.add.at(dE, inputs, dx)
    loss = mean_cross_entropy(logits, targets, mask)
    return loss, Model(dE, dcell, dW, db)


@cache
def first_step(seed):
    """Share of padding in the cells and in the gradient; the step's cosine.

    The naive gradient is the sum of what the real positions and the padding
    ask for; a share is that of the two parts' lengths. The cosine is between
    the naive gradient and the one of the real positions alone.
    """
    rng = np.random.default_rng(seed)
    m, (texts, _) = init(rng), split(seed)
    inputs, targets, _, mask = batch(texts[:B])
    cells = float(1 - mask.mean())
    parts = {}
    for name, where in ("real", mask), ("padding", ~mask):
        _, grads = gradient(m, inputs, targets, None, where)
        flat = np.concatenate([a.ravel() for a in arrays_of(grads)])
        parts[name] = flat * where.mean()  # its part of the mean of all
    both = parts["real"] + parts["padding"]
    length = {name: np.linalg.norm(part) for name, part in parts.items()}
    cosine = parts["real"] @ both / length["real"] / np.linalg.norm(both)
    share = length["padding"] / (length["padding"] + length["real"])
    return {"cells": cells, "gradient": float(share), "cosine": float(cosine)}


@cache
def train(seed, masked):
    """-> losses on held-out real words, and what the training loop reports."""
    rng = np.random.default_rng(seed)
    m, (texts, held_out) = init(rng), split(seed)
    state, true, reported = adam_init(m), [], []
    for update in range(UPDATES + 1):
        some = batch([texts[i] for i in rng.choice(len(texts), B, False)])
        inputs, targets, lengths, mask = some
        known = (lengths, mask) if masked else (None, None)
        loss, grads = gradient(m, inputs, targets, *known)
        if update % EVERY == 0:
            true.append(loss_of(m, *held_out))
            reported.append(loss)
        m, state = adam_step(m, grads, state, RATE)
    return true, reported


@cache
def results():
    """What the first step and the training gave on every seed."""
    first = [first_step(seed) for seed in range(SEEDS)]
    runs = {
        name: [train(seed, name == "masked") for seed in range(SEEDS)]
        for name in ("masked", "naive")
    }
    return {
        "first_step": {k: [run[k] for run in first] for k in first[0]},
        "updates": list(range(0, UPDATES + 1, EVERY)),
        "V": corpus()[1],
    } | {name: by_kind(some) for name, some in runs.items()}


def by_kind(runs):
    """What train() gave for every seed -> {kind: its losses, a row a seed}."""
    true, reported = zip(*runs, strict=True)
    return {"true": list(true), "reported": list(reported)}


def figure(look):
    found = results()
    ratio = {"width_ratios": [1, 1.5]}
    if look.narrow:
        ratio = {"height_ratios": [1, 1.7]}
    fig, (shares, curves) = plt.subplots(
        *look.row(2), figsize=look.size(3.0, phone=5.04), gridspec_kw=ratio
    )
    draw_shares(look, shares, found["first_step"])
    draw_curves(look, curves, found)
    return fig


def draw_shares(look, ax, first):
    rows = {"cells": "x", "gradient": "gradient"}
    for y, (name, quantity) in enumerate(rows.items()):
        values = 100 * np.array(first[name])
        style = {"color": look.colour(quantity), "clip_on": False}
        ax.barh(y, np.median(values), 0.5, alpha=0.35, lw=0, **style)
        spread = y + np.linspace(-0.18, 0.18, len(values))
        ax.plot(values, spread, "o", ms=4, **style)
    ax.set_yticks(range(2), ["of the\ncells", "of the\ngradient"])
    ax.tick_params(axis="y", length=0)
    ax.set(xlim=(0, 100), ylim=(1.6, -0.6), xlabel="padding's share, %")


CURVES = (  # run, what of it, dash; its name, at which update, how far off
    ("masked", "true", "-", "lengths known", 20, (-10, -22)),
    ("naive", "true", "--", "lengths forgotten", 20, (10, 8)),
    ("naive", "reported", ":", "... and what it reports", 30, (4, 12)),
)


def draw_curves(look, ax, found):
    t = found["updates"]
    for name, kind, dash, text, at, shift in CURVES:
        style = look.line("h") | {"linestyle": dash, "clip_on": False}
        runs = found[name][kind]
        plot_seeds(ax, t, runs, style)
        middle = np.median(runs, axis=0)
        note(ax, text, (at, middle[t.index(at)]), shift)
    ax.set(xlabel="updates", ylabel="nats a word", ylim=(0, None))
    ax.set(xlim=(0, t[-1]))
