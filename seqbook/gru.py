"""GRU: one step, the loop over time, and their hand-derived gradients.

Chapter: docs/en/gru.md. Source: Chung et al. 2014, arXiv:1412.3555: z_t
writes, and r_t acts on h_prev before the product. torch.nn.GRU differs in
both; see docs/en/conventions.md. The reset-after variant at the end keeps
the book's z and moves only r, so that one difference is seen at a time.
"""

from dataclasses import dataclass

import numpy as np

from seqbook.checks import check_array, check_cell, check_positive
from seqbook.functional import sigmoid
from seqbook.stack import over_time, over_time_backward


@dataclass
class GRUParams:
    """Weights as in the equations; their rows are the blocks r | z | n."""

    W_xh: np.ndarray  # (3H, D)
    W_hh: np.ndarray  # (3H, H)
    b_h: np.ndarray  # (3H,)


def init_gru(rng: np.random.Generator, D: int, H: int):
    """-> GRUParams, each array from U(-1/sqrt(H), 1/sqrt(H)), as torch."""
    check_positive(D=D, H=H)
    shapes = (3 * H, D), (3 * H, H), 3 * H
    return GRUParams(*(rng.uniform(-1, 1, s) / np.sqrt(H) for s in shapes))


def gru_step(p, x_t, h_prev):
    """x_t (B, D), h_prev (B, H) -> h_t (B, H), cache for the backward."""
    x_r, x_z, x_n = np.split(x_t @ p.W_xh.T + p.b_h, 3, axis=1)  # (B, H)
    W_hr, W_hz, W_hn = np.split(p.W_hh, 3)  # (H, H)
    r = sigmoid(x_r + h_prev @ W_hr.T)  # (gru.1) reset gate
    z = sigmoid(x_z + h_prev @ W_hz.T)  # (gru.2) update gate
    n = np.tanh(x_n + (r * h_prev) @ W_hn.T)  # (gru.3) candidate
    h_t = (1 - z) * h_prev + z * n  # (gru.4) z = 1 overwrites
    return h_t, (x_t, h_prev, r, z, n)


def gru_step_backward(p, dh_t, cache):
    """dh_t (B, H) -> dx_t (B, D), dh_prev (B, H), grads as GRUParams."""
    x_t, h_prev, r, z, n = cache
    W_hr, W_hz, W_hn = np.split(p.W_hh, 3)
    da_n = dh_t * z * (1 - n**2)  # through (gru.4), then the tanh
    da_z = dh_t * (n - h_prev) * z * (1 - z)
    d_rh = da_n @ W_hn  # gradient of r * h_prev, (gru.3)
    da_r = d_rh * h_prev * r * (1 - r)
    da = np.concatenate([da_r, da_z, da_n], axis=1)  # (B, 3H)
    dW_hn = da_n.T @ (r * h_prev)
    dW_hh = np.vstack([da_r.T @ h_prev, da_z.T @ h_prev, dW_hn])
    dh_prev = dh_t * (1 - z) + d_rh * r + da_r @ W_hr + da_z @ W_hz
    return da @ p.W_xh, dh_prev, GRUParams(da.T @ x_t, dW_hh, da.sum(axis=0))


def gru_forward(p, x, h_0, lengths=None):
    """x (T, B, D), h_0 (B, H), lengths (B,) -> h (T, B, H), cache.

    gru_step at every t, with the products over x taken out of the loop and
    those of r and z in one. h[-1] is the last state of every sequence; the
    padding of x is never read. ValueError if shapes or lengths do not fit.
    """
    x, valid = check_cell(p, 3, x, lengths, h_0=h_0)
    H = h_0.shape[1]
    W_hrz, W_hn = p.W_hh[: 2 * H], p.W_hh[2 * H :]
    a_x = x @ p.W_xh.T + p.b_h  # (T, B, 3H)
    h = np.empty((len(x) + 1, *h_0.shape), np.result_type(a_x, h_0))
    gates = np.empty((len(x), 3, *h_0.shape), h.dtype)
    h[0] = h_0
    for t in range(len(x)):
        rz = sigmoid(a_x[t, :, : 2 * H] + h[t] @ W_hrz.T)
        r, z = rz[:, :H], rz[:, H:]  # (gru.1), (gru.2)
        n = np.tanh(a_x[t, :, 2 * H :] + (r * h[t]) @ W_hn.T)  # (gru.3)
        h_t = (1 - z) * h[t] + z * n  # (gru.4)
        h[t + 1] = np.where(valid[t], h_t, h[t])  # ended: hold the state
        gates[t] = r, z, n
    return h[1:], (x, h, gates, valid)


def gru_backward(p, dh, cache):
    """dh (T, B, H) -> dx (T, B, D), dh_0 (B, H), grads as GRUParams.

    dh[t] is the gradient that enters at h_t alone, from its output. The
    weights are left for after the loop: one product for all steps.
    """
    x, h, gates, valid = cache
    check_array("dh", dh, *h[1:].shape)
    H = h.shape[-1]
    W_hrz, W_hn = p.W_hh[: 2 * H], p.W_hh[2 * H :]
    da = np.empty((*h[1:].shape[:2], 3 * H), h.dtype)  # blocks r | z | n
    carry = np.zeros_like(h[0])
    for t in reversed(range(len(x))):
        total = dh[t] + carry
        dh_t = np.where(valid[t], total, 0)
        r, z, n = gates[t]
        da_n = dh_t * z * (1 - n**2)
        da_z = dh_t * (n - h[t]) * z * (1 - z)
        d_rh = da_n @ W_hn
        da_r = d_rh * h[t] * r * (1 - r)
        da[t] = np.concatenate([da_r, da_z, da_n], axis=1)
        carry = dh_t * (1 - z) + d_rh * r + da[t, :, : 2 * H] @ W_hrz
        carry += np.where(valid[t], 0, total)  # a held state passes it on
    rows, h_prev = da.reshape(-1, 3 * H), h[:-1].reshape(-1, H)
    rh = (gates[:, 0] * h[:-1]).reshape(-1, H)
    dW_hrz, dW_hn = rows[:, : 2 * H].T @ h_prev, rows[:, 2 * H :].T @ rh
    dW_xh = rows.T @ x.reshape(len(rows), -1)
    grads = GRUParams(dW_xh, np.vstack([dW_hrz, dW_hn]), rows.sum(axis=0))
    return da @ p.W_xh, carry, grads


def gru_jacobian(p, x_t, h_prev):
    """One example, x_t (D,), h_prev (H,) -> J_t = dh_t/dh_prev (H, H)."""
    check_array("x_t", x_t, p.W_xh.shape[1])
    check_array("h_prev", h_prev, p.W_hh.shape[1])
    _, (_, _, *gates) = gru_step(p, x_t[None], h_prev[None])
    r, z, n = (gate[0] for gate in gates)
    W_hr, W_hz, W_hn = np.split(p.W_hh, 3)
    d_r, d_z, d_n = r * (1 - r), z * (1 - z), 1 - n**2  # slopes
    J_rh = np.diag(r) + (h_prev * d_r)[:, None] * W_hr  # of r * h_prev
    J_n = d_n[:, None] * (W_hn @ J_rh)
    J_z = d_z[:, None] * W_hz
    return np.diag(1 - z) + (n - h_prev)[:, None] * J_z + z[:, None] * J_n


@dataclass
class GRUResetAfterParams:
    """As GRUParams, but r acts on a sum with a bias of its own, b_hh."""

    W_xh: np.ndarray  # (3H, D)
    W_hh: np.ndarray  # (3H, H)
    b_xh: np.ndarray  # (3H,)
    b_hh: np.ndarray  # (3H,)


def gru_reset_after_step(p, x_t, h_prev):
    """x_t (B, D), h_prev (B, H) -> h_t (B, H), cache for the backward.

    torch.nn.GRU once the z rows have changed sign: r acts after the
    product, which makes all products with h_prev one.
    """
    x_r, x_z, x_n = np.split(x_t @ p.W_xh.T + p.b_xh, 3, axis=1)
    h_r, h_z, h_n = np.split(h_prev @ p.W_hh.T + p.b_hh, 3, axis=1)
    r = sigmoid(x_r + h_r)
    z = sigmoid(x_z + h_z)
    n = np.tanh(x_n + r * h_n)  # (gru.3) has r * h_prev inside the product
    h_t = (1 - z) * h_prev + z * n  # (gru.4)
    return h_t, (x_t, h_prev, r, z, n, h_n)


def gru_reset_after_step_backward(p, dh_t, cache):
    """dh_t (B, H) -> dx_t, dh_prev, grads as GRUResetAfterParams."""
    x_t, h_prev, r, z, n, h_n = cache
    da_n = dh_t * z * (1 - n**2)
    da_z = dh_t * (n - h_prev) * z * (1 - z)
    da_r = da_n * h_n * r * (1 - r)
    da_x = np.concatenate([da_r, da_z, da_n], axis=1)  # (B, 3H)
    da_h = np.concatenate([da_r, da_z, da_n * r], axis=1)
    dh_prev = dh_t * (1 - z) + da_h @ p.W_hh
    weights = da_x.T @ x_t, da_h.T @ h_prev
    biases = da_x.sum(axis=0), da_h.sum(axis=0)
    return da_x @ p.W_xh, dh_prev, GRUResetAfterParams(*weights, *biases)


def gru_reset_after_forward(p, x, h_0, lengths=None):
    """x (T, B, D), h_0 (B, H), lengths (B,) -> h (T, B, H), cache."""
    check_cell(p, 3, x, None, h_0=h_0)
    (h,), cache = over_time(gru_reset_after_step, p, x, [h_0], lengths)
    return h, cache


def gru_reset_after_backward(p, dh, cache):
    """dh (T, B, H) -> dx (T, B, D), dh_0, grads as GRUResetAfterParams."""
    _, _, (h,) = cache
    check_array("dh", dh, *h.shape)
    step_backward = gru_reset_after_step_backward
    dx, (dh_0,), grads = over_time_backward(step_backward, p, [dh], cache)
    return dx, dh_0, grads
