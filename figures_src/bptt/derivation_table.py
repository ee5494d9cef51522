"""The gradient of one shared weight as a sum over its copies, by hand.

For docs/en/bptt.md and the lab of the same name: one unit, w = 0.9, u = 1, no
bias, x = (1, 0, 0), h_0 = 0, and the loss is the last state, L = h_3.
"""

import matplotlib.pyplot as plt
import numpy as np

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


def figure(look):
    """A bar a term, the terms end to end, the sum without slopes."""
    found, y = table(), np.arange(5)
    terms, wrong = found["terms"], found["without_slope"]
    fig, ax = plt.subplots(figsize=look.size(2.6))
    style = {"color": look.colour("gradient"), "alpha": 0.55}
    ax.barh(y[:3], terms, 0.55, linewidth=0, **style)
    left = np.cumsum([0, *terms[:2]])
    for start, width in zip(left, terms, strict=True):
        ax.barh(3, width, 0.55, start, ec=look.colour("ink"), **style)
    dashed = {"ec": look.colour("muted"), "ls": "--", "lw": 1.4}
    ax.barh(4, wrong, 0.55, fill=False, **dashed)
    for place, value in zip(y, [*terms, found["sum"], wrong], strict=True):
        label = {"textcoords": "offset points", "va": "center"}
        ax.annotate(f"{value:.3f}", (value, place), (5, 0), **label)
    ax.set_yticks(y, [*factors(found), "sum", "tanh′ forgotten"])
    ax.tick_params(axis="y", length=0, labelsize=9.5)
    ax.invert_yaxis()
    ax.set(xlim=(0, 1.5), xlabel=r"share of $\partial L/\partial w$")
    return fig


def factors(found):
    """table() -> "step 1:  0.716 × 0.810", a label a step."""
    pairs = zip(found["immediate"], found["chain"], strict=True)
    return [
        f"step {k}:  {a:.3f} × {b:.3f}" for k, (a, b) in enumerate(pairs, 1)
    ]
