"""Held-out loss against the learning rate, clipped or not.

For docs/en/training.md. Every seed of studies/learning_rates.py.
"""

import matplotlib.pyplot as plt
import numpy as np

from bookproof.run.records import runs, select
from figures_src.studies.learning_rates import CASES, OPTIMIZERS, RATES

LOOKS = {  # case: colour, dash, label, where it stands
    "SGD, clipped": ("h", "-", "clipped", (25, 2.1)),
    "SGD": ("gradient", "--", "not clipped", (1.6, 2.75)),
    "SGD, warm-up": ("keep", "-.", "warm-up\nonly", (19.2, 4.5)),
    "Adam, clipped": ("h", "-", "clipped", (0.0012, 2.35)),
    "Adam": ("gradient", "--", "not clipped", (0.004, 2.75)),
}


def results():
    """{case: {rate: {"valid", "above", "saturated": one entry a seed}}}."""
    found = runs("learning_rates")
    return {
        case: {
            rate: summary(select(found, case=case, rate=rate))
            for rate in RATES[optimizer]
        }
        for case, (optimizer, _, _) in CASES.items()
    }


def summary(found):
    keys = "valid", "above", "saturated"
    return {key: [run[key] for run in found] for key in keys}


def figure(look):
    """Held-out loss against the learning rate, for two optimisers."""
    found, size = results(), look.size(3.4, phone=5.4)
    fig, axes = plt.subplots(*look.row(2), figsize=size, sharey=True)
    for case, (quantity, dash, label, place) in LOOKS.items():
        ax = axes[int(case.startswith("Adam"))]
        rates = list(found[case])
        losses = np.array([found[case][rate]["valid"] for rate in rates])
        shade = look.colour(quantity)
        for seed in losses.T:
            ax.plot(rates, seed, dash, color=shade, lw=0.6, alpha=0.4)
        middle = np.median(losses, axis=1)
        ax.plot(rates, middle, dash, color=shade, lw=1.8)
        ax.annotate(label, place, color=shade, fontsize=9)
    for ax, name in zip(axes, OPTIMIZERS, strict=True):
        ax.set(xscale="log", ylim=(1.7, 5.4))
        ax.set_xlabel(f"learning rate of {name} (log axis)")
    for ax in axes if look.narrow else axes[:1]:
        ax.set_ylabel("held-out nats")
    return fig
