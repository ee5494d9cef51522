"""One neuron that holds a bit: how often it does, and its gradient.

For docs/vanishing_gradients.md. h = tanh(w h + 0.2 noise) for 100 steps
from +1 or -1; 2000 runs on each of five seeds.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.palette import colour, line, size

T, RUNS, SEEDS, NOISE = 100, 2000, 5, 0.2
WEIGHTS = np.round(np.arange(0.8, 2.45, 0.1), 1)


@cache
def latch(w, seed):
    """One seed -> share of bits kept, median gradient dh_T/dh_0."""
    rng = np.random.default_rng(seed)
    start = rng.choice([-1.0, 1.0], RUNS)
    h, gradient = start, np.ones(RUNS)
    for _ in range(T):
        h = np.tanh(w * h + NOISE * rng.normal(size=RUNS))
        gradient = gradient * w * (1 - h**2)  # (bptt.6) for one unit
    return float(np.mean(np.sign(h) == start)), float(np.median(gradient))


def results():
    """For w = 1, 1.5, 2: kept bits and median gradient on every seed."""
    table = {}
    for w in (1.0, 1.5, 2.0):
        runs = [latch(w, seed) for seed in range(SEEDS)]
        kept, gradient = map(list, zip(*runs, strict=True))
        table[f"{w}"] = {"kept": kept, "gradient": gradient}
    return {"T": T, "runs": RUNS, "seeds": SEEDS, "w": table}


def figure():
    fig, (top, low) = plt.subplots(2, 1, figsize=size(3.8), sharex=True)
    runs = np.array(
        [[latch(w, seed) for seed in range(SEEDS)] for w in WEIGHTS]
    )
    for seed in range(SEEDS):
        faint = {"linewidth": 0.7, "alpha": 0.45}
        top.plot(WEIGHTS, runs[:, seed, 0], **line("h") | faint)
        low.plot(WEIGHTS, runs[:, seed, 1], **line("gradient") | faint)
    middle = np.median(runs, axis=1)
    top.plot(WEIGHTS, middle[:, 0], **line("h"))
    low.plot(WEIGHTS, middle[:, 1], **line("gradient"), marker="o", ms=3.5)
    top.axhline(0.5, color=colour("muted"), linewidth=0.8)
    top.annotate("a coin toss", (2.4, 0.5), xytext=(0, 4), fontsize=9.5,
                 textcoords="offset points", ha="right",
                 color=colour("muted"))  # fmt: skip
    top.set(ylabel="bits kept", ylim=(0.45, 1.03))
    low.set(xlabel="weight $w$", ylabel="median gradient", yscale="log")
    low.set_ylim(1e-110, 1e3)
    low.set_yticks([1, 1e-50, 1e-100])
    return fig
