"""How far a nudge travels in an untrained RNN, and how far one can read.

For docs/en/rnn.md. Sixty-four tanh units read one number a step. Left: one
input is replaced, and the two states are compared. Right: a linear readout,
fitted on one half of the runs, guesses the input of k steps ago from the
state, seen with a little noise; its R squared is from the other half.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import note
from figures_src.lib.seeds import plot_seeds
from seqbook.gradients import orthogonal
from seqbook.rnn import init_rnn, rnn_forward

H, LAGS, SEEDS = 64, 60, 5
BURN, T, RUNS, NOISE = 100, 250, 20, 0.01  # noise: share of the state's spread
DRAWN = np.r_[0:13, 14:LAGS:5]
STARTS = {"default": None, "g = 1": 1.0, "g = 1.2": 1.2, "g = 2": 2.0}


def build(start, rng):
    """RNNParams; W_hh is PyTorch's, or g times an orthogonal matrix."""
    p, g = init_rnn(rng, 1, H), STARTS[start]
    if g:
        p.W_hh = g * orthogonal(rng, H)
    return p


def states(p, x):
    return rnn_forward(p, x, np.zeros((x.shape[1], H)))[0]


def travel(p, rng):
    """|h_t - h'_t| (LAGS,) after one input is replaced, at lag 0 one."""
    x = rng.normal(size=(BURN + LAGS, 16, 1))
    other = x.copy()
    other[BURN] = rng.normal(size=(16, 1))
    apart = np.linalg.norm(states(p, x) - states(p, other), axis=2)[BURN:]
    return np.median(apart / apart[0], axis=1)


def readable(p, rng):
    """R squared (LAGS,) of the input of k steps ago, on unseen runs."""
    x = rng.normal(size=(T, RUNS, 1))
    h = states(p, x)[BURN:]
    h = h + NOISE * h.std() * rng.normal(size=h.shape)
    h = np.concatenate([h, np.ones_like(h[..., :1])], axis=2)
    fit, check = (np.reshape(part, (-1, H + 1)) for part in halves(h))
    inverse, found = np.linalg.pinv(fit), []
    for k in range(LAGS):
        y, truth = (np.ravel(a) for a in halves(x[BURN - k : T - k]))
        miss = np.mean((truth - check @ (inverse @ y)) ** 2)
        found.append(max(0.0, 1 - miss / np.var(truth)))
    return np.array(found)


def halves(a):
    """(T, RUNS, ...) -> the first half of the runs, and the second."""
    return a[:, : RUNS // 2], a[:, RUNS // 2 :]


@cache
def curves(start):
    """-> travel (SEEDS, LAGS), readable (SEEDS, LAGS)."""
    runs = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(seed)
        p = build(start, rng)
        runs.append((travel(p, rng), readable(p, rng)))
    return tuple(map(np.array, zip(*runs, strict=True)))


def results():
    """Per start and seed: what is left at four lags, and what is readable.

    "total" adds R squared over all lags: inputs' worth of memory.
    """
    table = {}
    for start in STARTS:
        moved, read = curves(start)
        table[start] = {
            "left": {k: moved[:, k].tolist() for k in (1, 10, 20, 50)},
            "total": read.sum(axis=1).tolist(),
            "half": [int(np.argmax(r < 0.5)) for r in read],
        }
    return {"units": H, "seeds": SEEDS, "starts": table}


def figure(look):
    size = look.size(3.2, phone=5.4)
    fig, (left, right) = plt.subplots(*look.row(2), figsize=size)
    for start, (dash, *places) in LINES.items():
        style = look.line("h") | {"linestyle": dash}
        name = start if start == "default" else f"${start}$"
        for ax, runs, at in zip(
            (left, right), curves(start), places, strict=True
        ):
            plot_seeds(ax, DRAWN, runs[:, DRAWN], style)
            note(ax, name, at)
    left.set(yscale="log", ylim=(1e-8, 300))
    left.set(ylabel="difference (log axis)")
    left.set_yticks([1e-8, 1e-6, 1e-4, 1e-2, 1, 100])
    left.minorticks_off()
    right.set(ylim=(0, 1.04), ylabel="readable, $R^2$")
    for ax in left, right:
        ax.set(xlabel="steps back", xlim=(0, LAGS - 1))
    return fig


LINES = {  # start: its dash, and its name's place in either panel
    "default": (":", (21, 2e-4), (11.5, 0.72)),
    "g = 1": ("-", (40, 5e-3), (33, 0.66)),
    "g = 1.2": ("--", (44, 2.2), (14, 0.36)),
    "g = 2": ("-.", (10, 40), (2, 0.1)),
}
