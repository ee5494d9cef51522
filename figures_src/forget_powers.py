"""f^k for three forget gates, with their half-lives. For docs/carousel.md."""

import matplotlib.pyplot as plt
import numpy as np

from figures_src import palette
from figures_src.palette import colour, line, size

GATES = 0.9, 0.99, 0.999


def half_life(f):
    """Steps after which a half is left."""
    return float(np.log(0.5) / np.log(f))


def figure():
    fig, ax = plt.subplots(figsize=size())
    k = np.geomspace(1, 10**4, 100)
    ax.axvline(100, color=colour("muted"), lw=0.8)
    ax.annotate(
        "100 steps",
        (100, 1.04),
        (4, 0),
        textcoords="offset points",
        color=colour("muted"),
        fontsize=9.5,
    )
    gap = "\n" if palette.narrow else " "
    for f in GATES:
        ax.plot(k, f**k, **line("keep"))
        steps = half_life(f)
        ax.plot(steps, 0.5, "o", ms=5, color=colour("keep"))
        ax.annotate(
            f"$f = {f:g}$\n{steps:.3g}{gap}steps",
            (steps, 0.5),
            (11 if palette.narrow else 9, 0),
            textcoords="offset points",
            va="center" if palette.narrow else "bottom",
            color=colour("keep"),
            fontsize=9.5,
        )
    ax.set(xscale="log", xlim=(1, 10**4), ylim=(0, 1.12))
    ax.set(xlabel="steps $k$ (log scale)", ylabel="what is left, $f^k$")
    ax.set_yticks([0, 0.5, 1])
    ax.minorticks_off()
    return fig
