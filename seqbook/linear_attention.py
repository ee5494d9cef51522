"""Recurrent nets whose state is a matrix, step by step and in chunks.

Chapter: docs/en/matrix_states.md. Source: Katharopoulos et al. 2020 (linear
attention); Yang et al. 2024, arXiv:2312.06635 (gated), arXiv:2406.06484
(delta rule), arXiv:2412.06464 (both); Peng et al. 2023, arXiv:2305.13048
(RWKV-4). q, k (T, B, N), v (T, B, D), S (B, N, D) -> o (T, B, D), o_t = S_t'
q_t: keys are the rows of S, in most papers columns. Heads go into the batch;
nothing is normalised, but a column of ones in v gives the denominator.
"""

from collections.abc import Callable

import numpy as np

from seqbook.checks import check_array, check_positive
from seqbook.functional import softmax


def linear_step(S, k_t, v_t):
    """Linear attention: S (B, N, D), k_t (B, N), v_t (B, D) -> new S."""
    return S + k_t[:, :, None] * v_t[:, None]


def gated_step(S, k_t, v_t, log_a_t):
    """As linear_step, once S decayed: log_a_t (B, N) or (B, 1), at most 0."""
    return linear_step(np.exp(log_a_t)[:, :, None] * S, k_t, v_t)


def delta_step(S, k_t, v_t, beta_t):
    """As linear_step, of what S, read with k_t, lacks of v_t. beta_t (B, 1).

    With beta_t = 1 and |k_t| = 1, S reads v_t after it; beta_t |k_t|**2
    above 2 diverges.
    """
    return linear_step(S, k_t, beta_t * (v_t - _read(k_t, S)))


def gated_delta_step(S, k_t, v_t, log_a_t, beta_t):
    """As delta_step, after the decay of gated_step."""
    return delta_step(np.exp(log_a_t)[:, :, None] * S, k_t, v_t, beta_t)


def matrix_loop(step: Callable, q, inputs, S_0):
    """step(S, *inputs_t) at every t -> o (T, B, D), S_T (B, N, D).

    inputs are the arrays (T, B, ...) that step takes: (k, v), then the
    gates. ValueError if one does not fit q.
    """
    _check(q, S_0, **{f"inputs[{i}]": a for i, a in enumerate(inputs)})
    o, S = [], S_0
    for q_t, *inputs_t in zip(q, *inputs, strict=True):
        S = step(S, *inputs_t)
        o.append(_read(q_t, S))
    return np.stack(o), S


def masked_attention(q, k, v):
    """linear_step from an empty state, by T x T weights -> o (T, B, D)."""
    weights = np.tril(np.einsum("tbn,sbn->bts", q, k))  # no softmax
    return np.einsum("bts,sbd->tbd", weights, v)


def linear_chunks(q, k, v, S_0, size: int):
    """linear_step in chunks: attention inside, the state between -> o, S_T."""
    o, S = [], S_0
    for q_c, k_c, v_c in _chunks(size, q, S_0, k=k, v=v):
        o.append(masked_attention(q_c, k_c, v_c) + _read(q_c, S))
        S = S + np.einsum("tbn,tbd->bnd", k_c, v_c)
    return np.concatenate(o), S


def gated_chunks(q, k, v, log_a, S_0, size: int):
    """gated_step in chunks -> o, S_T. log_a (T, B, N or 1), -inf allowed.

    ValueError if log_a is above 0: no factor in here is above 1.
    """
    if not np.all(np.less_equal(log_a, 0)):
        raise ValueError(f"log_a must be at most 0, got {np.max(log_a)}")
    o, S = [], S_0
    for q_c, k_c, v_c, log_c in _chunks(size, q, S_0, k=k, v=v, log_a=log_a):
        a = np.exp(_decay_between(log_c))  # (t, s, B, N)
        a_0 = np.exp(np.cumsum(log_c, axis=0))  # since before the chunk
        weights = np.einsum("tbn,tsbn,sbn->bts", q_c, a, k_c)
        o_c = np.einsum("bts,sbd->tbd", weights, v_c)
        o.append(o_c + _read(q_c * a_0, S))
        S = a_0[-1, :, :, None] * S
        S = S + np.einsum("sbn,sbd->bnd", a[-1] * k_c, v_c)
    return np.concatenate(o), S


def delta_chunks(q, k, v, beta, S_0, size: int):
    """delta_step in chunks -> o, S_T: linear attention to u instead of v.

    u_t = beta_t (v_t - S' k_t - sum over s < t of k_s' k_t u_s), with S from
    before the chunk: one triangular system for all t, the WY form.
    """
    o, S = [], S_0
    for q_c, k_c, v_c, beta_c in _chunks(size, q, S_0, k=k, v=v, beta=beta):
        overlap = np.tril(np.einsum("tbn,sbn->bts", beta_c * k_c, k_c), -1)
        system = np.eye(len(k_c), dtype=k.dtype) + overlap
        right = beta_c * (v_c - _read(k_c, S))
        u = np.linalg.solve(system, right.swapaxes(0, 1)).swapaxes(0, 1)
        o.append(masked_attention(q_c, k_c, u) + _read(q_c, S))
        S = S + np.einsum("tbn,tbd->bnd", k_c, u)
    return np.concatenate(o), S


def wkv(w, u, k, v):
    """RWKV-4: w, u (H,), k, v (T, B, H) -> averages of v (T, B, H), by loop.

    At t, a step s < t has weight exp(k_s - (t - 1 - s) w), and t itself
    exp(k_t + u). Both sums are kept divided by exp(top): none overflows.
    """
    check_array("k", k, "T", "B", len(w))
    check_array("v", v, *k.shape)
    total, weight = np.zeros((2, *k.shape[1:]), k.dtype)
    y, top = [], np.full(k.shape[1:], -np.inf, k.dtype)
    for k_t, v_t in zip(k, v, strict=True):
        m = np.maximum(top, k_t + u)
        old, new = np.exp(top - m), np.exp(k_t + u - m)
        y.append((old * total + new * v_t) / (old * weight + new))
        m = np.maximum(top - w, k_t)
        old, new = np.exp(top - w - m), np.exp(k_t - m)
        total, weight, top = old * total + new * v_t, old * weight + new, m
    return np.stack(y)


def wkv_sum(w, u, k, v):
    """As wkv, by a softmax over T x T logits in each channel."""
    check_array("k", k, "T", "B", len(w))
    check_array("v", v, *k.shape)
    t, s = np.indices((len(k), len(k)))[..., None, None]
    logits = k - (t - 1 - s).astype(k.dtype) * w  # (t, s, B, H)
    logits = np.where(s == t, k + u, np.where(s < t, logits, -np.inf))
    return np.sum(softmax(logits, axis=1) * v, axis=1)


def _read(q, S):
    """q (B, N) or (T, B, N), S (B, N, D) -> S' q."""
    return np.einsum("...bn,bnd->...bd", q, S)


def _check(q, S_0, **inputs):
    """ValueError unless q is (T, B, N), S_0 (B, N, D), inputs as k, v, ..."""
    check_array("q", q, "T", "B", "N")
    check_positive(T=len(q))
    check_array("S_0", S_0, *q.shape[1:], "D")
    widths = q.shape[2], S_0.shape[2], "M", "M"
    for (name, array), width in zip(inputs.items(), widths, strict=False):
        check_array(name, array, *q.shape[:2], width)


def _chunks(size, q, S_0, **inputs):
    """Arrays (T, ...) -> their pieces of size steps; the last may be short."""
    check_positive(size=size)
    _check(q, S_0, **inputs)
    starts, arrays = range(0, len(q), size), [q, *inputs.values()]
    return [[a[i : i + size] for a in arrays] for i in starts]


def _decay_between(log_a):
    """(T, B, N) -> (t, s, B, N), the sum after s up to t, -inf if s > t.

    For every s anew: of sums from the start, -inf - -inf would be nan.
    """
    t, s = np.indices((len(log_a), len(log_a)))[..., None, None]
    sums = np.cumsum(np.where(t > s, log_a[:, None], 0), axis=0)
    return np.where(t >= s, sums, -np.inf)
