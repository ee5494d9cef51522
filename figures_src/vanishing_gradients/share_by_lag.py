"""How much of the gradient of W_hh comes from how far back.

For docs/en/vanishing_gradients.md. A tanh RNN with a loss at every step; the
gradient of W_hh is split by the lag between the loss and the step that used
W_hh. The total looks healthy; the far share is what dies.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from seqbook.gradients import orthogonal
from seqbook.rnn import RNNParams, rnn_backward_by_step, rnn_forward

N, T, SEEDS = 32, 100, 5
SCALES = 0.5, 0.7, 0.9, 1.0, 1.1
BANDS = (0, 1), (1, 5), (5, 20), (20, 50), (50, T)  # lags from, below
LABELS = "0", "1–4", "5–19", "20–49", "50–99"


@cache
def parts(g, seed, s=0.1):
    """|gradient of W_hh| that comes from each band of lags, and in all."""
    rng = np.random.default_rng(seed)
    p = RNNParams(s * np.eye(N), g * orthogonal(rng, N), np.zeros(N))
    x, dh = rng.normal(size=(2, T, 1, N))
    _, kept = rnn_forward(p, x, np.zeros((1, N)))
    by_lag = np.zeros((T, N, N))
    for t in range(T):  # one loss at a time, told apart by how far back
        alone = np.zeros_like(dh)
        alone[t] = dh[t]
        terms = rnn_backward_by_step(p, alone, kept).W_hh
        by_lag[: t + 1] += terms[t::-1]  # lag 0 first
    bands = [by_lag[low:high].sum(axis=0) for low, high in BANDS]
    norms = np.linalg.norm(bands, axis=(1, 2))
    return norms, float(np.linalg.norm(by_lag.sum(axis=0)))


def results():
    """Share of each band in the sum of the bands, and the total norm."""
    table = {}
    for g in SCALES:
        runs = [parts(g, seed) for seed in range(SEEDS)]
        table[f"{g}"] = {
            "share": [(band / band.sum()).tolist() for band, _ in runs],
            "total": [total for _, total in runs],
        }
    return {"bands": LABELS, "T": T, "seeds": SEEDS, "g": table}


def figure(look):
    """A bar a scale, divided by bands of lags, the total beside it."""
    fig, ax = plt.subplots(figsize=look.size(3.4))
    table = results()["g"]
    for i, g in enumerate(SCALES):
        draw_bar(look, ax, i, np.median(table[f"{g}"]["share"], axis=0))
        total = np.median(table[f"{g}"]["total"])
        ax.text(1.02, i, f"{total:.1f}", va="center", fontsize=9.5)
    ax.text(1.02, len(SCALES) - 0.35, "total", fontsize=9.5)
    ax.set_yticks(range(len(SCALES)), [f"$g = {g}$" for g in SCALES])
    ax.set(xlabel="share of the gradient of $W_{hh}$, by steps back")
    ax.set_xlim(0, 1)
    return fig


def draw_bar(look, ax, y, shares):
    """Bands side by side, darker with the lag; named where there is room."""
    colours = {"color": look.colour("gradient"), "ec": look.colour("paper")}
    label = {"ha": "center", "va": "center", "fontsize": 9}
    shades, left = np.linspace(0.25, 1.0, len(LABELS)), 0.0
    for name, width, shade in zip(LABELS, shares, shades, strict=True):
        ax.barh(y, width, left=left, alpha=shade, **colours)
        if width > 0.09:
            ax.text(left + width / 2, y, name, **label)
        left += width
