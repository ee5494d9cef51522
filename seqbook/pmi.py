"""Word vectors by counting: pointwise mutual information and its SVD.

Chapter: docs/en/word2vec.md. Source: Levy & Goldberg 2014, NeurIPS: the
matrix that skip-gram with negative sampling factorises, up to a shift.
Logarithms are natural, so PMI is in nats.
"""

import numpy as np

from seqbook.checks import check_array, check_counts, check_integers


def cooccurrence(centres, contexts, V: int):
    """Pairs of ids (P,), (P,) -> counts (V, V), a row for each centre."""
    centres = check_integers("centres", centres, "P", high=V - 1)
    contexts = check_integers("contexts", contexts, len(centres), high=V - 1)
    pairs = centres * V + contexts
    return np.bincount(pairs, minlength=V * V).reshape(V, V)


def pmi(counts):
    """counts (V, V) -> log of p(w, c) / (p(w) p(c)), -inf where unseen.

    Where the scores w·c may be free, they end at pmi - log k if the noise
    is the contexts' own distribution. np.maximum(pmi, 0) is PPMI.
    """
    check_counts(counts)
    by_chance = np.outer(counts.sum(axis=1), counts.sum(axis=0) / counts.sum())
    seen = counts > 0
    ratio = np.where(seen, counts, 1) / np.where(seen, by_chance, 1)
    return np.where(seen, np.log(ratio), -np.inf)


def svd_embedding(M, D: int):
    """M (V, V) -> word vectors (V, D), the W of the best rank-D W @ C.T."""
    check_array("M", M, "V", "V")
    U, s, _ = np.linalg.svd(M)
    return U[:, :D] * np.sqrt(s[:D])
