"""minGRU and minLSTM: gated cells whose gates do not see the state.

Chapter: docs/en/gru.md. Source: Feng et al. 2024, arXiv:2410.01201, section
3; minLSTM with its two gates made to add up to one. z = 1 overwrites, there
as in this book. Their appendix scans logarithms for stability, and so needs
positive candidates; scan only multiplies gates, at most 1, for any sign.
"""

from dataclasses import dataclass

import numpy as np

from seqbook.checks import check_array
from seqbook.functional import linear, linear_backward, sigmoid
from seqbook.ssm import scan, scan_backward, softplus


@dataclass
class MinimalParams:
    """Rows: the blocks z | n of a minGRU, f | i | n of a minLSTM."""

    W_xh: np.ndarray  # (2H, D) or (3H, D)
    b_h: np.ndarray  # (2H,) or (3H,)


def mingru_step(p, x_t, h_prev):
    """x_t (B, D), h_prev (B, H) -> h_t (B, H)."""
    a_z, n = np.split(x_t @ p.W_xh.T + p.b_h, 2, axis=-1)  # (B, H)
    z = sigmoid(a_z)  # no h_prev here, so the state is linear in it
    return (1 - z) * h_prev + z * n


def mingru_forward(p, x, h_0):
    """x (T, B, D), h_0 (B, H) -> h (T, B, H), cache; shapes are checked."""
    a_z, n = _blocks(p, 2, x, h_0)
    z = sigmoid(a_z)
    h = scan(1 - z, z * n, h_0)
    return h, (x, h_0, z, n, h)


def mingru_backward(p, dh, cache):
    """dh (T, B, H) -> dx (T, B, D), dh_0 (B, H), grads as MinimalParams."""
    x, h_0, z, n, h = cache
    da, db, dh_0 = scan_backward(dh, 1 - z, h, h_0)
    da_z = (db * n - da) * z * (1 - z)
    da_x = np.concatenate([da_z, db * z], axis=-1)  # (T, B, 2H)
    dx, dW, db_h = linear_backward(p.W_xh, x, da_x)
    return dx, dh_0, MinimalParams(dW, db_h)


def minlstm_forward(p, x, h_0):
    """As mingru_forward, with z = i / (f + i), so that 1 - z = f / (f + i)."""
    a_f, a_i, n = _blocks(p, 3, x, h_0)
    z = sigmoid(softplus(-a_f) - softplus(-a_i))  # log i - log f: no 0 / 0
    h = scan(1 - z, z * n, h_0)
    return h, (x, h_0, a_f, a_i, z, n, h)


def minlstm_backward(p, dh, cache):
    """dh (T, B, H) -> dx (T, B, D), dh_0 (B, H), grads as MinimalParams."""
    x, h_0, a_f, a_i, z, n, h = cache
    da, db, dh_0 = scan_backward(dh, 1 - z, h, h_0)
    da_z = (db * n - da) * z * (1 - z)
    da_f, da_i = -da_z * sigmoid(-a_f), da_z * sigmoid(-a_i)
    da_x = np.concatenate([da_f, da_i, db * z], axis=-1)  # (T, B, 3H)
    dx, dW, db_h = linear_backward(p.W_xh, x, da_x)
    return dx, dh_0, MinimalParams(dW, db_h)


def _blocks(p, blocks: int, x, h_0):
    """-> the blocks of a = W_xh x + b_h, (T, B, H) each, inputs checked."""
    check_array("h_0", h_0, "B", "H")
    B, H = h_0.shape
    check_array("W_xh", p.W_xh, blocks * H, "D")
    check_array("x", x, "T", B, p.W_xh.shape[1])
    return np.split(linear(p.W_xh, p.b_h, x), blocks, axis=-1)
