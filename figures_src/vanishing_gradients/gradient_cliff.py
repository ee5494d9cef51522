"""How much gradient is left on the way back, against the bound g^lag.

For docs/en/vanishing_gradients.md and the lab of the same name. W_hh is g
times an orthogonal matrix, so that the bound of every step is exactly g; the
input is noise of standard deviation s on every unit.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import end_note, note
from seqbook.gradients import backward_norms, orthogonal, rnn_jacobians
from seqbook.rnn import RNNParams, rnn_forward

N, STEPS, LAGS = 16, 260, 200  # units; steps run; the last ones looked at
NETWORKS = 5  # the first is the lab's


@cache
def network(seed):
    """-> Q (N, N) to nine digits, noise (STEPS, N) in whole tenths."""
    rng = np.random.default_rng(seed)
    Q = orthogonal(rng, N)
    return Q.round(9), np.rint(10 * rng.normal(size=(STEPS, N)))


def states(Q, noise, g, s):
    """h_1 .. h_STEPS (STEPS, N) from h_0 = 1, and the RNNParams."""
    p = RNNParams(s * np.eye(N), g * Q, np.zeros(N))
    h, _ = rnn_forward(p, noise[:, None] / 10, np.ones((1, N)))
    return h[:, 0], p


@cache
def norms(seed, g, s, T=LAGS):
    """Norms (T + 1,) of the gradient at lag 0 .. T, from a unit start."""
    h, p = states(*network(seed), g, s)
    start = np.ones(N) / np.sqrt(N)
    return backward_norms(rnn_jacobians(p, h[-T:]), start)


def results():
    """The lab's network, and what is left after 100 steps in all five."""
    Q, noise = network(0)
    pairs = [(0.9, 0.0), (1.0, 0.0), (1.1, 0.0), (1.1, 0.2), (1.1, 0.5)]
    pairs += [(0.9, 0.5), (1.1, 1.0), (1.5, 0.0), (2.0, 0.0)]
    return {
        "Q": Q.ravel().tolist(),
        "noise": noise.astype(int).ravel().tolist(),
        "left": {
            f"{g} {s}": [norms(k, g, s)[100] for k in range(NETWORKS)]
            for g, s in pairs
        },
    }


def figure(look):
    """The lab's network, the others faint, and the bound of g = 1.1."""
    fig, ax = plt.subplots()
    lags = np.arange(0, LAGS + 1, 10)  # nearly straight: few do
    ax.plot(lags, 1.1**lags, "--", color=look.colour("muted"), linewidth=1.2)
    for g, s in (0.9, 0), (1.0, 0), (1.1, 0), (1.1, 0.5):
        for k in reversed(range(NETWORKS)):
            style = look.line("gradient")
            if k > 0:
                style |= {"linewidth": 0.6, "alpha": 0.45}
            ax.plot(lags, norms(k, g, s)[lags], **style)
    name_powers(look, ax)
    name_ends(look, ax)
    ax.set(xlabel="steps back $\\ell$", ylabel="gradient norm (log scale)")
    ax.set(xlim=(0, LAGS), ylim=(1e-21, 1e9), yscale="log")
    ax.set_yticks([1e-20, 1e-15, 1e-10, 1e-5, 1, 1e5])
    ax.minorticks_off()
    return fig


def name_powers(look, ax):
    """Two dots on the line of g = 0.9, with their values."""
    dot = {"color": look.colour("gradient"), "clip_on": False, "ms": 5}
    ax.plot(100, 0.9**100, "o", **dot)
    text, place = "$0.9^{100}$ = 2.7×10⁻⁵", {"ha": "left", "va": "bottom"}
    note(ax, text, (100, 0.9**100), (4, 5), **place)
    ax.plot(200, 0.9**200, "o", **dot)
    text, shift = "$0.9^{200}$ = 7.1×10⁻¹⁰", (-4, -9)
    if look.narrow:
        text, shift = "7.1×10⁻¹⁰", (-2, -9)
    note(ax, text, (200, 0.9**200), shift, ha="right", va="top")


def name_ends(look, ax):
    for text, y, quantity in (
        ("bound 1.1$^{\\ell}$", 1.1**200, "muted"),
        ("$g$ = 1.1", 3e1, "gradient"),
        ("$g$ = 1.0", 3e-2, "gradient"),
        ("$g$ = 0.9", 7e-10, "gradient"),
        ("$g$ = 1.1,\nnoise 0.5", 1e-18, "gradient"),
    ):
        end_note(ax, text, (LAGS, y), look.colour(quantity), (6, 0))
