"""Parameters against length, for three ways to read. For docs/sequences.md."""

import matplotlib.pyplot as plt
import numpy as np

from figures_src import palette
from figures_src.palette import colour, line, size
from seqbook.counting import (
    convolution_parameters,
    mlp_parameters,
    rnn_parameters,
)

D, H, K = 128, 256, 5  # inputs, units, taps of the convolution
T = np.unique(np.geomspace(1, 1000, 60).astype(int))


def results():
    """Layers of H units over D inputs: parameters at three lengths."""
    return {
        "D": D,
        "H": H,
        "k": K,
        "RNN": rnn_parameters(D, H),
        "CNN": convolution_parameters(D, H, K),
        "MLP": {str(t): mlp_parameters(t, D, H) for t in (10, 100, 1000)},
    }


def figure():
    fig, ax = plt.subplots(figsize=size())
    mlp = [mlp_parameters(int(t), D, H) for t in T]
    rows = {
        "flattened network": (mlp, "x", (60, 2.6e6), "right"),
        f"convolution, {K} taps": (
            [convolution_parameters(D, H, K)] * len(T),
            "candidate",
            (1000, 1.85e5),
            "right",
        ),
        "recurrent layer": (
            [rnn_parameters(D, H)] * len(T),
            "h",
            (1000, 5.6e4),
            "right",
        ),
    }
    for name, (counts, quantity, at, side) in rows.items():
        ax.plot(T, counts, **line(quantity))
        ax.annotate(
            name,
            at,
            (0, 4 if quantity != "h" else 0),
            textcoords="offset points",
            ha=side,
            color=colour(quantity),
        )
    ax.set(xscale="log", yscale="log", xlim=(1, 1000), ylim=(2e4, 5e7))
    ax.set(xlabel="length $T$ (log scale)", ylabel="parameters (log scale)")
    ax.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
    if palette.narrow:
        ax.set_ylabel("parameters (log)")
    return fig
