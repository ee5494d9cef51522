"""Parameters against length, for three ways to read.

For docs/en/sequences.md.
"""

import matplotlib.pyplot as plt
import numpy as np

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


def figure(look):
    fig, ax = plt.subplots(figsize=look.size())
    mlp = [mlp_parameters(int(t), D, H) for t in T]
    cnn = [convolution_parameters(D, H, K)] * len(T)
    rnn = [rnn_parameters(D, H)] * len(T)
    for name, counts, quantity, at in (
        ("flattened network", mlp, "x", (60, 2.6e6)),
        (f"convolution, {K} taps", cnn, "candidate", (1000, 1.85e5)),
        ("recurrent layer", rnn, "h", (1000, 5.6e4)),
    ):
        ax.plot(T, counts, **look.line(quantity))
        style = {"ha": "right", "color": look.colour(quantity)}
        shift = 0, 0 if quantity == "h" else 4
        ax.annotate(name, at, shift, textcoords="offset points", **style)
    ax.set(xscale="log", yscale="log", xlim=(1, 1000), ylim=(2e4, 5e7))
    ax.set(xlabel="length $T$ (log scale)")
    ax.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
    ax.set_ylabel(f"parameters ({'log' if look.narrow else 'log scale'})")
    return fig
