"""The RNN with ReLU, started at the identity (IRNN).

Chapter: docs/en/vanishing_gradients.md. Source: Le et al. 2015,
arXiv:1504.00941: identity, zero biases, input weights of deviation 0.001.
Parameters are RNNParams; over_time makes the loops.
"""

import numpy as np

from seqbook.checks import check_positive
from seqbook.rnn import RNNParams


def init_irnn(rng: np.random.Generator, D: int, H: int):
    """-> RNNParams; without input a state that is not negative stays."""
    check_positive(D=D, H=H)
    return RNNParams(rng.normal(0, 0.001, (H, D)), np.eye(H), np.zeros(H))


def relu_rnn_step(p, x_t, h_prev):
    """x_t (B, D), h_prev (B, H) -> h_t (B, H), cache for the backward."""
    h_t = np.maximum(x_t @ p.W_xh.T + h_prev @ p.W_hh.T + p.b_h, 0)
    return h_t, (x_t, h_prev, h_t)


def relu_rnn_step_backward(p, dh_t, cache):
    """dh_t (B, H) -> dx_t (B, D), dh_prev (B, H), grads as RNNParams.

    The slope is 1 or 0, and 0 in the corner, as in PyTorch.
    """
    x_t, h_prev, h_t = cache
    da_t = np.where(h_t > 0, dh_t, 0)
    grads = RNNParams(da_t.T @ x_t, da_t.T @ h_prev, da_t.sum(axis=0))
    return da_t @ p.W_xh, da_t @ p.W_hh, grads
