"""What a cell without a forget gate does to the way out of it.

For docs/en/carousel.md. An untrained LSTM with PyTorch's start reads noise;
its forget gates are held at f by their biases. The way out of a cell
multiplies a gradient by o times the slope of the tanh at c_t, and the slope is
drawn: the median over all units.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.carousel.carousel import held
from figures_src.lib.notes import end_note
from figures_src.lib.seeds import plot_seeds
from seqbook.lstm import init_lstm, lstm_forward

H, D, T, SEEDS = 64, 8, 1000, 5
GATES = 1.0, 0.99, 0.9


@cache
def cells(f, seed):
    """Cell states (T, H) of one network, one sequence."""
    rng = np.random.default_rng(seed)
    p = held(init_lstm(rng, D, H), f, 1.0)
    zero = np.zeros((1, H))
    return lstm_forward(p, rng.normal(size=(T, 1, D)), zero, zero)[1][:, 0]


@cache
def medians(f):
    """Of |c_t| and of the slope 1 - tanh^2, each (SEEDS, T)."""
    c = np.array([cells(f, seed) for seed in range(SEEDS)])
    slopes = np.cosh(c) ** -2.0  # 1 - tanh^2, which would round to 0
    return np.median(np.abs(c), axis=2), np.median(slopes, axis=2)


def results():
    """{f: {"cell", "slope"}} at the last step, a value a seed."""
    return {
        f"{f}": {
            name: values[:, -1].tolist()
            for name, values in zip(("cell", "slope"), medians(f), strict=True)
        }
        for f in GATES
    }


def figure(look):
    size = look.size(3.2, phone=5.58)
    fig, axes = plt.subplots(*look.row(2), figsize=size)
    steps = np.unique(np.rint(np.geomspace(1, T, 28)).astype(int))
    for f in GATES:
        for ax, runs, quantity in zip(
            axes, medians(f), ("c", "gradient"), strict=True
        ):
            plot_seeds(ax, steps, runs[:, steps - 1], look.line(quantity))
            end = T, np.median(runs[:, -1])
            end_note(ax, f"$f = {f:g}$", end, look.colour(quantity))
    for ax in axes:
        ax.set(xscale="log", yscale="log", xlim=(1, T))
        ax.minorticks_off()
        if ax is axes[-1] or not look.narrow:
            ax.set_xlabel("step $t$ (log scale)")
    axes[0].set(ylabel="size of the cell $|c_t|$ (log scale)")
    axes[1].set(ylabel="slope of the tanh at $c_t$ (log scale)")
    axes[1].set_yticks([1, 1e-20, 1e-40, 1e-60])
    return fig
