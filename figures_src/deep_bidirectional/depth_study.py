"""How many updates a stack needs, against its depth, with and without +.

For docs/en/deep_bidirectional.md. Every seed of studies/depth.py.
"""

import matplotlib.pyplot as plt
import numpy as np

from bookproof.run.records import runs, select
from figures_src.studies.depth import DEPTHS, SEEDS, STACKS, depths

NEVER = 1600  # where a stack that did not learn is drawn
TICKS = {30: "30", 100: "100", 300: "300", 1000: "1000", NEVER: "never"}
LOOKS = {  # words, quantity whose look it has, marker, shift, words' place
    "LSTM": ("layer on layer", "c", "s", -0.12, (5.6, 330)),
    "LSTM residual": ("each layer adds", "keep", "o", 0.12, (8.6, 46)),
}


def column(stack, depth):
    """The runs of one stack, with the learning rate chosen for it."""
    return select(runs("depth"), stack=stack, depth=depth, seed=SEEDS)


def results():
    """{stack: {depth: solved, of, updates of the solved, accuracies}}."""
    return {
        stack: {d: summary(column(stack, d)) for d in depths(stack)}
        for stack in STACKS
    }


def summary(found):
    return {
        "solved": sum(run["solved"] for run in found),
        "of": len(found),
        "updates": [run["updates"] for run in found if run["solved"]],
        "accuracy": [run["accuracy"] for run in found],
        "rate": found[0]["rate"],
    }


def figure(look):
    """LSTM and residual LSTM: every seed, a line through the medians."""
    fig, ax = plt.subplots(figsize=look.size())
    for stack, (words, quantity, marker, shift, place) in LOOKS.items():
        style, own = look.line(quantity), depths(stack)
        at = np.array([updates(column(stack, depth)) for depth in own])
        middle = np.median(at, axis=1)
        ax.plot(own, np.where(middle < NEVER, middle, np.nan), **style)
        dots = {"color": style["color"], "ms": 4, "mew": 0, "alpha": 0.6}
        for depth, row in zip(own, at, strict=True):
            x = depth + shift + np.linspace(-0.12, 0.12, len(row))
            ax.plot(x, row, marker, **dots)
        ax.text(*place, words, color=style["color"], ha="right")
    ax.axhspan(1250, 2100, color=look.colour("x"), alpha=0.12, lw=0)
    ax.set(yscale="log", ylim=(30, 2100), xlabel="layers", xticks=DEPTHS)
    ax.set_yticks(list(TICKS), TICKS.values())
    ax.set_yticks([], minor=True)
    ax.set(ylabel="updates (log scale)")
    return fig


def updates(found):
    """Of each run, NEVER for those that did not learn."""
    return [run["updates"] if run["solved"] else NEVER for run in found]
