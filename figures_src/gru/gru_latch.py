"""The latch of the chapter on vanishing gradients, now with one gate.

For docs/en/gru.md. h = (1 - z) h + z tanh(2 h + 0.2 noise) for 100 steps from
+1 or -1, with z from the bias alone; 2000 runs on each of five seeds.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.vanishing_gradients.latch import plot_latch
from seqbook.functional import sigmoid
from seqbook.gru import GRUParams, gru_step

T, RUNS, SEEDS, NOISE, W = 100, 2000, 5, 0.2, 2.0
BIASES = np.arange(-8.0, 4.5, 1.0)


@cache
def latch(b_z, seed):
    """One seed -> share of bits kept, median gradient dh_T/dh_0."""
    rng = np.random.default_rng(seed)
    p = GRUParams(
        W_xh=np.array([[0.0], [0.0], [NOISE]]),
        W_hh=np.array([[0.0], [0.0], [W]]),
        b_h=np.array([40.0, b_z, 0.0]),  # r = 1, z = sigmoid(b_z)
    )
    start = rng.choice([-1.0, 1.0], (RUNS, 1))
    h, gradient = start, np.ones((RUNS, 1))
    for _ in range(T):
        h, (_, _, _, z, n) = gru_step(p, rng.normal(size=(RUNS, 1)), h)
        gradient = gradient * ((1 - z) + z * W * (1 - n**2))
    return float(np.mean(np.sign(h) == start)), float(np.median(gradient))


def results():
    """Bits kept and median gradient on every seed, for three biases."""
    table = {}
    for b_z in (-4.0, 0.0, 4.0):
        runs = [latch(b_z, seed) for seed in range(SEEDS)]
        kept, gradient = map(list, zip(*runs, strict=True))
        table[f"{b_z:.0f}"] = {
            "z": float(sigmoid(np.array(b_z))),
            "kept": kept,
            "gradient": gradient,
        }
    return {"T": T, "runs": RUNS, "seeds": SEEDS, "b_z": table}


def figure(look):
    fig, axes = plt.subplots(2, 1, figsize=look.size(3.6), sharex=True)
    plot_latch(look, axes, BIASES, latch, SEEDS)
    top, low = axes
    top.set(ylabel="bits kept", ylim=(0.45, 1.03))
    low.set(xlabel="bias $b_z$ of the update gate", yscale="log")
    low.set(ylabel="median gradient", ylim=(1e-85, 1e5))
    low.set_yticks([1, 1e-40, 1e-80])
    return fig
