"""What a cell still holds after t steps, for four forget biases.

For docs/en/lstm.md. One unit with all other weights at zero and nothing coming
in: each step multiplies the cell by f = sigmoid(b_f).
"""

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import end_note, note
from seqbook.lstm import LSTMParams, lstm_step

BIASES = 0, 1, 2, 5


def left(bias, T=100):
    """Cells c_0 .. c_T (T + 1,) from c_0 = 1."""
    b_h = np.array([0.0, bias, 0.0, 0.0])  # i | f | g | o
    p = LSTMParams(np.zeros((4, 1)), np.zeros((4, 1)), b_h)
    nothing, cells = np.zeros((1, 1)), [np.ones((1, 1))]
    for _ in range(T):
        cells.append(lstm_step(p, nothing, nothing, cells[-1])[1])
    return np.ravel(cells)


def half_life(bias):
    """Steps after which a half is left."""
    return float(np.log(0.5) / np.log(left(bias, 1)[1]))


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(3.4))
    for bias, at in zip(BIASES, (20, 40, 60, 60), strict=True):
        c = left(bias)
        ax.plot(c, **look.line("keep"))
        note(ax, f"$b_f = {bias}$", (at, c[at]), (6, 5))
        half = half_life(bias)
        if half < len(c):
            ax.plot(half, 0.5, "o", color=look.colour("ink"), ms=4, zorder=3)
    ax.axhline(0.5, color=look.colour("muted"), linewidth=0.8)
    end_note(ax, "a half", (101, 0.5), look.colour("ink"), shift=(0, 0))
    ax.set(xlabel="time step $t$", ylabel="left of $c_0$ (log axis)")
    ax.set(yscale="log", ylim=(1e-8, 3), xlim=(0, 100))
    ax.minorticks_off()
    return fig
