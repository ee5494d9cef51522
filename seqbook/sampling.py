"""How the next id is drawn: temperature, top-k, nucleus, Gumbel noise.

Chapter: docs/en/language_models.md. Source: Holtzman et al. 2020, section 3.1
(nucleus). What adjusts takes logits or log-probabilities and gives logits
again, so that one may follow another; -inf is an id that is never drawn.
"""

import math

import numpy as np

from seqbook.checks import check_array, check_positive, check_share
from seqbook.functional import softmax


def temperature_logits(logits, temperature: float):
    """logits (..., V) -> logits / temperature, moved so that the top is 0.

    Towards 0 only the largest stay possible; towards infinity all become
    equal, but for -inf, which stays impossible.
    """
    _check_logits(logits)
    if not 0 < temperature < math.inf:
        raise ValueError(f"temperature must be above 0, got {temperature}")
    below = logits - logits.max(axis=-1, keepdims=True)
    with np.errstate(over="ignore"):  # -inf is the answer
        return (below.astype(np.float64) / temperature).astype(logits.dtype)


def top_k_logits(logits, k: int):
    """logits (..., V) -> the same, -inf where it is below the k-th largest.

    Equal ones stay or go together, so more than k are left after a tie.
    """
    _check_logits(logits)
    check_positive(k=k)
    kth = np.sort(logits, axis=-1)[..., -k:][..., :1]
    return np.where(logits >= kth, logits, -np.inf)


def nucleus_logits(logits, mass: float):
    """logits (..., V) -> the same, -inf where it is outside the nucleus.

    The nucleus is the smallest set of the likeliest ids whose probability
    reaches mass, from 0 to 1; equal ones stay or go together.
    """
    _check_logits(logits)
    check_share(mass=mass)
    p = softmax(logits)
    rising = np.sort(p, axis=-1)
    rest = np.cumsum(rising, axis=-1)  # each with all that are rarer
    inside = rest > (1 - mass) * (1 + 1e-6)  # equal but for rounding: out
    inside[..., -1] = True
    first = np.argmax(inside, axis=-1)[..., None]
    return np.where(
        p >= np.take_along_axis(rising, first, -1), logits, -np.inf
    )


def sample_ids(rng: np.random.Generator, logits):
    """logits or log-probabilities (..., V) -> an id (...) for each row.

    With Gumbel noise added, each is the largest with its own probability:
    nothing has to be normalised, and -inf is never drawn.
    """
    _check_logits(logits)
    return np.argmax(logits + rng.gumbel(size=logits.shape), axis=-1)


def _check_logits(logits):
    check_array("logits", logits, *np.shape(logits)[:-1], "V")
    top = np.ravel(logits.max(axis=-1))
    if not np.isfinite(top).all():
        got = top[~np.isfinite(top)][0]
        raise ValueError(f"logits need a finite largest per row, got {got}")
