"""Cosine, analogies, rank correlation and bias directions of word vectors.

Chapter: docs/en/evaluating_embeddings.md. Source: Levy & Goldberg 2014,
CoNLL (3CosAdd, 3CosMul); Linzen 2016, arXiv:1606.07736 (Only-b); Bolukbasi
et al. 2016, arXiv:1607.06520 (bias). An analogy is a : b :: c : ?, with the
answer near b - a + c. Linzen writes a : a* :: b : ?, so that his Only-b, the
nearest neighbour of b, is nearest(cosine(E[c], E)) in the letters used here.
"""

import numpy as np

from seqbook.checks import check_array, check_integers, check_positive


def unit(E):
    """E (V, D) or (D,) -> length 1. ValueError for a vector of zeros."""
    check_array("E", E, *"V"[: np.ndim(E) - 1], "D")
    top = np.max(np.abs(E), axis=-1, keepdims=True)
    if not np.all(top > 0):
        raise ValueError("a vector needs a direction, got one of only zeros")
    E = E / top  # the square of 1e200 overflows, that of 1e-200 vanishes
    return E / np.linalg.norm(E, axis=-1, keepdims=True)


def cosine(A, B):
    """A (M, D), B (N, D) -> (M, N); for a vector (D,) that axis is gone."""
    return unit(A) @ unit(B).T


def nearest(scores, k: int = 1, exclude=None):
    """scores (..., V) -> best ids (..., k); ids exclude (..., N) come last."""
    check_positive(k=k)
    if exclude is not None:
        *shape, V = scores.shape
        exclude = check_integers("exclude", exclude, *shape, "N", high=V - 1)
        scores = scores.copy()
        np.put_along_axis(scores, exclude, -np.inf, axis=-1)
    return np.argsort(-scores, axis=-1, kind="stable")[..., :k]


def three_cos_add(E, a, b, c):
    """E (V, D), ids a, b, c (Q,) -> scores (Q, V): cos(x, b - a + c).

    For one question, three numbers, that axis is gone.
    """
    E, a, b, c = _words(E, a, b, c)
    return cosine(b - a + c, E)


def _words(E, a, b, c):
    """-> unit vectors of all words (V, D), and those of a, b, c (Q, D)."""
    found = [unit(E)]
    for name, ids in {"a": a, "b": b, "c": c}.items():
        axes = "Q"[: np.ndim(ids)]  # of a single question none
        ids = check_integers(name, ids, *axes, high=len(E) - 1)
        found.append(found[0][ids])
    return found


def three_cos_mul(E, a, b, c, eps: float = 1e-3):
    """As above, cos(x, b) cos(x, c) / (cos(x, a) + eps), cos made 0..1."""
    E, *words = _words(E, a, b, c)
    near_a, near_b, near_c = ((1 + cosine(word, E)) / 2 for word in words)
    return near_b * near_c / (near_a + eps)


def ranks(x):
    """x (N,) -> ranks 1..N; equal values share the mean of theirs."""
    check_array("x", x, "N")
    _, place, count = np.unique(x, return_inverse=True, return_counts=True)
    last = np.cumsum(count)  # the highest rank of each distinct value
    return (last - (count - 1) / 2)[place].astype(x.dtype)


def spearman(x, y) -> float:
    """x, y (N,) -> correlation of their ranks. ValueError if one is flat."""
    check_array("y", y, len(x))
    r_x, r_y = ranks(x) - (len(x) + 1) / 2, ranks(y) - (len(y) + 1) / 2
    if not (r_x.any() and r_y.any()):
        raise ValueError("x and y must vary, got one that has a single value")
    return float(cosine(r_x, r_y))


def pca(E, k: int):
    """E (V, D) -> coordinates (V, k) on the axes of greatest spread."""
    check_array("E", E, "V", "D")
    U, s, _ = np.linalg.svd(E - E.mean(axis=0), full_matrices=False)
    return U[:, :k] * s[:k]


def bias_direction(A, B):
    """Pairs of words A, B (P, D) -> unit vector (D,) from B towards A.

    First principal component of the differences, which are not centred.
    """
    check_array("B", B, *A.shape)
    differences = unit(A) - unit(B)
    direction = np.linalg.svd(differences)[2][0]
    return direction * np.copysign(1, differences.sum(axis=0) @ direction)


def neutralise(E, direction):
    """E (V, D), direction (D,) -> E (V, D) less its part along that."""
    g = unit(direction)
    return E - (E @ g)[:, None] * g
