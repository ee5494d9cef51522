"""Where the gradient of one last loss comes from, use by use.

For docs/en/bptt.md. A tanh RNN of eight units reads twelve steps, and the loss
looks at the last state alone; W_hh is given a copy for every step.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import note
from figures_src.lib.seeds import plot_seeds
from seqbook.rnn import init_rnn, rnn_backward_by_step, rnn_forward

D, H, T, SEEDS = 4, 8, 12, 5


@cache
def terms(seed):
    """Norms (T,) of the gradient in the copy of W_hh that each step used."""
    rng = np.random.default_rng(seed)
    p = init_rnn(rng, D, H)
    h, back = rnn_forward(p, rng.normal(size=(T, 1, D)), np.zeros((1, H)))
    dh = np.zeros_like(h)
    dh[-1] = rng.normal(size=H)
    return np.linalg.norm(rnn_backward_by_step(p, dh, back).W_hh, axis=(1, 2))


def results():
    """Norms of the terms on every seed, step 1 first."""
    return {"T": T, "norms": [terms(seed).tolist() for seed in range(SEEDS)]}


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(2.8))
    steps = np.arange(1, T + 1)
    runs = [terms(seed) for seed in range(SEEDS)]
    plot_seeds(ax, steps, runs, look.line("gradient"), marker="o", ms=4)
    pointer = {"arrowstyle": "-", "color": look.colour("muted")}
    note(ax, "nothing: $h_0 = 0$", (1, 0), (6, 14), arrowprops=pointer)
    ax.set(xlabel="step $k$ whose copy of $W_{hh}$ is blamed", ylim=(0, None))
    ax.set(ylabel="norm of its term")
    ax.set_xticks(steps[:: 2 if look.narrow else 1])
    return fig
