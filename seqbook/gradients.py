"""What happens to a gradient over time: Jacobian products, norms, clipping.

Chapter: docs/en/vanishing_gradients.md. Source: Pascanu et al. 2013,
arXiv:1211.5063. Jacobians are in numerator layout, J_t = dh_t/dh_{t-1}, so
states move by J and gradients, which are columns, by its transpose. J[0]
belongs to step 1.
"""

import numpy as np

from seqbook.checks import check_array, check_positive
from seqbook.params import arrays_of, map_params


def rnn_jacobians(p, h):
    """RNNParams, h (T, H) of one example -> J (T, H, H), J[t] of its step."""
    check_array("h", h, "T", p.W_hh.shape[0])
    return (1 - h**2)[:, :, None] * p.W_hh  # (bptt.6) diag times W_hh


def jacobian_product(J, t: int, k: int):
    """J (T, H, H), 0 <= k <= t <= T -> dh_t/dh_k (H, H), t - k factors.

    The latest step stands on the left; t = k is the identity. ValueError
    if k and t are not in this order.
    """
    check_array("J", J, "T", "H", "H")
    if not 0 <= k <= t <= len(J):
        raise ValueError(f"need 0 <= k <= t <= T = {len(J)}, got {k=}, {t=}")
    product = np.eye(J.shape[-1], dtype=J.dtype)
    for J_t in J[k:t]:  # J_{k+1}, ..., J_t, each from the left
        product = J_t @ product  # (bptt.7)
    return product


def backward_norms(J, v):
    """J (T, H, H), v = dL/dh_T (H,) -> norms (T + 1,) of dL/dh_{T-lag}.

    Entry 0 is the norm of v itself, entry T that of the gradient at h_0.
    """
    check_array("J", J, "T", "H", "H")
    check_array("v", v, J.shape[-1])
    norms = [np.linalg.norm(v)]
    for J_t in J[::-1]:
        v = J_t.T @ v
        norms.append(np.linalg.norm(v))
    return np.array(norms)


def spectral_norm(W) -> float:
    """W (M, N) -> its largest singular value: the most it can stretch."""
    check_array("W", W, "M", "N")
    return float(np.linalg.norm(W, 2))


def spectral_radius(W) -> float:
    """W (H, H) -> its largest |eigenvalue|: the growth rate of its powers."""
    check_array("W", W, "H", "H")
    return float(np.max(np.abs(np.linalg.eigvals(W))))


def step_bound(W_hh, gamma: float = 1.0) -> float:
    """W_hh (H, H), gamma the largest slope -> bound of every |J_t|.

    gamma is 1 for tanh, 1/4 for the logistic sigmoid. An upper bound: a
    value above 1 does not mean that anything grows.
    """
    return gamma * spectral_norm(W_hh)  # (vanishing.1)


def orthogonal(rng: np.random.Generator, n: int):
    """-> (n, n), uniform over all orthogonal matrices."""
    check_positive(n=n)
    Q, R = np.linalg.qr(rng.normal(size=(n, n)))
    return Q * np.sign(np.diag(R))  # QR alone favours some signs


def clip_global_norm(grads, max_norm: float):
    """Dataclass or list of arrays -> clipped copy, norm before (float).

    One norm over all arrays, so the direction is kept; zeros stay zeros.
    ValueError if max_norm is not positive, or if the norm is not finite:
    a single inf would turn every other gradient into 0 or nan.
    """
    if not max_norm > 0:
        raise ValueError(f"max_norm must be positive, got {max_norm}")
    _check_finite(grads)
    top = max(float(np.max(np.abs(g), initial=0)) for g in arrays_of(grads))
    if top == 0:
        return map_params(np.copy, grads), 0.0
    squares = [np.sum(np.square(g / top)) for g in arrays_of(grads)]
    norm = top * float(np.sqrt(sum(squares)))  # 1e200 squared is no float
    scale = min(1.0, max_norm / norm)  # (vanishing.3)
    return map_params(lambda g: g * scale, grads), norm


def clip_values(grads, limit: float):
    """Dataclass or list of arrays -> copy with entries in [-limit, limit].

    Changes the direction. ValueError if limit is not positive or an entry
    is not finite.
    """
    if not limit > 0:
        raise ValueError(f"limit must be positive, got {limit}")
    _check_finite(grads)
    return map_params(lambda g: np.clip(g, -limit, limit), grads)


def _check_finite(grads):
    bad = sum(np.sum(~np.isfinite(g)) for g in arrays_of(grads))
    if bad:
        raise ValueError(f"grads must be finite, got {bad} inf or nan entries")


def lyapunov_exponent(J, v) -> float:
    """J (T, H, H), v (H,) -> mean growth of v in nats per step.

    (1/T) log |J_T ... J_1 v| / |v|, with v rescaled at every step so that
    nothing overflows; for a generic v and a large T this is the largest
    Lyapunov exponent. -inf if a step maps v to zero. ValueError if v is 0.
    """
    check_array("J", J, "T", "H", "H")
    check_array("v", v, J.shape[-1])
    if not np.any(v):
        raise ValueError("v must not be zero")
    log_growth = 0.0
    v = v / np.linalg.norm(v)
    for J_t in J:
        v = J_t @ v
        size = np.linalg.norm(v)
        if size == 0:
            return float("-inf")
        log_growth += float(np.log(size))
        v = v / size
    return log_growth / len(J)
