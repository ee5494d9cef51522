"""Multi-head self-attention: all steps at once, or one step with a cache.

Chapter: docs/en/three_roads.md. Source: Vaswani et al. 2017, section 3.2.2,
with biases: scaled dot attention of attention.py, the heads in its batch, over
B * heads examples of width H / heads. torch.nn.MultiheadAttention has H = D
and stacks W_q, W_k, W_v in one matrix.
"""

from dataclasses import dataclass

import numpy as np

from seqbook.attention import (
    attend,
    attend_backward,
    dot_score_backward,
    scaled_dot_score,
)
from seqbook.checks import check_array, check_mask, check_positive
from seqbook.functional import linear, linear_backward


@dataclass
class MultiHeadParams:
    """Projections to queries, keys, values, and from the heads to y."""

    W_q: np.ndarray  # (H, D); head n has the rows n H / heads and on
    b_q: np.ndarray  # (H,)
    W_k: np.ndarray  # (H, D)
    b_k: np.ndarray  # (H,)
    W_v: np.ndarray  # (H, D)
    b_v: np.ndarray  # (H,)
    W_o: np.ndarray  # (D, H)
    b_o: np.ndarray  # (D,)


def init_multihead(rng: np.random.Generator, D: int, H: int):
    """-> MultiHeadParams, U(-1/sqrt(n), 1/sqrt(n)) for n inputs to a unit."""
    check_positive(D=D, H=H)
    shapes = [((H, D), D), (H, D)] * 3 + [((D, H), H), (D, H)]
    draws = (rng.uniform(-1, 1, size) / n**0.5 for size, n in shapes)
    return MultiHeadParams(*draws)


def multihead_forward(p, x, heads: int, mask=None):
    """x (T, B, D) -> y (T, B, D), weights (T, B, heads, T), cache.

    mask (T, T) bool, True where step t may read step s: np.tri(T, dtype=bool)
    is causal, None reads all. ValueError if a shape or heads do not fit.
    """
    check_array("x", x, "T", "B", p.W_q.shape[1])
    T, B, _ = x.shape
    q, k, v = _project(p, x, heads)  # (T, B * heads, H / heads)
    scores, dot_cache = scaled_dot_score(q, k)  # (T, B * heads, T)
    mask = check_mask(mask, "(T, T)", (T, T))
    scores = np.where(mask[:, None], scores, -np.inf)
    context, weights, attend_cache = attend(scores, v)
    h = context.reshape(T, B, -1)  # the heads side by side again: (T, B, H)
    cache = x, h, dot_cache, attend_cache
    return linear(p.W_o, p.b_o, h), weights.reshape(T, B, heads, T), cache


def multihead_backward(p, dy, cache):
    """dy (T, B, D) -> dx (T, B, D), grads as MultiHeadParams."""
    x, h, dot_cache, attend_cache = cache
    dh, *grads_o = linear_backward(p.W_o, h, dy)
    dcontext = dh.reshape(dot_cache[0].shape)
    dscores, dv = attend_backward(dcontext, attend_cache)
    dq, dk = dot_score_backward(dscores, dot_cache)
    dx, grads = 0, []
    for W, da in (p.W_q, dq), (p.W_k, dk), (p.W_v, dv):
        part, *grads_of_W = linear_backward(W, x, da.reshape(h.shape))
        dx, grads = dx + part, grads + grads_of_W
    return dx, MultiHeadParams(*grads, *grads_o)


def multihead_step(p, x_t, kv, heads: int):
    """x_t (B, D), kv (2, t, B, H) -> y_t (B, D), kv (2, t + 1, B, H).

    kv holds the keys and values of the t steps before; y_t is that of
    multihead_forward under the causal mask.
    """
    q, *new = _project(p, x_t, heads)  # (B * heads, H / heads)
    kv = np.concatenate([kv, np.reshape(new, (2, 1, *kv.shape[2:]))], axis=1)
    keys, values = kv.reshape(2, -1, *q.shape)
    context, _, _ = attend(scaled_dot_score(q, keys)[0], values)
    return linear(p.W_o, p.b_o, context.reshape(len(x_t), -1)), kv


def _project(p, x, heads):
    """x (..., B, D) -> queries, keys, values (..., B * heads, H / heads)."""
    H = len(p.W_q)
    if heads < 1 or H % heads:
        raise ValueError(f"heads must divide H = {H}, got {heads}")
    split = *x.shape[:-2], x.shape[-2] * heads, H // heads  # no number moves
    pairs = (p.W_q, p.b_q), (p.W_k, p.b_k), (p.W_v, p.b_v)
    return [linear(W, b, x).reshape(split) for W, b in pairs]
