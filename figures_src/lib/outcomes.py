"""When each of several seeds reached a goal: summed up, and drawn in rows."""

import matplotlib.pyplot as plt
import numpy as np


def summary(runs):
    """Runs of one row -> how often, how soon, how well."""
    solved = [run["iterations"] for run in runs if run["solved"]]
    reached = [run["accuracy"] for run in runs]
    return {
        "solved": len(solved),
        "of": len(runs),
        "median": float(np.median(solved)) if solved else None,
        "fastest": min(solved, default=None),
        "slowest": max(solved, default=None),
        "lowest": min(reached),
        "highest": max(reached),
    }


def iterations(runs, never):
    """Of each run; `never` stands for those that did not reach the goal."""
    return [run["iterations"] if run["solved"] else never for run in runs]


def mark_seeds(ax, y, x, marker, spread, bar, **style):
    """A mark a seed at x, spread around y, and a bar at their median."""
    at = y + np.linspace(-spread, spread, len(x))
    ax.plot(x, at, marker, **style)
    middle, colour = np.median(x), style["color"]
    ax.vlines(middle, y - bar, y + bar, color=colour, lw=2)


def panels(look, n, labels, limits, ticks, never, height, phone):
    """-> figure, n axes: panels of rows, a label each, of iterations.

    limits: of iterations, on a log axis; ticks: {iterations: text}; never:
    from where on those stand that did not reach the goal.
    """
    size = look.size(height, phone)
    shared = {"sharex": True, "sharey": True}
    fig, axes = plt.subplots(*look.row(n), figsize=size, **shared)
    for ax in axes:
        band = {"color": look.colour("x"), "alpha": 0.12, "lw": 0}
        ax.axvspan(never, limits[1], **band)
        if ax is axes[-1] or not look.narrow:
            ax.set(xlabel="iterations (log scale)")
    axes[0].set(xscale="log", xlim=limits)
    axes[0].set_xticks(list(ticks), ticks.values())
    axes[0].set_xticks([], minor=True)
    axes[0].set_yticks(range(len(labels)), labels)
    axes[0].invert_yaxis()
    return fig, axes


def name_panel(ax, title):
    place = {"xycoords": "axes fraction", "ha": "center"}
    ax.annotate(title, (0.5, 1.02), **place)
