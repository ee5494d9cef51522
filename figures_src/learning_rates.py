"""Held-out loss against the learning rate, clipped or not.

For docs/en/training.md. A study: `make studies` runs it. The program of the
chapter, short runs, two optimisers; warm-up of one update means none.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

from bookproof.run.studies import load_study
from figures_src import palette
from seqbook.text import topic_sentences
from seqbook.torch_training import (
    SGD,
    Recipe,
    prepare,
    start,
    train,
)

SEEDS = [0, 1, 2, 3, 4]
UPDATES = 150
OPTIMIZERS = {"SGD": SGD, "Adam": torch.optim.Adam}
RATES = {
    "SGD": [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0],
    "Adam": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3],
}
ROWS = {  # name: optimizer, clipped, warm-up
    "SGD, clipped": ("SGD", True, 1),
    "SGD": ("SGD", False, 1),
    "SGD, warm-up": ("SGD", False, 20),
    "Adam, clipped": ("Adam", True, 1),
    "Adam": ("Adam", False, 1),
}


def run(texts, optimizer, clipped, warmup, rate, seed):
    """-> held-out loss, share of gradients above the threshold, saturated."""
    threshold = Recipe().clip
    recipe = Recipe(
        peak=rate,
        warmup=warmup,
        total=UPDATES,
        every=UPDATES,
        clip=threshold if clipped else 1e30,
        seed=seed,
    )
    this = start(recipe, len(texts.vocabulary), OPTIMIZERS[optimizer])
    train(this, texts, UPDATES, tell=lambda line: None)
    norms = np.array(this.log)[:, 1]
    return {
        "valid": round(this.looks[-1]["valid"], 4),
        "above": round(float(np.mean(norms > threshold)), 4),
        "saturated": round(this.looks[-1]["saturated"], 4),
    }


def study(tell):
    """-> {row: {rate: one dict a seed}}."""
    torch.set_num_threads(1)
    texts = prepare(topic_sentences())
    found = {}
    for row, (optimizer, clipped, warmup) in ROWS.items():
        found[row] = {}
        for rate in RATES[optimizer]:
            found[row][rate] = [
                run(texts, optimizer, clipped, warmup, rate, seed)
                for seed in SEEDS
            ]
            tell(f"{row}, {rate}: {[r['valid'] for r in found[row][rate]]}")
    return found


def results():
    """{row: {rate: {"valid", "above", "saturated": one entry a seed}}}."""
    found = load_study("learning_rates")["results"]
    keys = "valid", "above", "saturated"
    return {
        row: {
            float(rate): {key: [run[key] for run in runs] for key in keys}
            for rate, runs in rates.items()
        }
        for row, rates in found.items()
    }


LOOKS = {  # row: colour, dash, label, where it stands
    "SGD, clipped": ("h", "-", "clipped", (25, 2.1)),
    "SGD": ("gradient", "--", "not clipped", (1.6, 2.75)),
    "SGD, warm-up": ("keep", "-.", "warm-up\nonly", (19.2, 4.5)),
    "Adam, clipped": ("h", "-", "clipped", (0.0012, 2.35)),
    "Adam": ("gradient", "--", "not clipped", (0.004, 2.75)),
}


def figure():
    """Held-out loss against the learning rate, for two optimisers."""
    found = results()
    shape, height = ((2, 1), 6) if palette.narrow else ((1, 2), 3.4)
    fig, axes = plt.subplots(*shape, figsize=palette.size(height), sharey=True)
    for row, (quantity, dash, label, place) in LOOKS.items():
        ax = axes[int(row.startswith("Adam"))]
        rates = list(found[row])
        losses = np.array([found[row][rate]["valid"] for rate in rates])
        shade = palette.colour(quantity)
        for seed in losses.T:
            ax.plot(rates, seed, dash, color=shade, lw=0.6, alpha=0.4)
        middle = np.median(losses, axis=1)
        ax.plot(rates, middle, dash, color=shade, lw=1.8)
        ax.annotate(label, place, color=shade, fontsize=9)
    for ax, name in zip(axes, OPTIMIZERS, strict=True):
        ax.set(xscale="log", ylim=(1.7, 5.4))
        ax.set_xlabel(f"learning rate of {name} (log axis)")
    for ax in axes if palette.narrow else axes[:1]:
        ax.set_ylabel("held-out nats")
    return fig
