"""One neuron that holds a bit: how often it does, and its gradient.

For docs/en/vanishing_gradients.md. h = tanh(w h + 0.2 noise) for 100 steps
from +1 or -1; 2000 runs on each of five seeds.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import note
from figures_src.lib.seeds import plot_seeds

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


def figure(look):
    fig, axes = plt.subplots(2, 1, figsize=look.size(3.8), sharex=True)
    plot_latch(look, axes, WEIGHTS, latch, SEEDS)
    top, low = axes
    muted = look.colour("muted")
    top.axhline(0.5, color=muted, linewidth=0.8)
    note(top, "a coin toss", (2.4, 0.5), (0, 4), ha="right", color=muted)
    top.set(ylabel="bits kept", ylim=(0.45, 1.03))
    low.set(xlabel="weight $w$", ylabel="median gradient", yscale="log")
    low.set_ylim(1e-110, 1e3)
    low.set_yticks([1, 1e-50, 1e-100])
    return fig


def plot_latch(look, axes, settings, latch, seeds):
    """latch(setting, seed) -> bits kept and gradient, a panel for each."""
    runs = np.array(
        [[latch(s, seed) for s in settings] for seed in range(seeds)]
    )
    top, low = axes
    plot_seeds(top, settings, runs[..., 0], look.line("h"))
    gradient = look.line("gradient")
    plot_seeds(low, settings, runs[..., 1], gradient, marker="o", ms=3.5)
