"""How fast an orthogonal W_hh stops being orthogonal under training.

For docs/en/vanishing_gradients.md. A tanh RNN of 32 units learns to recall a
symbol after 20 steps with Adam; its singular values start at 1.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import end_note
from seqbook.functional import (
    linear,
    linear_backward,
    mean_cross_entropy_backward,
)
from seqbook.gradients import clip_global_norm, orthogonal
from seqbook.optim import adam_init, adam_step
from seqbook.rnn import RNNParams, init_rnn, rnn_backward, rnn_forward
from seqbook.tasks import NOISE, SYMBOLS, delayed_recall

H, B, T, STEPS, SEEDS = 32, 64, 20, 100, 5


@cache
def singular_values(seed):
    """Singular values of W_hh (STEPS + 1, H), before and during training."""
    rng = np.random.default_rng(seed)
    D = SYMBOLS + NOISE
    p = init_rnn(rng, D, H)
    p.W_hh = orthogonal(rng, H)
    W_hy, unused = rng.normal(size=(SYMBOLS, H)) / np.sqrt(H), np.zeros((1, 1))
    readout = RNNParams(W_hy, unused, np.zeros(SYMBOLS))
    state, readout_state = adam_init(p), adam_init(readout)
    values = [np.linalg.svd(p.W_hh, compute_uv=False)]
    for _ in range(STEPS):
        ids, targets = delayed_recall(rng, B, T)
        h, cache = rnn_forward(p, np.eye(D)[ids], np.zeros((B, H)))
        logits = linear(readout.W_xh, readout.b_h, h[-1])
        dlogits = mean_cross_entropy_backward(logits, targets)
        dh = np.zeros_like(h)
        dh[-1], dW, db = linear_backward(readout.W_xh, h[-1], dlogits)
        _, _, grads = rnn_backward(p, dh, cache)
        grads, _ = clip_global_norm(grads, 1.0)
        p, state = adam_step(p, grads, state, lr=3e-3)
        grads = RNNParams(dW, unused, db)
        readout, readout_state = adam_step(readout, grads, readout_state, 3e-3)
        values.append(np.linalg.svd(p.W_hh, compute_uv=False))
    return np.array(values)


def results():
    """Smallest and largest singular value after training, on every seed."""
    last = [singular_values(seed)[-1] for seed in range(SEEDS)]
    return {
        "steps": STEPS,
        "seeds": SEEDS,
        "smallest": [float(v.min()) for v in last],
        "largest": [float(v.max()) for v in last],
    }


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(2.8))
    steps = np.arange(0, STEPS + 1, 4)
    style = look.line("h") | {"linewidth": 0.9, "alpha": 0.6}
    for seed in range(SEEDS):
        values = singular_values(seed)[::4]
        ax.plot(steps, values.max(axis=1), **style)
        ax.plot(steps, values.min(axis=1), **style | {"linestyle": "--"})
    ax.axhline(1, color=look.colour("muted"), linewidth=0.8)
    ends, ink = values[-1], look.colour("ink")
    end_note(ax, "largest", (STEPS, ends.max()), ink, (4, 0))
    end_note(ax, "smallest", (STEPS, ends.min()), ink, (4, 0))
    ax.set(xlabel="steps of Adam", ylabel="singular values of $W_{hh}$")
    return fig
