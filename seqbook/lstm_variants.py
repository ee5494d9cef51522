"""Variants of the LSTM, one step each; over_time makes the loops of them.

Chapter: docs/en/lstm.md. Sources: Hochreiter & Schmidhuber 1997 (no forget
gate); Greff et al. 2017 (coupled); Gers & Schmidhuber 2000 (peepholes); Sak
et al. 2014, arXiv:1402.1128 (projection); Ba et al. 2016, supplementary
material (layer norm). Here all squash with tanh and have full gradients, and
one has peepholes: 1997 squashes otherwise and truncates, Sak's cell peeps.
"""

from dataclasses import dataclass

import numpy as np

from seqbook.functional import sigmoid
from seqbook.lstm import lstm_step, lstm_step_backward


@dataclass
class LSTMTwoGateParams:
    """As LSTMParams without a forget gate: the row blocks are i | g | o."""

    W_xh: np.ndarray  # (3H, D)
    W_hh: np.ndarray  # (3H, H)
    b_h: np.ndarray  # (3H,)


def lstm1997_step(p, x_t, h_prev, c_prev):
    """As lstm_step, x_t, h_prev, c_prev -> h_t, c_t, cache, but f = 1."""
    a = x_t @ p.W_xh.T + h_prev @ p.W_hh.T + p.b_h  # (B, 3H)
    a_i, a_g, a_o = np.split(a, 3, axis=1)  # (B, H)
    i, g, o = sigmoid(a_i), np.tanh(a_g), sigmoid(a_o)
    c_t = c_prev + i * g
    return o * np.tanh(c_t), c_t, (x_t, h_prev, c_prev, i, g, o, c_t)


def lstm1997_step_backward(p, dh_t, dc_t, cache):
    """dh_t, dc_t -> dx_t, dh_prev, dc_prev, which is all of dc, grads."""
    x_t, h_prev, _, i, g, o, c_t = cache
    tanh_c = np.tanh(c_t)
    dc = dc_t + dh_t * o * (1 - tanh_c**2)  # both ways into c_t
    da_i, da_g = dc * g * i * (1 - i), dc * i * (1 - g**2)
    da_o = dh_t * tanh_c * o * (1 - o)
    da = np.concatenate([da_i, da_g, da_o], axis=1)  # (B, 3H)
    grads = LSTMTwoGateParams(da.T @ x_t, da.T @ h_prev, da.sum(axis=0))
    return da @ p.W_xh, da @ p.W_hh, dc, grads


def lstm_coupled_step(p, x_t, h_prev, c_prev):
    """As lstm_step, x_t, h_prev, c_prev -> h_t, c_t, cache; f = 1 - i."""
    a = x_t @ p.W_xh.T + h_prev @ p.W_hh.T + p.b_h  # (B, 3H)
    a_i, a_g, a_o = np.split(a, 3, axis=1)  # (B, H)
    i, g, o = sigmoid(a_i), np.tanh(a_g), sigmoid(a_o)
    c_t = (1 - i) * c_prev + i * g
    return o * np.tanh(c_t), c_t, (x_t, h_prev, c_prev, i, g, o, c_t)


def lstm_coupled_step_backward(p, dh_t, dc_t, cache):
    """dh_t, dc_t -> dx_t, dh_prev, dc_prev (B, H), LSTMTwoGateParams."""
    x_t, h_prev, c_prev, i, g, o, c_t = cache
    tanh_c = np.tanh(c_t)
    dc = dc_t + dh_t * o * (1 - tanh_c**2)
    da_i, da_g = dc * (g - c_prev) * i * (1 - i), dc * i * (1 - g**2)
    da_o = dh_t * tanh_c * o * (1 - o)
    da = np.concatenate([da_i, da_g, da_o], axis=1)  # (B, 3H)
    grads = LSTMTwoGateParams(da.T @ x_t, da.T @ h_prev, da.sum(axis=0))
    return da @ p.W_xh, da @ p.W_hh, dc * (1 - i), grads


@dataclass
class LSTMPeepholeParams:
    """As LSTMParams, and one weight per unit from the cell to each gate."""

    W_xh: np.ndarray  # (4H, D)
    W_hh: np.ndarray  # (4H, H)
    b_h: np.ndarray  # (4H,)
    w_c: np.ndarray  # (3H,), blocks i | f | o


def lstm_peephole_step(p, x_t, h_prev, c_prev):
    """As lstm_step -> h_t, c_t, cache; i and f see c_prev, o sees c_t."""
    a = x_t @ p.W_xh.T + h_prev @ p.W_hh.T + p.b_h  # (B, 4H)
    a_i, a_f, a_g, a_o = np.split(a, 4, axis=1)
    w_i, w_f, w_o = np.split(p.w_c, 3)
    i = sigmoid(a_i + w_i * c_prev)
    f, g = sigmoid(a_f + w_f * c_prev), np.tanh(a_g)
    c_t = f * c_prev + i * g
    o = sigmoid(a_o + w_o * c_t)
    return o * np.tanh(c_t), c_t, (x_t, h_prev, c_prev, i, f, g, o, c_t)


def lstm_peephole_step_backward(p, dh_t, dc_t, cache):
    """dh_t, dc_t -> dx_t, dh_prev, dc_prev (B, H), LSTMPeepholeParams."""
    x_t, h_prev, c_prev, i, f, g, o, c_t = cache
    w_i, w_f, w_o = np.split(p.w_c, 3)
    tanh_c = np.tanh(c_t)
    da_o = dh_t * tanh_c * o * (1 - o)
    dc = dc_t + dh_t * o * (1 - tanh_c**2) + da_o * w_o  # three ways
    da_i = dc * g * i * (1 - i)
    da_f = dc * c_prev * f * (1 - f)
    da = np.concatenate([da_i, da_f, dc * i * (1 - g**2), da_o], axis=1)
    dc_prev = dc * f + da_i * w_i + da_f * w_f
    seen = [da_i * c_prev, da_f * c_prev, da_o * c_t]
    dw_c = np.concatenate(seen, axis=1).sum(axis=0)  # (3H,)
    grads = da.T @ x_t, da.T @ h_prev, da.sum(axis=0), dw_c
    return da @ p.W_xh, da @ p.W_hh, dc_prev, LSTMPeepholeParams(*grads)


@dataclass
class LSTMProjectionParams:
    """As LSTMParams, but the state h has P numbers, fewer than the cell."""

    W_xh: np.ndarray  # (4H, D)
    W_hh: np.ndarray  # (4H, P)
    b_h: np.ndarray  # (4H,)
    W_hr: np.ndarray  # (P, H)


def lstm_projection_step(p, x_t, h_prev, c_prev):
    """x_t (B, D), h_prev (B, P), c_prev (B, H) -> h_t, c_t, cache."""
    m_t, c_t, cache = lstm_step(p, x_t, h_prev, c_prev)  # m_t (B, H)
    return m_t @ p.W_hr.T, c_t, (m_t, *cache)


def lstm_projection_step_backward(p, dh_t, dc_t, cache):
    """dh_t (B, P), dc_t -> dx_t, dh_prev, dc_prev, LSTMProjectionParams."""
    m_t, *cache = cache
    dm_t = dh_t @ p.W_hr
    *gradients, grads = lstm_step_backward(p, dm_t, dc_t, cache)
    return *gradients, LSTMProjectionParams(**vars(grads), W_hr=dh_t.T @ m_t)


@dataclass
class LSTMLayerNormParams:
    """As LSTMParams, with gains (start at 1) and the bias of the cell (0)."""

    W_xh: np.ndarray  # (4H, D)
    W_hh: np.ndarray  # (4H, H)
    b_h: np.ndarray  # (4H,), the biases of both norms are in it
    gain_x: np.ndarray  # (4H,)
    gain_h: np.ndarray  # (4H,)
    gain_c: np.ndarray  # (H,)
    b_c: np.ndarray  # (H,)


def lstm_layer_norm_step(p, x_t, h_prev, c_prev):
    """As lstm_step -> h_t, c_t, cache, with three norms.

    Over the 4H numbers of W_xh x_t, over those of W_hh h_prev (all blocks in
    one), and over c_t on its way to h_t; to the next step it goes without.
    """
    norm_x, norm_h = _norm(x_t @ p.W_xh.T), _norm(h_prev @ p.W_hh.T)
    a = p.gain_x * norm_x[0] + p.gain_h * norm_h[0] + p.b_h  # (B, 4H)
    a_i, a_f, a_g, a_o = np.split(a, 4, axis=1)
    i, f, g, o = sigmoid(a_i), sigmoid(a_f), np.tanh(a_g), sigmoid(a_o)
    c_t = f * c_prev + i * g
    norm_c = _norm(c_t)
    y = np.tanh(p.gain_c * norm_c[0] + p.b_c)
    cache = x_t, h_prev, c_prev, (i, f, g, o, y), (norm_x, norm_h, norm_c)
    return o * y, c_t, cache


def _norm(a):
    """a (B, n) -> rows of mean 0 and variance 1, what they were scaled by."""
    a = a - a.mean(axis=1, keepdims=True)
    variance = (a**2).mean(axis=1, keepdims=True)
    scale = 1 / np.sqrt(variance + 1e-5)  # a constant row stays finite
    return a * scale, scale


def lstm_layer_norm_step_backward(p, dh_t, dc_t, cache):
    """dh_t, dc_t -> dx_t, dh_prev, dc_prev (B, H), LSTMLayerNormParams."""
    x_t, h_prev, c_prev, (i, f, g, o, y), (norm_x, norm_h, norm_c) = cache
    da_c = dh_t * o * (1 - y**2)
    dc = dc_t + _norm_backward(da_c * p.gain_c, *norm_c)
    da_i, da_f = dc * g * i * (1 - i), dc * c_prev * f * (1 - f)
    da_g, da_o = dc * i * (1 - g**2), dh_t * y * o * (1 - o)
    da = np.concatenate([da_i, da_f, da_g, da_o], axis=1)  # (B, 4H)
    da_x = _norm_backward(da * p.gain_x, *norm_x)
    da_h = _norm_backward(da * p.gain_h, *norm_h)
    rows = da, da * norm_x[0], da * norm_h[0], da_c * norm_c[0], da_c
    sums = [row.sum(axis=0) for row in rows]
    grads = LSTMLayerNormParams(da_x.T @ x_t, da_h.T @ h_prev, *sums)
    return da_x @ p.W_xh, da_h @ p.W_hh, dc * f, grads


def _norm_backward(dn, n, scale):
    """A norm passes on what neither shifts nor stretches the row."""
    shift = dn.mean(axis=1, keepdims=True)
    stretch = (dn * n).mean(axis=1, keepdims=True)
    return scale * (dn - shift - n * stretch)
