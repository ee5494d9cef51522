"""Causal dilated convolution, its receptive field, and max over time.

Chapter: docs/en/three_roads.md. Source: van den Oord et al. 2016, §2.1; Kim
2014, §2 (pooling). W[j] acts on the step j * dilation back, so W[0] meets the
present; torch counts taps from the oldest and stores (C_out, C_in, k). No
real step sees later ones, so padding at the end needs no mask until pooling.
"""

from dataclasses import dataclass

import numpy as np

from seqbook.checks import check_array, check_positive, valid_steps


@dataclass
class ConvParams:
    """Weights as in the equations: one matrix for each of k taps."""

    W: np.ndarray  # (k, C_out, C_in)
    b: np.ndarray  # (C_out,)


def init_conv(rng: np.random.Generator, C_in: int, C_out: int, k: int):
    """-> ConvParams, from U(-1/sqrt(k C_in), 1/sqrt(k C_in)) as torch."""
    check_positive(C_in=C_in, C_out=C_out, k=k)
    W, b = (rng.uniform(-1, 1, s) for s in [(k, C_out, C_in), C_out])
    return ConvParams(W / np.sqrt(k * C_in), b / np.sqrt(k * C_in))


def causal_conv(p, x, dilation: int):
    """x (T, B, C_in) -> y (T, B, C_out), cache; zeros stand before x[0]."""
    check_array("W", p.W, "k", "C_out", "C_in")
    check_array("b", p.b, p.W.shape[1])
    check_array("x", x, "T", "B", p.W.shape[2])
    check_positive(T=len(x), dilation=dilation)
    y = np.zeros((*x.shape[:2], len(p.b)), np.result_type(x, p.W)) + p.b
    for j, W_j in enumerate(p.W):
        y_j = y[j * dilation :]  # the steps with anything j taps back
        y_j += x[: len(y_j)] @ W_j.T
    return y, (x, dilation)


def causal_conv_backward(p, dy, cache):
    """dy (T, B, C_out) -> dx (T, B, C_in), grads as ConvParams."""
    x, dilation = cache
    check_array("dy", dy, *x.shape[:2], len(p.b))
    dx, dW = np.zeros_like(x), np.empty_like(p.W)
    for j, W_j in enumerate(p.W):
        dy_j = dy[j * dilation :]
        dx[: len(dy_j)] += dy_j @ W_j
        dW[j] = np.tensordot(dy_j, x[: len(dy_j)], ([0, 1], [0, 1]))
    return dx, ConvParams(dW, dy.sum(axis=(0, 1)))


def receptive_field(layers) -> int:
    """List of (k, dilation), one a layer -> steps seen, the own included."""
    for k, dilation in layers:
        check_positive(k=k, dilation=dilation)
    return 1 + sum((k - 1) * dilation for k, dilation in layers)


def max_over_time(y, lengths=None):
    """y (T, B, C), lengths (B,) -> its largest real y[t] (B, C), won."""
    check_array("y", y, "T", "B", "C")
    check_positive(T=len(y))
    valid = valid_steps(lengths, *y.shape[:2])[..., None]
    real = np.where(valid, y, -np.inf)
    t = np.arange(len(y))[:, None, None]
    return real.max(axis=0), t == real.argmax(axis=0)  # of equals, the first


def max_over_time_backward(dtop, won):
    """dtop (B, C), won (T, B, C) bool -> dy (T, B, C): all to the winner."""
    check_array("dtop", dtop, *won.shape[1:])
    return np.where(won, dtop, 0)
