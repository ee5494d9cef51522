"""The bound on a gradient beside the gradient of a real tanh RNN.

For docs/en/vanishing_gradients.md: 128 units, W_hh = g times an orthogonal
matrix, each unit fed its own noise of standard deviation s, five seeds.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import note
from figures_src.lib.seeds import plot_seeds
from seqbook.gradients import backward_norms, orthogonal, rnn_jacobians
from seqbook.rnn import RNNParams, rnn_forward

N, T, BURN_IN, SEEDS = 128, 100, 300, 5
SCALES = 0.9, 1.0, 1.1, 1.5, 2.0
NOISES = 0.0, 0.5, 1.0


def jacobians(rng, g, s, N=N, T=T, burn_in=BURN_IN):
    """J (T, N, N) of a tanh RNN that has run for burn_in steps."""
    p = RNNParams(s * np.eye(N), g * orthogonal(rng, N), np.zeros(N))
    x = rng.normal(size=(burn_in + T, 1, N))
    h, _ = rnn_forward(p, x, rng.uniform(-1, 1, (1, N)))
    return rnn_jacobians(p, h[burn_in:, 0])


@cache
def norms(g, s, seed):
    """|dL/dh_{T - lag}| (T + 1,) for a dL/dh_T of length 1."""
    rng = np.random.default_rng(seed)
    J = jacobians(rng, g, s)
    v = rng.normal(size=N)
    return backward_norms(J, v / np.linalg.norm(v))


def results():
    """After T steps back: bound, and the measured norm on every seed."""
    return {
        "T": T,
        "units": N,
        "seeds": SEEDS,
        "bound": {f"{g}": g**T for g in SCALES},
        "measured": {
            f"{g}": {
                f"{s}": [norms(g, s, seed)[-1] for seed in range(SEEDS)]
                for s in NOISES
            }
            for g in SCALES
        },
    }


INPUTS = {  # noise: its dash and its name
    0.0: ("-", "no input"),
    0.5: ("--", "$s = 0.5$"),
    1.0: (":", "$s = 1$"),
}


def figure(look):
    fig, axes = plt.subplots(1, 3, figsize=look.size(), sharey=True)
    lags = np.arange(0, T + 1, 10)  # nearly straight: few points do
    ink, muted = look.colour("ink"), look.colour("muted")
    for ax, g in zip(axes, (0.9, 1.1, 2.0), strict=True):
        ax.plot(lags, g**lags, color=muted, linewidth=1)
        ax.set_title(f"$g = {g}$", fontsize=10.5, color=ink)
        for s, (dash, _) in INPUTS.items():
            runs = [norms(g, s, seed)[lags] for seed in range(SEEDS)]
            style = look.line("gradient") | {"linestyle": dash}
            plot_seeds(ax, lags, runs, style)
        ax.set(yscale="log", ylim=(1e-30, 1e33), xlabel="steps back")
        ax.set_xticks([0, 50, 100])
    axes[0].set_ylabel("gradient norm (log axis)")
    note(axes[0], "bound $g^{\\ell}$", (60, 1e4), color=muted, ha="center")
    style = look.line("gradient")
    handles = [
        plt.Line2D([], [], **style | {"linestyle": dash}, label=name)
        for dash, name in INPUTS.values()
    ]
    axes[2].legend(handles=handles, loc="lower left", handlelength=1.6)
    return fig
