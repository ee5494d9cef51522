"""What dropout leaves of a memory, by where it acts.

For docs/en/training.md. A line is what one unit held before the first step; it
ends where a mask of the recurrent state hits the unit. Crosses are masks on
the way up, which leave the state alone.
"""

import matplotlib.pyplot as plt
import numpy as np

UNITS, T, KEEP = 24, 20, 0.8


def masks(seed=0):
    """-> new masks (T, UNITS) and one mask (UNITS,), True where kept."""
    rng = np.random.default_rng(seed)
    return rng.random((T, UNITS)) < KEEP, rng.random(UNITS) < KEEP


def lives(kept):
    """Masks (T, UNITS) -> steps each unit's memory lasts (UNITS,)."""
    return np.cumprod(kept, axis=0).sum(axis=0)


def figure(look):
    each, one = masks()
    panels = {
        "on the state, new every step": (lives(each), None),
        "on the state, one a sequence": (T * one, None),
        "on the way up only": (np.full(UNITS, T), each),
    }
    fig, axes = plt.subplots(
        *look.row(3),
        figsize=look.size(2.9, phone=7.2),
        sharex=True,
        sharey=True,
    )
    for ax, (name, (until, up)) in zip(axes, panels.items(), strict=True):
        units = np.arange(UNITS)
        ax.hlines(units, 0, until, color=look.colour("h"), lw=1.6)
        ended = units[until < T]
        ax.plot(until[ended], ended, "o", color=look.colour("h"), ms=2.5)
        if up is not None:
            t, unit = np.nonzero(~up)
            ax.plot(t + 1, unit, "x", color=look.colour("gradient"), ms=3)
        ax.annotate(name, (0.5, 1.03), xycoords="axes fraction", ha="center")
        ax.set(xlim=(-0.5, T + 0.5), yticks=[])
        if ax is axes[-1] or not look.narrow:
            ax.set_xlabel("time step $t$")
    axes[0].set_ylabel("units")
    return fig
