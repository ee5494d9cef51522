"""The tanh RNN: one step, the loop over time, and its gradient (BPTT).

Chapters: docs/en/rnn.md, docs/en/bptt.md. Source: Elman 1990; Werbos 1990.
One bias; torch.nn.RNN has two, which only ever appear as their sum. Where
lengths are given, a sequence that has ended holds its last state.
"""

from dataclasses import dataclass

import numpy as np

from seqbook.checks import check_array, check_cell, check_positive
from seqbook.params import map_params


@dataclass
class RNNParams:
    """Weights as in the equations."""

    W_xh: np.ndarray  # (H, D)
    W_hh: np.ndarray  # (H, H)
    b_h: np.ndarray  # (H,)


def init_rnn(rng: np.random.Generator, D: int, H: int):
    """-> RNNParams, each array from U(-1/sqrt(H), 1/sqrt(H)), as torch."""
    check_positive(D=D, H=H)
    shapes = (H, D), (H, H), H
    return RNNParams(*(rng.uniform(-1, 1, s) / np.sqrt(H) for s in shapes))


def rnn_step(p, x_t, h_prev):
    """x_t (B, D), h_prev (B, H) -> h_t (B, H), cache for the backward."""
    h_t = np.tanh(x_t @ p.W_xh.T + h_prev @ p.W_hh.T + p.b_h)  # (rnn.1)
    return h_t, (x_t, h_prev, h_t)


def rnn_step_backward(p, dh_t, cache):
    """dh_t (B, H) -> dx_t (B, D), dh_prev (B, H), grads as RNNParams."""
    x_t, h_prev, h_t = cache
    da_t = (1 - h_t**2) * dh_t  # (bptt.2)
    grads = RNNParams(da_t.T @ x_t, da_t.T @ h_prev, da_t.sum(axis=0))
    return da_t @ p.W_xh, da_t @ p.W_hh, grads


def rnn_forward(p, x, h_0, lengths=None):
    """x (T, B, D), h_0 (B, H), lengths (B,) -> h (T, B, H), cache.

    h[-1] is the last state of every sequence, whatever its length, and the
    padding of x is never read. ValueError if shapes or lengths do not fit.
    """
    x, valid = check_cell(p, 1, x, lengths, h_0=h_0)
    a_x = x @ p.W_xh.T + p.b_h  # all steps in one product
    h = np.empty((len(x) + 1, *h_0.shape), np.result_type(a_x, h_0))
    h[0] = h_0
    for t in range(len(x)):
        h_t = np.tanh(a_x[t] + h[t] @ p.W_hh.T)  # (rnn.1)
        h[t + 1] = np.where(valid[t], h_t, h[t])  # ended: hold the state
    return h[1:], (x, h, valid)


def _one_step_back(p, dh_t, h_t, valid_t):
    """dL/dh_t (..., B, H) -> da_t, and its share of dL/dh_{t-1}."""
    da_t = np.where(valid_t, (1 - h_t**2) * dh_t, 0)  # (bptt.2)
    return da_t, da_t @ p.W_hh + np.where(valid_t, 0, dh_t)  # (bptt.1)


def rnn_deltas(p, dh, cache):
    """dh (T, B, H), immediate gradients dL_t/dh_t -> da (T, B, H), dh_0.

    da_t is the total derivative of the loss in the pre-activation a_t: what
    step t did to its own output and to everything after it.
    """
    x, h, valid = cache
    check_array("dh", dh, *h[1:].shape)
    da, carry = np.empty_like(h[1:]), np.zeros_like(h[0])
    for t in reversed(range(len(x))):
        total = dh[t] + carry  # (bptt.1) the loss at t, and all later ones
        da[t], carry = _one_step_back(p, total, h[t + 1], valid[t])
    return da, carry


def rnn_backward(p, dh, cache):
    """dh (T, B, H) -> dx (T, B, D), dh_0 (B, H), grads as RNNParams.

    dh[t] is the gradient that enters at h_t alone: from its output, not
    from later steps. ValueError if dh does not have the shape of h.
    """
    da, dh_0 = rnn_deltas(p, dh, cache)
    return da @ p.W_xh, dh_0, _sum_over_steps(da, cache)


def _sum_over_steps(da, cache):
    """da (T, B, H) -> grads; one product adds up all steps and examples."""
    x, h, _ = cache
    rows = da.reshape(-1, da.shape[-1])  # (T B, H)
    return RNNParams(
        W_xh=rows.T @ x.reshape(len(rows), -1),  # (bptt.4)
        W_hh=rows.T @ h[:-1].reshape(rows.shape),  # (bptt.3)
        b_h=rows.sum(axis=0),  # (bptt.5)
    )


def rnn_backward_by_step(p, dh, cache):
    """dh (T, B, H) -> RNNParams whose arrays have T in front.

    Entry t is the gradient in the copy of the weights that step t used, as
    if they were not shared; the T entries add up to rnn_backward's.
    """
    x, h, _ = cache
    da, _ = rnn_deltas(p, dh, cache)
    da_T = da.swapaxes(1, 2)  # (T, H, B)
    return RNNParams(da_T @ x, da_T @ h[:-1], da.sum(axis=1))


def rnn_backward_chunks(p, dh, cache, k: int):
    """-> dx, dh_0, grads, as rnn_backward, cut between chunks of k steps.

    The state was carried over the boundary; its gradient is dropped there.
    dx[t] holds what the losses of t's own chunk say. ValueError if k < 1.
    """
    check_positive(k=k)
    x, h, valid = cache
    check_array("dh", dh, *h[1:].shape)
    da = np.empty_like(h[1:])
    dh_0 = []
    for s in range(0, len(x), k):
        chunk = x[s : s + k], h[s : s + k + 1], valid[s : s + k]
        da[s : s + k], carry = rnn_deltas(p, dh[s : s + k], chunk)
        dh_0.append(carry)  # only the first chunk's reaches h_0
    return da @ p.W_xh, dh_0[0], _sum_over_steps(da, cache)


def rnn_backward_window(p, dh, cache, k: int):
    """-> dx, dh_0, grads, where each L_t reaches steps t-k+1 .. t only.

    k passes over all steps at once, one lag each. ValueError if k < 1.
    """
    check_positive(k=k)
    x, h, valid = cache
    check_array("dh", dh, *h[1:].shape)
    total, reach = np.zeros_like(h), np.zeros_like(h)
    reach[1:] = dh  # reach[t]: dL_{t+lag}/dh_t, at lag 0
    for _ in range(min(k, len(x))):
        total += reach
        back = _one_step_back(p, reach[1:], h[1:], valid)[1]
        reach = np.concatenate([back, np.zeros_like(h[:1])])
    da, _ = _one_step_back(p, total[1:], h[1:], valid)
    return da @ p.W_xh, total[0] + reach[0], _sum_over_steps(da, cache)


def rnn_backward_checkpointed(p, x, h_0, dh, every: int):
    """x (T, B, D), h_0 (B, H), dh (T, B, H) -> as rnn_backward.

    Keeps every `every`-th state and computes the others a second time, one
    segment at a time: less memory, one more forward. ValueError as there.
    """
    check_positive(every=every)
    check_cell(p, 1, x, None, h_0=h_0)
    check_array("dh", dh, len(x), *h_0.shape)
    starts = range(0, len(x), every)
    kept = [h_0]
    for s in starts:
        h, _ = rnn_forward(p, x[s : s + every], kept[-1])
        kept.append(h[-1])
    dx, carry = np.empty_like(x), 0
    grads = map_params(np.zeros_like, p)
    for s, state in zip(reversed(starts), kept[-2::-1], strict=True):
        segment = dh[s : s + every].copy()
        segment[-1] += carry  # what the later segments say about its end
        _, cache = rnn_forward(p, x[s : s + every], state)
        dx[s : s + every], carry, part = rnn_backward(p, segment, cache)
        grads = map_params(np.add, grads, part)
    return dx, carry, grads
