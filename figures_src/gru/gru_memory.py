"""How long a GRU remembers, against its update-gate bias.

For docs/en/gru.md.
"""

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import note
from seqbook.gru import GRUParams, gru_step

BIASES = 0, -2, -3, -4


def decay(bias, T=40):
    """States h_0 .. h_T (T + 1,) of a one-unit GRU that sees no input."""
    b_h = np.array([0.0, bias, 0.0])  # r | z | n
    p = GRUParams(np.zeros((3, 1)), np.zeros((3, 1)), b_h)
    states = [np.ones((1, 1))]
    for _ in range(T):
        states.append(gru_step(p, np.zeros((1, 1)), states[-1])[0])
    return np.ravel(states)


def figure(look):
    fig, ax = plt.subplots(figsize=look.size())
    for bias, at in zip(BIASES, (3, 13, 22, 30), strict=True):
        h = decay(bias)
        ax.plot(h, **look.line("h"))
        note(ax, f"$b_z = {bias}$", (at, h[at]), (5, 4))
    ax.set(xlabel="time step $t$", ylabel="state $h_t$", ylim=(0, 1.05))
    return fig
