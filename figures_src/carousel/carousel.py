"""What f^k says of an LSTM's gradient, and what all its roads add to it.

For docs/en/carousel.md and the lab of the same name. The forget gate is
*held*: its weights are zero and its bias is the logit of f, so f_t = f for
every unit at every step and the direct path is f^lag exactly, whatever W_hh
is. The other three gates are free, with PyTorch's start. The loss reads the
last cell alone, L = sum(c_T) / sqrt(H), so that its gradient has length one at
lag 0. "Direct" goes back by the block diag(f) of every Jacobian, "total" by
the whole of it, and is the length of dL/dh and dL/dc together. g scales W_hh,
of the LSTM (i, g and o) and of a plain tanh network with as many units and the
same inputs, whose loss is sum(h_T) / sqrt(H).

results() has what the lab needs: the first network ("lstm" by its blocks
i | g | o, "rnn", inputs x in tenths, all row by row; states start at
zero) and some values at lag T for all networks.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import end_note
from figures_src.lib.seeds import plot_seeds
from seqbook.gradients import backward_norms, rnn_jacobians
from seqbook.lstm import LSTMParams, init_lstm, lstm_jacobian, lstm_step
from seqbook.rnn import RNNParams, init_rnn, rnn_forward

H, D = 6, 3
T = 100  # steps, from zero states
NETWORKS = 5  # the first is the lab's
GATES = 1.0, 0.99, 0.9
SCALES = 0.0, 1.0, 3.0
FREE = np.r_[0:H, 2 * H : 4 * H]  # rows of i, g and o


@cache
def network(seed):
    """-> LSTMParams, RNNParams to nine digits, x (T, D) in tenths."""
    rng = np.random.default_rng(seed)
    cells = init_lstm(rng, D, H), init_rnn(rng, D, H)
    weights = [[w.round(9) for w in vars(p).values()] for p in cells]
    lstm, rnn = LSTMParams(*weights[0]), RNNParams(*weights[1])
    return lstm, rnn, np.rint(10 * rng.normal(size=(T, D)))


def held(lstm, f, g):
    """LSTMParams with W_hh times g and every forget gate at f."""
    with np.errstate(divide="ignore"):
        b_f = np.clip(np.log(f) - np.log1p(-f), -800, 800)
    W_xh, W_hh, b_h = lstm.W_xh.copy(), g * lstm.W_hh, lstm.b_h.copy()
    rows = slice(len(b_h) // 4, len(b_h) // 2)  # i | f | g | o
    W_xh[rows], W_hh[rows], b_h[rows] = 0, 0, b_f
    return LSTMParams(W_xh, W_hh, b_h)


@cache
def total(seed, f, g):
    """Norms (T + 1,) of the gradient at lag 0 .. T, by all roads."""
    lstm, _, x = network(seed)
    p, h, c, J = held(lstm, f, g), np.zeros((1, H)), np.zeros((1, H)), []
    for x_t in x / 10:
        J.append(lstm_jacobian(p, x_t, h[0], c[0]))
        h, c, _ = lstm_step(p, x_t[None], h, c)
    return backward_norms(np.array(J), np.r_[np.zeros(H), unit()])


@cache
def plain(seed, g):
    """The same (T + 1,) for the plain network."""
    _, rnn, x = network(seed)
    p = RNNParams(rnn.W_xh, g * rnn.W_hh, rnn.b_h)
    h, _ = rnn_forward(p, x[:, None] / 10, np.zeros((1, H)))
    return backward_norms(rnn_jacobians(p, h[:, 0]), unit())


def direct(f):
    """f^lag (T + 1,): the length that the block diag(f) alone leaves."""
    return f ** np.arange(T + 1.0)


def unit():
    return np.ones(H) / np.sqrt(H)


def results():
    """The lab's network, and what is left at lag T in all of them."""
    lstm, rnn, x = network(0)
    found = {"H": H, "D": D, "T": T}
    found["lstm"] = {k: w[FREE].ravel().tolist() for k, w in items(lstm)}
    found["rnn"] = {k: w.ravel().tolist() for k, w in items(rnn)}
    found["x"] = x.astype(int).ravel().tolist()
    seeds = range(NETWORKS)
    found["total"] = {
        f"{f} {g}": [float(total(k, f, g)[T]) for k in seeds]
        for f in GATES
        for g in SCALES
    }
    found["direct"] = {f"{f}": float(direct(f)[T]) for f in GATES}
    found["plain"] = {
        f"{g}": [float(plain(k, g)[T]) for k in seeds] for g in SCALES
    }
    return found


def items(params):
    return vars(params).items()


def figure(look):
    """Left the direct path alone, right all roads; both with a plain net."""
    share = {"sharex": True} if look.narrow else {"sharey": True}
    size = look.size(3.3, phone=5.58)
    fig, axes = plt.subplots(*look.row(2), figsize=size, **share)
    lags = np.arange(0, T + 1, 5)
    draw_direct(look, axes[0], lags)
    draw_total(look, axes[1], lags)
    names = "direct path alone: $f^{\\ell}$", "all roads"
    for ax, name in zip(axes, names, strict=True):
        curves = np.array([plain(k, 1.0) for k in range(NETWORKS)])
        plot_seeds(ax, lags, curves[:, lags], look.line("h"))
        ax.annotate("plain network", (47, 3e-8), color=look.colour("h"))
        ax.annotate(name, (0.02, 0.97), xycoords="axes fraction", va="top")
        ax.set(yscale="log", xlim=(0, T), ylim=(1e-8, 1e3))
        ax.minorticks_off()
    axes[-1].set_xlabel("steps back $\\ell$")
    axes[0].set_ylabel("gradient norm (log scale)")
    if look.narrow:
        axes[1].set_ylabel("gradient norm (log scale)")
    else:
        axes[0].set_xlabel("steps back $\\ell$")
    return fig


AWAY = {1.0: 4, 0.99: -5, 0.9: 0}  # two names that would nearly meet


def draw_direct(look, ax, lags):
    for f in GATES:
        ax.plot(lags, direct(f)[lags], **look.line("keep"))
        name_end(look, ax, direct(f)[T], f, "keep")


def draw_total(look, ax, lags):
    for f in GATES:
        curves = np.array([total(k, f, 1.0) for k in range(NETWORKS)])
        plot_seeds(ax, lags, curves[:, lags], look.line("c"))
        name_end(look, ax, np.median(curves[:, T]), f, "c")


def name_end(look, ax, y, f, quantity):
    shift, colour = (5, AWAY[f]), look.colour(quantity)
    end_note(ax, f"$f = {f:g}$", (T, y), colour, shift)
