"""The Jacobian of c_T in c_{T-lag}: by its direct path, and by all of them.

For docs/en/carousel.md. Untrained LSTMs with PyTorch's start and one forget
bias each read noise. "direct" multiplies the forget gates alone, "total" the
whole Jacobians of the pair (h, c) and takes the block of c in c; of both the
spectral norm, which for the direct path is the product of its best unit.
results() also cuts the road through one gate at a time: that gate gets the
number W h_{t-1} as a constant, so that the states stay as they were.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import end_note
from figures_src.lib.seeds import plot_seeds
from seqbook.gradients import spectral_norm
from seqbook.lstm import LSTMParams, init_lstm, lstm_jacobian, lstm_step

H, D, T, SEEDS = 32, 8, 100, 5
BIASES = None, 1, 2, 5  # of the forget gate; None is PyTorch's start
GATES = "ifgo"


@cache
def norms(b_f, seed, cut=None):
    """Norms (T + 1,) at lag 0 .. T, direct and total, with one gate cut."""
    rng = np.random.default_rng(seed)
    p = init_lstm(rng, D, H)
    if b_f is not None:
        p.b_h[H : 2 * H] = b_f
    h, c, J = np.zeros((1, H)), np.zeros((1, H)), []
    for x_t in rng.normal(size=(T, D)):
        q = p if cut is None else deaf(p, GATES.index(cut), h[0])
        J.append(lstm_jacobian(q, x_t, h[0], c[0]))
        h, c, _ = lstm_step(p, x_t[None], h, c)
    product, kept = np.eye(2 * H)[H:], np.ones(H)  # the rows of c_T
    found = [(1.0, 1.0)]
    for J_t in J[::-1]:
        product, kept = product @ J_t, kept * np.diag(J_t)[H:]
        found.append((kept.max(), spectral_norm(product[:, H:])))
    return np.array(found).T


def deaf(p, block, h_prev):
    """p with one gate told what h_prev says, instead of listening to it."""
    rows = slice(block * H, (block + 1) * H)
    W_hh, b_h = p.W_hh.copy(), p.b_h.copy()
    b_h[rows] += W_hh[rows] @ h_prev
    W_hh[rows] = 0
    return LSTMParams(p.W_xh, W_hh, b_h)


def results():
    """{b_f: {"direct", "total", "a_step", "cut"}} at lag T, a value a seed.

    a_step is the factor by which total outgrows direct, per step; cut is the
    total without the road through one gate.
    """
    found = {}
    for b_f in BIASES:
        runs = np.array([norms(b_f, seed)[:, T] for seed in range(SEEDS)])
        found[str(b_f)] = {
            "direct": runs[:, 0].tolist(),
            "total": runs[:, 1].tolist(),
            "a_step": ((runs[:, 1] / runs[:, 0]) ** (1 / T)).tolist(),
            "cut": {
                gate: [norms(b_f, k, gate)[1, T] for k in range(SEEDS)]
                for gate in GATES
            },
        }
    return found


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(4.4))
    lags = np.arange(0, T + 1, 10)
    for b_f in BIASES:
        name = "default" if b_f is None else f"$b_f = {b_f}$"
        runs = np.array([norms(b_f, seed) for seed in range(SEEDS)])
        for column, (road, quantity) in enumerate(ROADS.items()):
            curves, colour = runs[:, column, lags], look.colour(quantity)
            plot_seeds(ax, lags, curves, look.line(quantity))
            end = T, np.median(curves[:, -1])
            shift = 5, AWAY.get((b_f, road), 0)
            end_note(ax, f"{name}, {road}", end, colour, shift)
    ax.set(yscale="log", xlim=(0, T), ylim=(1e-30, 1e5))
    ax.set(xlabel="steps back $\\ell$", ylabel="norm (log scale)")
    ax.minorticks_off()
    return fig


ROADS = {"direct": "keep", "total": "c"}
AWAY = {(5, "direct"): 3, (2, "total"): -5}  # two names that would meet
