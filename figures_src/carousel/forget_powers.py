"""f^k for three forget gates, with their half-lives.

For docs/en/carousel.md.
"""

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import note

GATES = 0.9, 0.99, 0.999


def half_life(f):
    """Steps after which a half is left."""
    return float(np.log(0.5) / np.log(f))


def figure(look):
    fig, ax = plt.subplots(figsize=look.size())
    k = np.geomspace(1, 10**4, 100)
    muted, keep = look.colour("muted"), look.colour("keep")
    ax.axvline(100, color=muted, lw=0.8)
    note(ax, "100 steps", (100, 1.04), (4, 0), color=muted)
    gap, shift, va = " ", (9, 0), "bottom"
    if look.narrow:
        gap, shift, va = "\n", (11, 0), "center"
    for f in GATES:
        ax.plot(k, f**k, **look.line("keep"))
        steps = half_life(f)
        ax.plot(steps, 0.5, "o", ms=5, color=keep)
        name = f"$f = {f:g}$\n{steps:.3g}{gap}steps"
        note(ax, name, (steps, 0.5), shift, va=va, color=keep)
    ax.set(xscale="log", xlim=(1, 10**4), ylim=(0, 1.12))
    ax.set(xlabel="steps $k$ (log scale)", ylabel="what is left, $f^k$")
    ax.set_yticks([0, 0.5, 1])
    ax.minorticks_off()
    return fig
