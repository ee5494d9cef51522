"""Word vectors by prediction: CBOW and skip-gram with negative sampling.

Chapter: docs/en/word2vec.md. Source: Mikolov et al. 2013a, arXiv:1301.3781
(CBOW, skip-gram), and 2013b, arXiv:1310.4546, sections 2.2 and 2.3. Losses
are in nats; what the vectors factorise is in pmi. word2vec.c differs in three
places: it keeps a word with probability sqrt(t/f) + t/f, it skips a noise
word that equals the target, and its CBOW hands every context word the whole
gradient of their mean (arXiv:2012.15332), where here each gets its share.
"""

import numpy as np

from seqbook.checks import (
    check_array,
    check_counts,
    check_integers,
    check_positive,
)
from seqbook.functional import sigmoid


def context_windows(ids, window: int):
    """ids (T,) of a sentence -> contexts (T, 2 window), -1 past its ends."""
    check_positive(window=window)
    ids = check_integers("ids", ids, "T")
    padded = np.pad(ids, window, constant_values=-1)
    around = np.arange(len(ids))[:, None] + np.arange(2 * window + 1)
    return np.delete(padded[around], window, axis=1)  # without the centre


def shrinking_windows(rng: np.random.Generator, ids, window: int):
    """As context_windows, but each row reaches 1..window words, drawn."""
    contexts = context_windows(ids, window)
    reach = 1 + rng.integers(window, size=(len(ids), 1))
    distance = np.abs(np.delete(np.arange(-window, window + 1), window))
    return np.where(distance <= reach, contexts, -1)


def skipgram_pairs(ids, contexts):
    """ids (T,), contexts (T, M) -> centres (P,), the context of each (P,)."""
    contexts = check_integers("contexts", contexts, "T", "M", low=-1)
    ids = check_integers("ids", ids, len(contexts))
    real = contexts >= 0
    return np.repeat(ids, real.sum(axis=1)), contexts[real]


def keep_probability(counts, threshold: float):
    """counts (V,) -> (V,): sqrt(threshold / share of the text), at most 1."""
    check_counts(counts)
    if not threshold > 0:
        raise ValueError(f"threshold must be positive, got {threshold}")
    share = counts / counts.sum()
    return np.sqrt(threshold / np.maximum(share, threshold))


def noise_distribution(counts, exponent: float = 0.75):
    """counts (V,) -> probabilities (V,) proportional to counts**exponent."""
    check_counts(counts)
    if not exponent >= 0:
        raise ValueError(f"exponent must be at least 0, got {exponent}")
    weights = counts**exponent
    return weights / weights.sum()


def negative_sampling_loss(h, c):
    """h (B, D), c (B, 1 + k, D), true word first -> losses (B,), cache."""
    scores = np.einsum("bd,bkd->bk", h, c)
    scores[:, 0] *= -1  # the true word is to score high, the noise low
    return np.logaddexp(0, scores).sum(axis=1), (h, c, scores)


def negative_sampling_backward(dlosses, cache):
    """dlosses (B,) -> dh (B, D), dc (B, 1 + k, D)."""
    h, c, scores = cache
    dscores = dlosses[:, None] * sigmoid(scores)
    dscores[:, 0] *= -1
    dh = np.einsum("bk,bkd->bd", dscores, c)
    return dh, dscores[:, :, None] * h[:, None]


def train_embeddings(
    rng: np.random.Generator,
    inputs,
    targets,
    noise,
    D: int,
    k: int = 5,
    steps: int = 1000,
    batch: int = 256,
    lr: float = 0.025,
):
    """inputs (P, M), targets (P,), noise (V,) -> W, C (V, D), losses.

    The mean of the input rows of W meets the target's row of C. CBOW has
    inputs = contexts, -1 where none, and targets = ids; skip-gram has
    inputs = centres[:, None] and targets = contexts. A step adds up the
    gradients of a random batch; lr falls to 0. losses (steps,): batch means.
    """
    check_positive(D=D, k=k, steps=steps, batch=batch)
    check_array("noise", noise, "V")
    last = len(noise) - 1
    inputs = check_integers("inputs", inputs, "P", "M", low=-1, high=last)
    targets = check_integers("targets", targets, "P", high=last)
    real = (inputs >= 0).astype(noise.dtype)  # (P, M)
    if len(real) != len(targets) or not real.any(axis=1).all():
        held = f"{real.any(axis=1).sum()} of {len(real)}"
        raise ValueError(
            f"inputs must hold a word for {len(targets)} targets, got {held}"
        )
    share = real / real.sum(axis=1, keepdims=True)
    W = (rng.uniform(-0.5, 0.5, (len(noise), D)) / D).astype(noise.dtype)
    C, losses = np.zeros_like(W), np.zeros(steps, noise.dtype)
    for step in range(steps):
        rows = rng.integers(len(targets), size=batch)
        negatives = rng.choice(len(noise), size=(batch, k), p=noise)
        words = np.column_stack([targets[rows], negatives])  # (B, 1 + k)
        weights = share[rows, :, None]  # (B, M, 1), 0 where no word is
        h = np.sum(weights * W[inputs[rows]], axis=1)
        loss, cache = negative_sampling_loss(h, C[words])
        dh, dc = negative_sampling_backward(np.ones_like(loss), cache)
        rate = lr * (1 - step / steps)
        _add_rows(W, inputs[rows], -rate * weights * dh[:, None])
        _add_rows(C, words, -rate * dc)
        losses[step] = loss.mean()
    return W, C, losses


def _add_rows(M, ids, rows):
    """M[ids] += rows in place, where an id may stand more than once."""
    flat = ids.reshape(-1, 1) * M.shape[1] + np.arange(M.shape[1])
    np.add.at(M.reshape(-1), flat.ravel(), rows.ravel())  # fast on one axis
