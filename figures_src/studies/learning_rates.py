"""Held-out loss against the learning rate, clipped or not.

The program of docs/en/training.md, short runs, two optimisers; a warm-up of
one update means none.
"""

import numpy as np
import torch

from bookproof.run.records import crossed
from seqbook.text import topic_sentences
from seqbook.torch_training import SGD, Recipe, prepare, start, train

SEEDS = [0, 1, 2, 3, 4]
UPDATES = 150
OPTIMIZERS = {"SGD": SGD, "Adam": torch.optim.Adam}
RATES = {
    "SGD": [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0],
    "Adam": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3],
}
CASES = {  # name: optimizer, clipped, warm-up
    "SGD, clipped": ("SGD", True, 1),
    "SGD": ("SGD", False, 1),
    "SGD, warm-up": ("SGD", False, 20),
    "Adam, clipped": ("Adam", True, 1),
    "Adam": ("Adam", False, 1),
}


def jobs(done):
    for case, (optimizer, _, _) in CASES.items():
        yield from crossed(case=case, rate=RATES[optimizer], seed=SEEDS)


def run(case, rate, seed):
    """-> held-out loss, share of gradients above the threshold, saturated."""
    optimizer, clipped, warmup = CASES[case]
    threshold = Recipe().clip
    recipe = Recipe(
        peak=rate,
        warmup=warmup,
        total=UPDATES,
        every=UPDATES,
        clip=threshold if clipped else 1e30,
        seed=seed,
    )
    texts = prepare(topic_sentences())
    this = start(recipe, len(texts.vocabulary), OPTIMIZERS[optimizer])
    train(this, texts, UPDATES, tell=lambda line: None)
    norms = np.array(this.log)[:, 1]
    return {
        "valid": round(this.looks[-1]["valid"], 4),
        "above": round(float(np.mean(norms > threshold)), 4),
        "saturated": round(this.looks[-1]["saturated"], 4),
    }
