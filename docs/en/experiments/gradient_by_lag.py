# %% [markdown]
# # Where the gradient goes {#where-the-gradient-goes}
#
# A loss stands at the last of a hundred steps.
# How much of its gradient reaches the inputs one, ten, fifty, ninety-nine steps earlier?
# We measure it in every cell of this book, untrained and started much as PyTorch starts it, and then with the one number changed that decides about memory.
#
# You need [vanishing gradients](../vanishing_gradients.md) and, for the names of the gates, [gated recurrent units](../gru.md).
#
# ## The measurement {#measurement}
#
# Sixty-four units, eight inputs, a batch of thirty-two random sequences, loss $L = \sum h_T^2$.
# The backward passes are the book's own, and so is the orthogonal start.

# %%
import time

import numpy as np

from seqbook.gradients import orthogonal
from seqbook.gru import gru_backward, gru_forward, init_gru
from seqbook.lstm import init_lstm, lstm_backward, lstm_forward
from seqbook.rnn import init_rnn, rnn_backward, rnn_forward

T, B, D, H, SEEDS = 100, 32, 8, 64, 5


def rnn(rng, start):
    p = init_rnn(rng, D, H)
    if start == "orthogonal":
        p.W_hh = orthogonal(rng, H)
    x, zero = rng.normal(size=(T, B, D)), np.zeros((B, H))
    h, cache = rnn_forward(p, x, zero)
    return rnn_backward(p, at_the_end(h), cache)[0]


def gru(rng, b_z):
    p = init_gru(rng, D, H)
    if b_z is not None:
        p.b_h[H : 2 * H] = b_z  # blocks r | z | n
    x, zero = rng.normal(size=(T, B, D)), np.zeros((B, H))
    h, cache = gru_forward(p, x, zero)
    return gru_backward(p, at_the_end(h), cache)[0]


def lstm(rng, b_f):
    p = init_lstm(rng, D, H)
    if b_f is not None:
        p.b_h[H : 2 * H] = b_f  # blocks i | f | g | o
    x, zero = rng.normal(size=(T, B, D)), np.zeros((B, H))
    h, _, cache = lstm_forward(p, x, zero, zero)
    return lstm_backward(p, at_the_end(h), zero, cache)[0]


def at_the_end(h):
    dh = np.zeros_like(h)
    dh[-1] = 2 * h[-1]  # L = sum of h_T squared
    return dh


# %% [markdown]
# `dx` has the shape (T, B, D). We take the norm of each step's slice, turn time round so that the last step, at lag zero, comes first, and divide by it: only the *shape* of the decay counts, since a common factor could be made up by the learning rate.

# %%
CELLS = {
    "RNN": (rnn, None),
    "RNN, orthogonal": (rnn, "orthogonal"),
    "GRU": (gru, None),
    "GRU, b_z = -3": (gru, -3.0),
    "LSTM": (lstm, None),
    "LSTM, b_f = 1": (lstm, 1.0),
    "LSTM, b_f = 2": (lstm, 2.0),
    "LSTM, b_f = 5": (lstm, 5.0),
}


def decay(cell, setting, seed):
    dx = cell(np.random.default_rng(seed), setting)
    norms = np.linalg.norm(dx, axis=(1, 2))[::-1]
    return norms / norms[0]


started = time.process_time()
runs = {
    name: np.array([decay(cell, setting, s) for s in range(SEEDS)])
    for name, (cell, setting) in CELLS.items()
}
seconds = time.process_time() - started

for name, curves in runs.items():
    row = "  ".join(f"{np.median(curves[:, k]):8.1e}" for k in (1, 10, 50, 99))
    print(f"{name:16s} {row}")

# %% [markdown]
# The columns are four lags, from one to ninety-nine, the entries medians over five seeds.
# It took […](#= "f'{seconds:.0f}'") seconds on one core of the machine that built this page.

# %%
import matplotlib.pyplot as plt

from bookproof.run.figures import Shown, spread

LINES = {"RNN": ("h", "-"), "GRU": ("write", "--"), "LSTM": ("c", "-")}


def draw(look):
    fig, ax = plt.subplots(figsize=look.size(4.2))
    ends = {
        name: np.median(curves, axis=0)[-1] for name, curves in runs.items()
    }
    below, places = 0, {}
    for name in sorted(ends, key=ends.get):  # labels, one above the other
        below = places[name] = max(ends[name], 20 * below)
    for name, curves in runs.items():
        quantity, style = LINES[name.partition(",")[0]]
        colour, special = look.colour(quantity), "," in name
        for curve in curves:
            ax.plot(curve, style, color=colour, lw=0.5, alpha=0.35)
        middle = np.median(curves, axis=0)
        ax.plot(middle, style, color=colour, lw=2.2 - special)
        ax.annotate(
            name,
            (T - 1, places[name]),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=colour,
        )
    ax.set(yscale="log", ylim=(1e-26, 1e3), xlim=(0, 99))
    ax.set(xlabel="lag", ylabel="gradient, lag 0 = 1 (log axis)")
    return fig


Shown(draw, "Gradient against lag for eight cells on a log axis")

# %% [markdown]
# Three things to see.
#
# **At its default start an LSTM loses the gradient like a plain network.**
# At the farthest lag it is [below a ten-billionth](#= "runs['LSTM'][:, 99].max() < 1e-10") on every seed. The road through the cell is there, but its gates are half shut: a fresh forget gate is near one half, and a half to the power of ninety-nine is [1.6×10⁻³⁰](#= "0.5**99"). What arrives is [a hundred million times](#= "runs['LSTM'][:, 99].min() > 10**8 * 0.5**99") more, by other roads; we come to them [below](#direct-path). The GRU, whose default gate overwrites half of the state, [does no better](#= "runs['GRU'][:, 99].max() < 1e-10").
#
# **One number changes that.**
# With a forget bias of one the far gradient is [more than twelve orders of magnitude](#= "runs['LSTM, b_f = 1'][:, 99].min() > 10**12 * runs['LSTM'][:, 99].max()") above the default's. With a bias of two, […](#= "spread(runs['LSTM, b_f = 2'][:, 99])") of it arrives. The GRU with $b_z = -3$ gains as well: […](#= "spread(runs['GRU, b_z = -3'][:, 99])") arrives.
#
# **There is too much of it, too.**
# With a bias of five the far end gets [more than the near end](#= "np.median(runs['LSTM, b_f = 5'][:, 99]) > 1"): on its way back the gradient is fed at every step [through the candidate](#direct-path), which looks at what the kept cell shows. "Nearly flat for an LSTM" is a statement about a bias, not about a cell.
#
# The orthogonal network is [far better](#= "runs['RNN, orthogonal'][:, 99].min() > 10**10 * runs['RNN'][:, 99].max()") than the default and [better even](#= "runs['RNN, orthogonal'][:, 99].min() > runs['LSTM, b_f = 1'][:, 99].max()") than the LSTM with a bias of one. It still falls, since its matrix preserves lengths and its tanh does not.
#
# ## What the direct path leaves out {#direct-path}
#
# The usual explanation of these curves is one line: $\partial c_t / \partial c_{t-1} = f_t$, so what counts is the product of the forget gates.
# That derivative holds the old output $h_{t-1}$ fixed. But $h_{t-1} = o_{t-1} \odot \tanh(c_{t-1})$ depends on the cell, and three gates and the candidate of step $t$ all look at it.
# How much does the one line leave out?

# %%
from seqbook.gradcheck import relative_error
from seqbook.lstm import lstm_step


def jacobians(seed, H=6, scale=3.0, eps=1e-6):
    """Direct and total dc_2/dc_1 of an LSTM step by central differences."""
    rng = np.random.default_rng(seed)
    p = init_lstm(rng, 3, H)
    p.W_hh *= scale
    x_1, x_2 = rng.normal(size=(2, 1, 3))
    h_0, c_0 = rng.normal(size=(2, 1, H))
    h_1, c_1, (*_, o_1, _) = lstm_step(p, x_1, h_0, c_0)
    direct, total = np.zeros((H, H)), np.zeros((H, H))
    for j in range(H):
        for sign in (1, -1):
            c = c_1.copy()
            c[0, j] += sign * eps
            held = lstm_step(p, x_2, h_1, c)[1]
            moved = lstm_step(p, x_2, o_1 * np.tanh(c), c)[1]
            direct[:, j] += sign * held[0] / (2 * eps)
            total[:, j] += sign * moved[0] / (2 * eps)
    f_2 = lstm_step(p, x_2, h_1, c_1)[2][4]
    return direct, total, f_2[0]


pairs = [jacobians(seed) for seed in range(SEEDS)]
left_out = [relative_error(direct, total) for direct, total, _ in pairs]
exact = [relative_error(direct, np.diag(f)) for direct, _, f in pairs]
print(f"direct path against diag(f): {max(exact):.0e}")
print("left out of the total:", ", ".join(f"{e:.0%}" for e in left_out))

# %% [markdown]
# The direct path is the forget gate to [the precision of the differences](#= "max(exact) < 1e-6"), as the formula says.
# The total derivative is something else: with recurrent weights three times the default, […](#= "f'{min(left_out):.0%} – {max(left_out):.0%}'") of it is missing from the one line, over the seeds.
#
# That was one step. Over many steps, at ordinary weights, how much of the gradient takes the direct road?
# We walk back again and drop, at every step, what comes through $h_{t-1}$.

# %%
from seqbook.lstm import lstm_step_backward


def without(cut, seed, b_f):
    """As decay(), the rows of W_hh in cut (of "ifgo") shut on the way back."""
    rng = np.random.default_rng(seed)
    p = init_lstm(rng, D, H)
    if b_f is not None:
        p.b_h[H : 2 * H] = b_f
    x, h, c = rng.normal(size=(T, B, D)), np.zeros((B, H)), np.zeros((B, H))
    caches = []
    for x_t in x:
        h, c, cache = lstm_step(p, x_t, h, c)
        caches.append(cache)
    for name in cut:
        p.W_hh["ifgo".index(name) * H :][:H] = 0
    dh, dc, norms = 2 * h, np.zeros_like(c), []
    for cache in caches[::-1]:
        dx, dh, dc, _ = lstm_step_backward(p, dh, dc, cache)
        norms.append(np.linalg.norm(dx))
    return np.array(norms) / norms[0]


roads = {}
for name, (cell, b_f) in CELLS.items():
    if cell is lstm:
        direct = [without("ifgo", seed, b_f)[99] for seed in range(SEEDS)]
        roads[name] = np.array(direct) / runs[name][:, 99]
        one, all_ = np.median(direct), np.median(runs[name][:, 99])
        print(f"{name:14s} direct {one:7.1e}  all roads {all_:7.1e}")

gates, candidate = (
    np.array([without(cut, seed, 5.0)[99] for seed in range(SEEDS)])
    for cut in ("ifo", "g")
)

# %% [markdown]
# The direct road carries the *smaller* part, in every setting: [less than a thousandth](#= "max(roads[n].max() for n in ('LSTM', 'LSTM, b_f = 1', 'LSTM, b_f = 2')) < 1e-3") of what arrives at the farthest lag up to a bias of two, and [less than a tenth](#= "roads['LSTM, b_f = 5'].max() < 0.1") at five.
# And the others lead through the candidate. At a bias of five, shut the three gates to the gradient on its way back, and […](#= "spread(gates)") of it arrives, [over seven tenths](#= "(gates / runs['LSTM, b_f = 5'][:, 99]).min() > 0.7") of what all roads bring; shut the candidate instead, and it is […](#= "spread(candidate)").
# Whoever reads $f^k$ as "the gradient of an LSTM" has one road. Over many steps most of the gradient takes the others.
#
# ## What this does not show {#limits}
#
# The networks are untrained, the inputs are noise and the loss is a toy.
# A gradient that arrives is necessary for learning, not sufficient; whether a cell then *learns* to remember is measured in [the chapter on the GRU](../gru.md#which-remembers).
