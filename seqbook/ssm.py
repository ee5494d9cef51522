"""Linear recurrences by loop, scan and convolution: S4D and Mamba.

Chapter: docs/en/linear_recurrences.md. Source: Hillis & Steele 1986 and
Blelloch 1990 (scans); Gu et al. 2022, arXiv:2206.11893 (S4D); Gu & Dao 2023,
arXiv:2312.00752, section 3 (Mamba). Mamba's paper holds the input for a step,
its code takes Euler's step; in both x_t enters h_t, not x_{t-1}.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from seqbook.checks import check_array, check_positive
from seqbook.functional import linear


def linear_recurrence(a, b, h_0):
    """a, b (T, ...), h_0 (...) -> h (T, ...): h_t = a_t h_{t-1} + b_t.

    Entry by entry, real or complex. ValueError if the shapes do not fit.
    """
    _check_recurrence(a, b, h_0)
    h = [h_0]
    for a_t, b_t in zip(a, b, strict=True):
        h.append(a_t * h[-1] + b_t)
    return np.stack(h[1:])


def doubling_rounds(T: int):
    """T -> ceil(log2 T) rounds (left, right), about T log2 T pairs.

    Hillis and Steele: the stretch that a position knows doubles each time.
    """
    check_positive(T=T)
    shifts = [2**r for r in range((T - 1).bit_length())]
    return [(np.arange(T - s), np.arange(s, T)) for s in shifts]


def tree_rounds(T: int):
    """T -> at most 2 log2 T rounds (left, right), fewer than 2T pairs.

    Blelloch's two sweeps, in place as in Brent & Kung 1982: up a tree of
    blocks that double, then down to the positions between their ends.
    """
    check_positive(T=T)
    shifts = [2**r for r in range((T - 1).bit_length())]
    up = [(s, np.arange(2 * s - 1, T, 2 * s)) for s in shifts]
    down = [(s, np.arange(3 * s - 1, T, 2 * s)) for s in shifts[::-1]]
    return [(right - s, right) for s, right in up + down if len(right)]


def scan(a, b, h_0, plan: Callable = doubling_rounds):
    """As linear_recurrence -> h (T, ...), in the parallel rounds of plan(T).

    (a, b) is the map h -> a h + b. In a round every position of right takes
    in the stretch that ends at its partner in left, all at the same time.
    Products of |a| above 1 may overflow.
    """
    _check_recurrence(a, b, h_0)
    a, b = a.copy(), np.concatenate([a[:1] * h_0 + b[:1], b[1:]])
    for left, right in plan(len(a)):
        b[right] = a[right] * b[left] + b[right]  # read all, then write all
        a[right] = a[right] * a[left]
    return b


def scan_backward(dh, a, h, h_0):
    """dh (T, ...), a, h, h_0 of a real scan -> da, db (T, ...), dh_0 (...).

    The gradient runs from the end, db_t = dh_t + a_{t+1} db_{t+1}: a scan.
    """
    check_array("dh", dh, *h.shape)
    a_next = np.concatenate([a[1:], np.zeros_like(a[:1])])
    db = scan(a_next[::-1], dh[::-1], np.zeros_like(h_0))[::-1]
    return db * np.concatenate([h_0[None], h[:-1]]), db, a[0] * db[0]


def zero_order_hold(A, B, delta):
    """h' = A h + B x, with x held for a time delta -> A_bar, B_bar.

    Shapes broadcast. Euler's step for the input would put 1 for the mean.
    """
    z = delta * A
    mean = np.where(z == 0, 1, np.expm1(z) / np.where(z == 0, 1, z))
    return np.exp(z), mean * delta * B


def ssm(recurrence: Callable, A_bar, B_bar, C, x, h_0):
    """x (T, B, D), h_0 (B, D, N) -> y (T, B, D), h (T, B, D, N).

    recurrence is linear_recurrence or scan; A_bar, B_bar, C are (D, N), or
    as selection returns them. Of complex states y is the real part.
    """
    b = B_bar * x[..., None]
    h = recurrence(np.broadcast_to(A_bar, b.shape), b, h_0)
    return np.sum(C * h, axis=-1).real, h


def ssm_kernel(A_bar, B_bar, C, T: int):
    """(D, N) each -> K (T, D), the answer to a one followed by zeros."""
    check_positive(T=T)
    t = np.arange(T, dtype=A_bar.real.dtype)[:, None, None]
    return np.sum(C * B_bar * A_bar**t, axis=-1).real


def fft_convolution(K, x):
    """K (T, D), x (T, B, D) -> y (T, B, D), y_t = sum of K_s x_{t-s}."""
    check_array("x", x, "T", "B", "D")
    check_array("K", K, len(x), x.shape[2])
    n = 2 * len(x)  # with T alone the end would come round to the start
    y_f = np.fft.rfft(K, n, axis=0)[:, None] * np.fft.rfft(x, n, axis=0)
    return np.fft.irfft(y_f, n, axis=0)[: len(x)].astype(x.dtype)


def softplus(a):
    """log(1 + exp(a)), any shape -> the same; its slope is sigmoid(a)."""
    return np.logaddexp(a, 0)


@dataclass
class SelectiveParams:
    """Mamba's SSM: A is learned; delta, B and C are read from x."""

    A: np.ndarray  # (D, N), negative; Mamba stores log(-A)
    W_x: np.ndarray  # (D + 2N, D), rows delta | B | C
    b_x: np.ndarray  # (D + 2N,); Mamba has the first block alone


def selection(p, x):
    """x (T, B, D) -> A_bar, B_bar (T, B, D, N), C (T, B, 1, N) for ssm."""
    D, N = p.A.shape
    check_array("x", x, "T", "B", D)
    check_array("W_x", p.W_x, D + 2 * N, D)
    a = linear(p.W_x, p.b_x, x)[:, :, None]  # (T, B, 1, D + 2N)
    a_delta, B, C = np.split(a, [D, D + N], axis=-1)
    delta = softplus(a_delta).swapaxes(2, 3)  # (T, B, D, 1)
    return np.exp(delta * p.A), delta * B, C  # Euler for B, as Mamba's code


def _check_recurrence(a, b, h_0):
    """ValueError unless a, b are (T, ...) with T > 0 and h_0 is (...)."""
    check_positive(T=len(a))
    for name, array, want in ("b", b, a.shape), ("h_0", h_0, a.shape[1:]):
        if np.shape(array) != want:
            raise ValueError(f"{name} must be {want}, got {np.shape(array)}")
