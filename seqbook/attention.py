"""Attention: scores, weights, context, and their hand-derived gradients.

Chapter: docs/en/attention.md. Sources: Bahdanau et al. 2015, appendix A.1.2
(additive); Luong et al. 2015, section 3.1 (dot, general, concat); Vaswani et
al. 2017, section 3.2.1 (scaled dot); See et al. 2017, section 2.3, after Tu
et al. 2016 (coverage). Bahdanau's query is the state before the step, Luong's
the one after it. Time first: keys and values (S, B, H), mask (S, B), queries
(T, B, H) or, for one step, (B, H), written (..., B, H). Scores and weights
are (..., B, S): the rows of weights[:, b], target x source, sum to 1.
"""

from dataclasses import dataclass

import numpy as np

from seqbook.checks import check_array, check_mask
from seqbook.functional import linear_backward, softmax, softmax_backward


def masked_softmax(scores, mask=None):
    """scores (..., B, S), mask (S, B) bool -> weights (..., B, S).

    True marks a real word; a score elsewhere is never read. Where no word is
    real, or every score is -inf, all weights are 0. Backward as of softmax.
    """
    check_array("scores", scores, *np.shape(scores)[:-2], "B", "S")
    mask = check_mask(mask, "(S, B)", scores.shape[:-3:-1])
    a = np.where(mask.T, scores, -np.inf)
    empty = np.all(a == -np.inf, axis=-1, keepdims=True)
    return np.where(empty, 0, softmax(np.where(empty, 0, a)))


def attend(scores, values, mask=None):
    """scores (..., B, S), values (S, B, H), mask (S, B) -> context, weights.

    And the cache. context (..., B, H) averages the values by the weights.
    """
    weights = masked_softmax(scores, mask)
    check_array("values", values, *scores.shape[:-3:-1], "H")  # (S, B, H)
    context = np.einsum("...bs,sbh->...bh", weights, values, optimize=True)
    return context, weights, (weights, values)


def attend_backward(dcontext, cache, dweights=0):
    """dcontext (..., B, H), dweights (..., B, S) -> dscores, dvalues."""
    weights, values = cache
    check_array("dcontext", dcontext, *weights.shape[:-1], values.shape[-1])
    dw = np.einsum("...bh,sbh->...bs", dcontext, values, optimize=True)
    dscores = softmax_backward(dw + dweights, weights)  # and from coverage
    return dscores, _sum_over_queries(weights, dcontext)


def _sum_over_queries(weights, rows):
    """(..., B, S), (..., B, H) -> (S, B, H), the share of each key."""
    weights, rows = (a.reshape(-1, *a.shape[-2:]) for a in (weights, rows))
    return np.einsum("tbs,tbh->sbh", weights, rows, optimize=True)


def dot_score(queries, keys):
    """queries (..., B, H), keys (S, B, H) -> scores (..., B, S), cache."""
    check_array("keys", keys, "S", "B", "H")
    check_array("queries", queries, *np.shape(queries)[:-2], *keys.shape[1:])
    scores = np.einsum("...bh,sbh->...bs", queries, keys, optimize=True)
    return scores, (queries, keys)


def dot_score_backward(dscores, cache):
    """dscores (..., B, S) -> dqueries (..., B, H), dkeys (S, B, H)."""
    queries, keys = cache
    check_array("dscores", dscores, *queries.shape[:-1], len(keys))
    dqueries = np.einsum("...bs,sbh->...bh", dscores, keys, optimize=True)
    return dqueries, _sum_over_queries(dscores, queries)


def scaled_dot_score(queries, keys):
    """As dot_score, over sqrt(H) -> scores, cache for dot_score_backward."""
    scores, _ = dot_score(queries, keys)
    root = keys.shape[-1] ** 0.5  # the spread of scores between unit noise
    return scores / root, (queries / root, keys / root)


def general_score(W, queries, keys):
    """As dot_score of queries (..., B, H_q) and W keys -> scores, cache."""
    check_array("W", W, "H_q", "H_k")
    check_array("keys", keys, "S", "B", W.shape[1])
    projected = keys @ W.T  # (S, B, H_q), once for all queries
    scores, cache = dot_score(queries, projected)
    return scores, (keys, cache)


def general_score_backward(W, dscores, cache):
    """dscores (..., B, S) -> dqueries, dkeys, dW (H_q, H_k)."""
    keys, dot_cache = cache
    dqueries, dprojected = dot_score_backward(dscores, dot_cache)
    dkeys, dW, _ = linear_backward(W, keys, dprojected)
    return dqueries, dkeys, dW


@dataclass
class AdditiveParams:
    """A layer of A units over a query and a key, then v; without biases."""

    W_q: np.ndarray  # (A, H_q)
    W_k: np.ndarray  # (A, H_k)
    v: np.ndarray  # (A,)


def concat_params(W, v, H_q: int):
    """W (A, H_q + H_k) over [query; key], v (A,) -> AdditiveParams."""
    return AdditiveParams(W[:, :H_q], W[:, H_q:], v)  # the same scores


def additive_score(p, queries, keys):
    """queries (..., B, H_q), keys (S, B, H_k) -> scores (..., B, S), cache."""
    check_array("v", p.v, len(p.W_q))
    check_array("W_k", p.W_k, len(p.W_q), "H_k")
    check_array("keys", keys, "S", "B", p.W_k.shape[1])
    B, H_q = keys.shape[1], p.W_q.shape[1]
    check_array("queries", queries, *np.shape(queries)[:-2], B, H_q)
    a_k = keys @ p.W_k.T  # (S, B, A), once for all queries
    a_q = np.expand_dims(queries @ p.W_q.T, -3)  # (..., 1, B, A)
    hidden = np.tanh(a_q + a_k)  # (..., S, B, A)
    scores = np.swapaxes(hidden @ p.v, -1, -2)
    return scores, (queries, keys, hidden)


def additive_score_backward(p, dscores, cache):
    """dscores (..., B, S) -> dqueries, dkeys, grads as AdditiveParams."""
    queries, keys, hidden = cache
    check_array("dscores", dscores, *queries.shape[:-1], len(keys))
    ds = np.swapaxes(dscores, -1, -2)[..., None]  # (..., S, B, 1)
    da = ds * p.v * (1 - hidden**2)  # (..., S, B, A)
    da_q = da.sum(axis=-3)  # a query meets all keys
    da_k = da.reshape(-1, *da.shape[-3:]).sum(axis=0)  # a key, all queries
    dqueries, dW_q, _ = linear_backward(p.W_q, queries, da_q)
    dkeys, dW_k, _ = linear_backward(p.W_k, keys, da_k)
    dv = (ds * hidden).reshape(-1, len(p.v)).sum(axis=0)
    return dqueries, dkeys, AdditiveParams(dW_q, dW_k, dv)


def coverage_score(p, query, keys, coverage):
    """query (B, H_q), keys (S, B, H_k) -> scores (B, S), cache.

    coverage (B, S) is the sum of the weights of all steps before. It stands
    behind the keys as one more entry, so p.W_k is (A, H_k + 1).
    """
    seen = np.concatenate([keys, coverage.T[..., None]], axis=-1)
    return additive_score(p, query, seen)


def coverage_score_backward(p, dscores, cache):
    """dscores (B, S) -> dquery, dkeys, dcoverage (B, S), AdditiveParams."""
    dquery, dkeys, grads = additive_score_backward(p, dscores, cache)
    return dquery, dkeys[..., :-1], dkeys[..., -1].T, grads


def coverage_loss(weights):
    """weights (T, B, S) -> losses (T, B), coverage (T, B, S) before t."""
    check_array("weights", weights, "T", "B", "S")
    coverage = np.zeros_like(weights)
    coverage[1:] = np.cumsum(weights[:-1], axis=0)
    return np.minimum(weights, coverage).sum(axis=-1), coverage


def coverage_loss_backward(dlosses, weights, coverage):
    """dlosses (T, B), coverage as of coverage_loss -> dweights (T, B, S)."""
    check_array("dlosses", dlosses, *weights.shape[:2])
    smaller = weights < coverage  # whichever is smaller gets the gradient
    dweights = np.where(smaller, dlosses[..., None], 0)
    dcoverage = np.where(smaller, 0, dlosses[..., None])
    dweights[:-1] += np.cumsum(dcoverage[:0:-1], axis=0)[::-1]
    return dweights
