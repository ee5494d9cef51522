"""What a cell without a forget gate does to the way out of it.

For docs/carousel.md. An untrained LSTM with PyTorch's start reads noise; its
forget gates are held at f by their biases. The way out of a cell multiplies
a gradient by o times the slope of the tanh at c_t, and the slope is drawn:
the median over all units.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src import palette
from figures_src.carousel import held
from figures_src.palette import colour, line
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


def figure():
    shape, height = (1, 2), 3.2
    if palette.narrow:
        shape, height = (2, 1), 6.2
    fig, axes = plt.subplots(*shape, figsize=palette.size(height))
    steps = np.unique(np.rint(np.geomspace(1, T, 28)).astype(int))
    for f in GATES:
        for ax, values, look in zip(
            axes, medians(f), ("c", "gradient"), strict=True
        ):
            for run in values:
                ax.plot(
                    steps,
                    run[steps - 1],
                    lw=0.6,
                    alpha=0.4,
                    color=colour(look),
                )
            middle = np.median(values, axis=0)[steps - 1]
            ax.plot(steps, middle, **line(look))
            ax.annotate(
                f"$f = {f:g}$",
                (T, middle[-1]),
                (5, 0),
                textcoords="offset points",
                va="center",
                color=colour(look),
                fontsize=9.5,
                annotation_clip=False,
            )
    for ax in axes:
        ax.set(xscale="log", yscale="log", xlim=(1, T))
        ax.minorticks_off()
        if ax is axes[-1] or not palette.narrow:
            ax.set_xlabel("step $t$ (log scale)")
    axes[0].set(ylabel="size of the cell $|c_t|$ (log scale)")
    axes[1].set(ylabel="slope of the tanh at $c_t$ (log scale)")
    axes[1].set_yticks([1, 1e-20, 1e-40, 1e-60])
    return fig
