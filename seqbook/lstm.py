"""LSTM: one step, the loop over time, and their hand-derived gradients.

Chapter: docs/en/lstm.md. Source: Gers et al. 2000, the forget gate added to
Hochreiter & Schmidhuber 1997; no peepholes. Blocks i, f, g, o and one bias;
torch.nn.LSTM has the same blocks and two biases, which only ever appear as
their sum. Its variants are in lstm_variants.
"""

from dataclasses import dataclass

import numpy as np

from seqbook.checks import check_array, check_cell, check_positive
from seqbook.functional import sigmoid


@dataclass
class LSTMParams:
    """Weights as in the equations; their rows are the blocks i | f | g | o."""

    W_xh: np.ndarray  # (4H, D)
    W_hh: np.ndarray  # (4H, H)
    b_h: np.ndarray  # (4H,)


def init_lstm(
    rng: np.random.Generator, D: int, H: int, forget_bias: float = 0.0
):
    """-> LSTMParams from U(-1/sqrt(H), 1/sqrt(H)), as torch.nn.LSTM.

    Only the forget block of b_h is set to forget_bias, not shifted by it:
    with 1 and no input the cell keeps sigmoid(1) = 73 % of itself a step.
    """
    check_positive(D=D, H=H)
    shapes = (4 * H, D), (4 * H, H), 4 * H
    p = LSTMParams(*(rng.uniform(-1, 1, s) / np.sqrt(H) for s in shapes))
    p.b_h[H : 2 * H] = forget_bias
    return p


def lstm_step(p, x_t, h_prev, c_prev):
    """x_t (B, D), h_prev, c_prev (B, H) -> h_t, c_t (B, H), cache."""
    a = x_t @ p.W_xh.T + h_prev @ p.W_hh.T + p.b_h  # (B, 4H)
    a_i, a_f, a_g, a_o = np.split(a, 4, axis=1)  # (B, H)
    i = sigmoid(a_i)  # (lstm.1) input gate
    f = sigmoid(a_f)  # (lstm.2) forget gate
    g = np.tanh(a_g)  # (lstm.3) candidate
    o = sigmoid(a_o)  # (lstm.4) output gate
    c_t = f * c_prev + i * g  # (lstm.5)
    h_t = o * np.tanh(c_t)  # (lstm.6)
    return h_t, c_t, (x_t, h_prev, c_prev, i, f, g, o, c_t)


def lstm_step_backward(p, dh_t, dc_t, cache):
    """dh_t, dc_t (B, H) -> dx_t (B, D), dh_prev, dc_prev (B, H), grads.

    dc_t is the gradient that reaches c_t from the next step; the share that
    comes through h_t is added here. grads are LSTMParams.
    """
    x_t, h_prev, c_prev, i, f, g, o, c_t = cache
    tanh_c = np.tanh(c_t)
    dc = dc_t + dh_t * o * (1 - tanh_c**2)  # (lstm.7) both ways
    da_i = dc * g * i * (1 - i)
    da_f = dc * c_prev * f * (1 - f)
    da_g = dc * i * (1 - g**2)
    da_o = dh_t * tanh_c * o * (1 - o)
    da = np.concatenate([da_i, da_f, da_g, da_o], axis=1)  # (B, 4H)
    grads = LSTMParams(da.T @ x_t, da.T @ h_prev, da.sum(axis=0))
    return da @ p.W_xh, da @ p.W_hh, dc * f, grads


def lstm_forward(p, x, h_0, c_0, lengths=None):
    """x (T, B, D), h_0, c_0 (B, H), lengths (B,) -> h, c (T, B, H), cache.

    lstm_step at every t, with the product over x taken out of the loop.
    h[-1] and c[-1] are the last states of every sequence; the padding of x
    is never read. ValueError if shapes or lengths do not fit.
    """
    x, valid = check_cell(p, 4, x, lengths, h_0=h_0, c_0=c_0)
    a_x = x @ p.W_xh.T + p.b_h  # (T, B, 4H)
    dtype = np.result_type(a_x, h_0, c_0)
    h, c = np.empty((2, len(x) + 1, *h_0.shape), dtype)
    gates = np.empty((len(x), 4, *h_0.shape), dtype)
    h[0], c[0] = h_0, c_0
    for t in range(len(x)):
        a = a_x[t] + h[t] @ p.W_hh.T
        a_i, a_f, a_g, a_o = np.split(a, 4, axis=1)
        i, f, o = sigmoid(a_i), sigmoid(a_f), sigmoid(a_o)
        g = np.tanh(a_g)  # (lstm.1) to (lstm.4)
        c_t = f * c[t] + i * g  # (lstm.5)
        h_t = o * np.tanh(c_t)  # (lstm.6)
        h[t + 1] = np.where(valid[t], h_t, h[t])  # ended: hold the state
        c[t + 1] = np.where(valid[t], c_t, c[t])
        gates[t] = i, f, g, o
    return h[1:], c[1:], (x, h, c, gates, valid)


def lstm_backward(p, dh, dc_T, cache):
    """dh (T, B, H), dc_T (B, H) -> dx (T, B, D), dh_0, dc_0, grads.

    dh[t] is the gradient that enters at h_t alone, from its output; dc_T
    enters at the last cell state (zeros if the loss does not read it). The
    weights are left for after the loop: one product for all steps.
    """
    x, h, c, gates, valid = cache
    check_array("dh", dh, *h[1:].shape)
    check_array("dc_T", dc_T, *c[0].shape)
    da = np.empty((*h[1:].shape[:2], p.W_hh.shape[0]), h.dtype)
    carry_h, carry_c = np.zeros_like(h[0]), dc_T
    for t in reversed(range(len(x))):
        total_h, total_c = dh[t] + carry_h, carry_c
        dh_t = np.where(valid[t], total_h, 0)
        dc_t = np.where(valid[t], total_c, 0)
        i, f, g, o = gates[t]
        tanh_c = np.tanh(c[t + 1])
        dc_t = dc_t + dh_t * o * (1 - tanh_c**2)
        da_i, da_f, da_g, da_o = np.split(da[t], 4, axis=1)  # views
        da_i[:] = dc_t * g * i * (1 - i)
        da_f[:] = dc_t * c[t] * f * (1 - f)
        da_g[:] = dc_t * i * (1 - g**2)
        da_o[:] = dh_t * tanh_c * o * (1 - o)
        carry_h = da[t] @ p.W_hh + np.where(valid[t], 0, total_h)
        carry_c = dc_t * f + np.where(valid[t], 0, total_c)
    rows = da.reshape(-1, da.shape[-1])  # (T B, 4H)
    dW_xh = rows.T @ x.reshape(len(rows), -1)
    dW_hh = rows.T @ h[:-1].reshape(len(rows), -1)
    grads = LSTMParams(dW_xh, dW_hh, rows.sum(axis=0))
    return da @ p.W_xh, carry_h, carry_c, grads


def lstm_jacobian(p, x_t, h_prev, c_prev):
    """One example, x_t (D,), h_prev, c_prev (H,) -> J_t (2H, 2H).

    Rows h_t | c_t, columns h_prev | c_prev. The lower right block, diag(f),
    is the direct path; the two on the left are what the gates look at.
    """
    check_array("x_t", x_t, p.W_xh.shape[1])
    check_array("h_prev", h_prev, p.W_hh.shape[1])
    check_array("c_prev", c_prev, p.W_hh.shape[1])
    _, c_t, cache = lstm_step(p, x_t[None], h_prev[None], c_prev[None])
    i, f, g, o = (gate[0] for gate in cache[3:7])
    W_hi, W_hf, W_hg, W_ho = np.split(p.W_hh, 4)
    tanh_c = np.tanh(c_t[0])
    A = (g * i * (1 - i))[:, None] * W_hi  # (carousel.4), three wires
    A = A + (c_prev * f * (1 - f))[:, None] * W_hf
    A = A + (i * (1 - g**2))[:, None] * W_hg
    S = o * (1 - tanh_c**2)  # how far h_t follows c_t
    J_ho = (tanh_c * o * (1 - o))[:, None] * W_ho
    J_hh = S[:, None] * A + J_ho  # (carousel.6)
    J_hc = np.diag(S * f)  # (carousel.5)
    return np.block([[J_hh, J_hc], [A, np.diag(f)]])  # (carousel.3)
