"""From how far the inputs come that change an answer. For docs/sequences.md.

What the study behind task_cards.py counted: five hundred fresh examples on
each of five seeds, every input blanked once, every changed answer counted
by its distance from the input.
"""

import matplotlib.pyplot as plt
import numpy as np

from figures_src.palette import colour, size
from seqbook.press.studies import load_study

NAMES = {
    "opinion": "classification",
    "tags": "labelling",
    "melody": "generation",
    "quarters": "forecasting",
    "numbers": "sequence to sequence",
}
LAGS = np.arange(-3, 23)


def shares(runs):
    """One dictionary of counts a seed -> (seeds, lags), each row sums to 1."""
    counts = [[run["flips"].get(str(g), 0) for g in LAGS] for run in runs]
    found = np.array(counts, float)
    return found / found.sum(axis=1, keepdims=True)


def results():
    """{task: {"mean", "least", "most": a distance on each seed, "far":
    share of changes from more than four steps away}}."""
    measured = load_study("task_cards")["results"]["measured"]
    found = {}
    for name, runs in measured.items():
        share = shares(runs)
        seen = share > 0
        found[name] = {
            "mean": (share @ LAGS).round(3).tolist(),
            "least": [int(LAGS[row].min()) for row in seen],
            "most": [int(LAGS[row].max()) for row in seen],
            "far": share[:, LAGS > 4].sum(axis=1).round(4).tolist(),
            "behind": share[:, LAGS < 0].sum(axis=1).round(4).tolist(),
            "mode": [int(LAGS[row.argmax()]) for row in share],
        }
    return found


def figure():
    measured = load_study("task_cards")["results"]["measured"]
    fig, axes = plt.subplots(
        len(NAMES), 1, figsize=size(5.2), sharex=True, sharey=False
    )
    for ax, (name, label) in zip(axes, NAMES.items(), strict=True):
        share = 100 * shares(measured[name])
        middle = np.median(share, axis=0)
        ax.bar(LAGS, middle, 0.7, color=colour("keep"), alpha=0.55)
        ax.vlines(
            LAGS,
            share.min(axis=0),
            share.max(axis=0),
            color=colour("ink"),
            lw=1,
        )
        ax.axvline(0, color=colour("muted"), lw=0.8, ls=":")
        ax.annotate(
            label, (1, 0.98), xycoords="axes fraction", ha="right", va="top"
        )
        ax.set(ylim=(0, None), xlim=(-3.5, 22.5))
        ax.yaxis.set_major_locator(plt.MaxNLocator(2))
    axes[-1].set_xticks([-2, 0, 4, 8, 12, 16, 20])
    axes[-1].set_xlabel("distance in steps from the input to the answer")
    fig.supylabel("share of all changed answers in %", fontsize=10.5)
    return fig
