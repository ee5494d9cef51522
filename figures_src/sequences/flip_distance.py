"""From how far the inputs come that change an answer.

For docs/en/sequences.md. What studies/task_cards.py counted: five hundred
fresh examples on each of five seeds, every input blanked once, every changed
answer counted by its distance from the input.
"""

import matplotlib.pyplot as plt
import numpy as np

from bookproof.run.records import runs

NAMES = {
    "opinion": "classification",
    "tags": "labelling",
    "melody": "generation",
    "quarters": "forecasting",
    "numbers": "sequence to sequence",
}
LAGS = np.arange(-3, 23)


def shares(task):
    """Of a task's changed answers (seeds, lags); each row sums to 1."""
    found = runs("task_cards", row=task)
    counts = [[run["flips"].get(str(g), 0) for g in LAGS] for run in found]
    found = np.array(counts, float)
    return found / found.sum(axis=1, keepdims=True)


def results():
    """ "lags", and for each task "share": a row a seed, adding up to 1."""
    found = {task: shares(task).round(5).tolist() for task in NAMES}
    return {"lags": LAGS.tolist(), "share": found}


def figure(look):
    size = look.size(5.2)
    fig, axes = plt.subplots(len(NAMES), 1, figsize=size, sharex=True)
    for ax, (task, label) in zip(axes, NAMES.items(), strict=True):
        share = 100 * shares(task)
        seen = share.max(axis=0) > 0.2
        lags, share = LAGS[seen], share[:, seen]
        middle = np.median(share, axis=0)
        ax.bar(lags, middle, 0.7, color=look.colour("keep"), alpha=0.55)
        ends = share.min(axis=0), share.max(axis=0)
        ax.vlines(lags, *ends, color=look.colour("ink"), lw=1)
        ax.axvline(0, color=look.colour("muted"), lw=0.8, ls=":")
        corner = {"xycoords": "axes fraction", "ha": "right", "va": "top"}
        ax.annotate(label, (1, 0.98), **corner)
        ax.set(ylim=(0, None), xlim=(-3.5, 22.5))
        ax.yaxis.set_major_locator(plt.MaxNLocator(2))
    axes[-1].set_xticks([-2, 0, 4, 8, 12, 16, 20])
    axes[-1].set_xlabel("distance in steps from the input to the answer")
    fig.supylabel("share of all changed answers in %", fontsize=10.5)
    return fig
