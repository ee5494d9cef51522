"""The synthetic tasks of the experiments, each drawn from a generator.

Chapters: docs/en/lstm.md, docs/en/vanishing_gradients.md. Source: the
simplest member of the long-lag family of Hochreiter & Schmidhuber 1997, §5.
"""

import math

import numpy as np

SYMBOLS = 4  # ids 0..3 are what has to be remembered
NOISE = 4  # ids 4..7 only pass the time


# --8<-- [start:delayed_recall]
def delayed_recall(rng: np.random.Generator, B: int, T: int):
    """-> ids (T, B) int, targets (B,) int; raises ValueError if T < 1.

    The first id is one of SYMBOLS and is the target; the T - 1 ids after it
    are noise. Read at step T, it has to survive T - 1 steps.
    """
    if T < 1:
        raise ValueError(f"T must be at least 1, got {T}")
    targets = rng.integers(SYMBOLS, size=B)
    noise = SYMBOLS + rng.integers(NOISE, size=(T - 1, B))
    return np.vstack([targets, noise]), targets
    # --8<-- [end:delayed_recall]


# --8<-- [start:delayed_recall_chance]
def delayed_recall_chance():
    """Best accuracy, and loss in nats, of a model that has forgotten.

    The noise says nothing about the target, so any guess is right once in
    SYMBOLS times and no prediction beats the uniform one, whatever T is.
    """
    return 1 / SYMBOLS, math.log(SYMBOLS)
    # --8<-- [end:delayed_recall_chance]
