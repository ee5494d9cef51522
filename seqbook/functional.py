"""Sigmoid, softmax, log-sum-exp, cross-entropy, each next to its derivative.

Chapter: docs/en/rnn.md. Source: Goodfellow et al. 2016, ch. 4.1 and 6.2.
No caches here: a backward takes the inputs of its forward again. Logarithms
are natural, so losses are in nats, one per position; whether they are then
added or averaged is for the caller to say, or for mean_cross_entropy.
"""

import numpy as np

from seqbook.checks import check_array, check_integers, check_mask


def sigmoid(a):
    """Any shape -> the same; exact down to the smallest float."""
    with np.errstate(over="ignore"):  # exp(1000) = inf, and 1 / inf = 0
        return 1 / (1 + np.exp(-a))


def sigmoid_backward(ds, s):
    """Gradient ds at s = sigmoid(a) -> da; at most ds / 4."""
    return ds * s * (1 - s)


def tanh_backward(dy, y):
    """Gradient dy at y = tanh(a) -> da; at most dy."""
    return dy * (1 - y**2)


def logsumexp(a, axis: int = -1):
    """a -> log of the sum of exp(a) over one axis, which disappears.

    Only -inf gives -inf: the log of a sum of zeros.
    """
    top = np.max(a, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)  # -inf - -inf would be nan
    with np.errstate(divide="ignore"):  # log(0) = -inf is the answer
        log_sum = np.log(np.sum(np.exp(a - top), axis=axis))
    return log_sum + np.squeeze(top, axis=axis)


def log_softmax(a, axis: int = -1):
    """Logits -> log-probabilities (nats), normalised over one axis."""
    return a - np.expand_dims(logsumexp(a, axis), axis)


def log_softmax_backward(dlog_p, log_p, axis: int = -1):
    """Gradient at log_p = log_softmax(a) -> da."""
    total = np.sum(dlog_p, axis=axis, keepdims=True)
    return dlog_p - np.exp(log_p) * total


def softmax(a, axis: int = -1):
    """Logits -> probabilities over one axis; a logit of -inf gives 0."""
    e = np.exp(a - np.max(a, axis=axis, keepdims=True))  # exp stays below 1
    return e / np.sum(e, axis=axis, keepdims=True)


def softmax_backward(dp, p, axis: int = -1):
    """Gradient dp at p = softmax(a) -> da."""
    return p * (dp - np.sum(dp * p, axis=axis, keepdims=True))


def cross_entropy(logits, targets):
    """logits (..., V), integer targets (...) -> losses (...) in nats.

    ValueError if shapes differ or a target is not an integer in 0..V-1.
    """
    targets = _check_targets(logits, targets)
    log_p = log_softmax(logits)
    return -np.take_along_axis(log_p, targets[..., None], axis=-1)[..., 0]


def cross_entropy_backward(dlosses, logits, targets):
    """dlosses (...), as cross_entropy's result -> dlogits (..., V)."""
    targets = _check_targets(logits, targets)
    dlogits = softmax(logits)
    picked = np.take_along_axis(dlogits, targets[..., None], axis=-1)
    np.put_along_axis(dlogits, targets[..., None], picked - 1, axis=-1)
    return dlogits * np.asarray(dlosses)[..., None]


def mean_cross_entropy(logits, targets, mask=None):
    """logits (..., V), targets and bool mask (...) -> nats per real token.

    The sum over the positions where mask is True, divided by their number;
    what stands at the others, logits or targets, is never looked at.
    ValueError as cross_entropy, and if no position is real.
    """
    logits, targets, weights = _real_positions(logits, targets, mask)
    return float(np.sum(cross_entropy(logits, targets) * weights))


def mean_cross_entropy_backward(logits, targets, mask=None):
    """As mean_cross_entropy -> dlogits (..., V), zero where not real."""
    logits, targets, weights = _real_positions(logits, targets, mask)
    return cross_entropy_backward(weights, logits, targets)


def linear(W, b, x):
    """W (V, H), b (V,), x (..., H) -> y (..., V), the readout of a state."""
    check_array("W", W, "V", "H")
    check_array("b", b, W.shape[0])
    check_array("x", x, *"TBSN"[: np.ndim(x) - 1], W.shape[1])
    return x @ W.T + b  # (rnn.2)


def linear_backward(W, x, dy):
    """W (V, H), x (..., H), dy (..., V) -> dx (..., H), dW (V, H), db (V,).

    Every axis before the last is summed over: time as well as the batch.
    """
    check_array("dy", dy, *x.shape[:-1], W.shape[0])
    rows = dy.reshape(-1, dy.shape[-1])
    dW = rows.T @ x.reshape(-1, x.shape[-1])
    return dy @ W, dW, rows.sum(axis=0)


def _check_targets(logits, targets):
    """-> targets (...); ValueError unless they are ids of logits (..., V)."""
    check_array("logits", logits, *np.shape(logits)[:-1], "V")
    *shape, V = logits.shape
    return check_integers("targets", targets, *shape, high=V - 1)


def _real_positions(logits, targets, mask):
    """-> logits and targets with zeros under the mask, weights (...)."""
    mask = check_mask(mask, "(...)", np.shape(logits)[:-1])
    if not mask.any():
        raise ValueError("mask must be True somewhere, got False everywhere")
    weights = (mask / mask.sum()).astype(logits.dtype)
    logits = np.where(mask[..., None], logits, 0)
    return logits, np.where(mask, targets, 0), weights
