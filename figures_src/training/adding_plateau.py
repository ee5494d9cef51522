"""The adding problem: a long plateau, then a fall.

For docs/en/training.md. Every seed of studies/adding_plateau.py.
"""

import matplotlib.pyplot as plt
import numpy as np

from bookproof.run.records import runs
from figures_src.studies.adding_plateau import EVERY, GROUPS, LIMIT
from seqbook.tasks import adding_baseline
from seqbook.torch_training import stalled

LOOKS = {"RNN": "h", "IRNN": "candidate", "LSTM": "c", "GRU": "write"}
PLACES = {  # of a label: beside its errors, beside its reach
    "RNN": ((2350, 0.178), (2500, 3e-12)),
    "IRNN": ((25, 0.007), (120, 6)),
    "LSTM": ((1480, 0.09), (1420, 0.02)),
    "GRU": ((540, 0.055), (170, 2e-5)),
}


def results():
    """{group: {cell: summary}}; groups as in the study's GROUPS.

    A summary has, one entry a seed: iterations, solved, losses (mean
    squared error) and reach, both every EVERY iterations; how many
    iterations went by until a mean was below 0.9 of the baseline (plateau)
    and until the reach was above 0.01 (reaches); and where stopping after
    five means without a new best would have ended the run: impatient
    (without knowing the baseline) and patient (with it). None is never.
    """
    return {
        group: {
            cell: summary(runs("adding_plateau", group=group, cell=cell))
            for cell in cells
        }
        for group, cells in GROUPS.items()
    }


def summary(found):
    learned = 0.9 * adding_baseline()
    rows = {
        key: [run[key] for run in found]
        for key in ("iterations", "solved", "losses", "reach")
    }
    rows["plateau"] = [
        moment(losses, lambda seen: seen[-1] < learned)
        for losses in rows["losses"]
    ]
    rows["reaches"] = [
        moment(reach, lambda seen: seen[-1] > 0.01) for reach in rows["reach"]
    ]
    for name, baseline in ("impatient", np.inf), ("patient", learned):
        rows[name] = [
            moment(losses, lambda seen, b=baseline: stalled(seen, b, 5))
            for losses in rows["losses"]
        ]
    return rows


def moment(series, holds):
    """Iterations done when holds(the series so far) first, or None."""
    for n in range(1, len(series) + 1):
        if holds(series[:n]):
            return n * EVERY
    return None


def figure(look):
    """Squared error, and reach, against iterations: each seed."""
    size = look.size(5.2)
    fig, (above, below) = plt.subplots(2, 1, figsize=size, sharex=True)
    for cell, quantity in LOOKS.items():
        found = runs("adding_plateau", group="zero", cell=cell)
        style = {**look.line(quantity), "linewidth": 1.1, "alpha": 0.75}
        for ax, key, place in zip(
            (above, below), ("losses", "reach"), PLACES[cell], strict=True
        ):
            for run in found:
                t = EVERY * np.arange(1, len(run[key]) + 1)
                ax.plot(t, run[key], **style)
            ax.annotate(cell, place, color=look.colour(quantity))
    muted = {"color": look.colour("muted"), "ls": ":", "lw": 1}
    above.axhline(adding_baseline(), **muted)
    above.set(ylabel="mean squared error", ylim=(0, 0.21), xlim=(0, LIMIT))
    below.axhline(1, **muted)
    below.set(xlabel="iterations", ylabel="reach (log axis)", yscale="log")
    return fig
