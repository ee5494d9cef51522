"""The gradient of one shared weight as a sum over its copies, by hand.

For docs/bptt.md and the lab of the same name: one unit, w = 0.9, u = 1, no
bias, x = (1, 0, 0), h_0 = 0, and the loss is the last state, L = h_3.
"""

import matplotlib.pyplot as plt
import numpy as np

from figures_src import palette
from figures_src.palette import colour
from seqbook.gradients import jacobian_product, rnn_jacobians
from seqbook.rnn import (
    RNNParams,
    rnn_backward_by_step,
    rnn_forward,
    rnn_step,
)

W, U, X = 0.9, 1.0, (1.0, 0.0, 0.0)


def unshared(copies, h_0=0.0):
    """h_0 .. h_3 when step k has copies[k - 1] for its w."""
    h = [np.array([[h_0]])]
    for w, x_t in zip(copies, X, strict=True):
        p = RNNParams(np.array([[U]]), np.array([[w]]), np.zeros(1))
        h.append(rnn_step(p, np.array([[x_t]]), h[-1])[0])
    return np.ravel(h)


def table(h_0=0.0):
    """Per step: the state, immediate and chain factor, and their product."""
    p = RNNParams(np.array([[U]]), np.array([[W]]), np.zeros(1))
    x, start = np.reshape(X, (3, 1, 1)), np.array([[h_0]])
    h, cache = rnn_forward(p, x, start)
    dh = np.zeros_like(h)
    dh[-1] = 1  # L = h_3
    terms = np.ravel(rnn_backward_by_step(p, dh, cache).W_hh)
    J = rnn_jacobians(p, h[:, 0])
    chain = [jacobian_product(J, 3, k).item() for k in (1, 2, 3)]
    # The formula that forgets tanh': every slope is taken for 1.
    slopeless = [W ** (3 - k) for k in (1, 2, 3)]
    before = np.ravel([start, *h[:-1]])
    return {
        "h": np.ravel(h).tolist(),
        "immediate": (terms / chain).tolist(),
        "chain": chain,
        "terms": terms.tolist(),
        "sum": float(terms.sum()),
        "without_slope": float(np.dot(slopeless, before)),
    }


def results():
    return table() | {"w": W, "u": U, "x": list(X)}


def figure():
    found = table()
    rows = list(found["terms"]) + [found["sum"], found["without_slope"]]
    names = [
        f"step {k + 1}:  {a:.3f} × {b:.3f}"
        for k, (a, b) in enumerate(
            zip(found["immediate"], found["chain"], strict=True)
        )
    ]
    names += ["sum", "tanh′ forgotten"]
    fig, ax = plt.subplots(figsize=palette.size(2.6))
    y = np.arange(5)
    red = colour("gradient")
    ax.barh(y[:3], rows[:3], 0.55, color=red, alpha=0.55, linewidth=0)
    left = np.cumsum([0, *rows[:2]])
    for start, width in zip(left, rows[:3], strict=True):
        ax.barh(3, width, 0.55, start, color=red, alpha=0.55, ec=colour("ink"))
    ax.barh(4, rows[4], 0.55, fill=False, ec=colour("muted"), ls="--", lw=1.4)
    for place, value in zip(y, rows, strict=True):
        ax.annotate(
            f"{value:.3f}",
            (value, place),
            (5, 0),
            textcoords="offset points",
            va="center",
        )
    ax.set_yticks(y, names)
    ax.tick_params(axis="y", length=0, labelsize=9.5)
    ax.invert_yaxis()
    ax.set(xlim=(0, 1.5), xlabel=r"share of $\partial L/\partial w$")
    return fig
