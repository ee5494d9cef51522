"""Growth of a gradient, per step, over the scale of W and the input noise.

For docs/en/vanishing_gradients.md. The map is the Lyapunov exponent of a tanh
RNN of 64 units; the line is where a gradient neither grows nor shrinks.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap, TwoSlopeNorm

from figures_src.lib.notes import note
from figures_src.vanishing_gradients.bound_and_measured import jacobians
from seqbook.gradients import lyapunov_exponent, spectral_radius
from seqbook.rnn import init_rnn

N, T, BURN_IN = 64, 100, 100
SCALES = np.linspace(0.4, 2.0, 17)
NOISES = np.linspace(0.0, 1.0, 11)


def growth(g, s, seed=0):
    """Nats a step by which the gradient of one network grows."""
    rng = np.random.default_rng(seed)
    J = jacobians(rng, g, s, N, T, BURN_IN)
    return lyapunov_exponent(J.swapaxes(1, 2)[::-1], rng.normal(size=N))


@cache
def grid():
    """growth (len(NOISES), len(SCALES)), for the picture."""
    return np.array([[growth(g, s) for g in SCALES] for s in NOISES])


def default_scale(seeds=5):
    """Spectral radius of the default initialisation, one a seed."""
    rngs = map(np.random.default_rng, range(seeds))
    return [spectral_radius(init_rnn(rng, N, N).W_hh) for rng in rngs]


def results():
    """Largest noiseless scale that shrinks, and what noise then allows."""
    nats = grid()
    return {
        "scales": SCALES.tolist(),
        "noises": NOISES.tolist(),
        "growth": nats.tolist(),
        "default_scale": default_scale(),
    }


def figure(look):
    fig, ax = plt.subplots(figsize=look.size())
    nats, ink = grid(), look.colour("ink")
    three = [look.colour(q) for q in ("h", "paper", "gradient")]
    colours = LinearSegmentedColormap.from_list("growth", three)
    norm, levels = TwoSlopeNorm(0.0, -1.6, 0.6), np.linspace(-1.6, 0.6, 12)
    place = SCALES, NOISES, nats
    mesh = ax.contourf(*place, levels, cmap=colours, norm=norm)
    zero = ax.contour(*place, [0.0], colors=[ink], linewidths=1.8)
    ax.clabel(zero, fmt={0.0: "neither"}, fontsize=9.5)
    ax.text(0.85, 0.62, "shrinks", color=ink)
    ax.text(1.72, 0.08, "grows", color=ink)
    start = float(np.median(default_scale()))
    ax.axvline(start, color=ink, linestyle=":", linewidth=1.2)
    note(ax, "default start", (start, 0.93), (5, 0))
    ax.set(xlabel="scale $g$ of $W_{hh}$", ylabel="input noise $s$")
    bar = fig.colorbar(mesh, ax=ax, label="growth, nats a step")
    bar.set_ticks([-1.5, -1.0, -0.5, 0.0, 0.5])
    return fig
