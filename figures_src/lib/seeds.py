"""What several seeds gave: a faint line for each, and their median."""

import numpy as np

FAINT = {"linewidth": 0.6, "alpha": 0.4, "linestyle": "-"}


def plot_seeds(ax, x, runs, style, **median):
    """x (n,), runs (seeds, n); style is plot()'s, median is what it adds.

    The median alone has the width and the dash of the style.
    """
    for run in runs:
        ax.plot(x, run, **style | FAINT)
    ax.plot(x, np.median(runs, axis=0), **style | median)
