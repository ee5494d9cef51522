"""Nets from any cell, given its functions: over time, both ways, in depth.

Chapter: docs/en/deep_bidirectional.md. Source: Schuster & Paliwal 1997 (both
ways); Zhang et al. 2016, arXiv:1510.08983 (latency controlled); Wu et al.
2016, arXiv:1609.08144, section 3.1 (residual stacks).
"""

from collections.abc import Callable

import numpy as np

from seqbook.checks import check_array, check_positive, valid_steps
from seqbook.params import map_params


def over_time(step: Callable, p, x, states, lengths=None):
    """step(p, x_t, *states) -> *states, cache; x (T, B, D), states (B, H).

    -> [h (T, B, H), one a state], cache. A sequence that has ended holds its
    states, and padding is never read. ValueError if shapes do not fit.
    """
    check_array("x", x, "T", "B", "D")
    check_positive(T=len(x))
    valid = valid_steps(lengths, *x.shape[:2])[..., None]
    for k, state in enumerate(states):
        check_array(f"states[{k}]", state, x.shape[1], "H")
    found, caches = [states], []  # with h_0, so that np.stack compares widths
    for x_t, valid_t in zip(np.where(valid, x, 0), valid, strict=True):
        *new, cache = step(p, x_t, *states)
        states = [np.where(valid_t, *s) for s in zip(new, states, strict=True)]
        found.append(states)
        caches.append(cache)
    h = [np.stack(found_h)[1:] for found_h in zip(*found, strict=True)]
    return h, (caches, valid, h)


def over_time_backward(step_backward: Callable, p, dstates, cache):
    """[dh (T, B, H), one a state] -> dx (T, B, D), [dh_0 (B, H), ..], grads.

    dh[t] enters at h_t from outside. step_backward(p, *dh_t, cache) -> dx_t,
    *dh_prev, grads in the class of p. ValueError if shapes do not fit.
    """
    caches, valid, h = cache
    for k, (dh, h_k) in enumerate(zip(dstates, h, strict=True)):
        check_array(f"dstates[{k}]", dh, *h_k.shape)
    carry = [np.zeros_like(dh[0]) for dh in dstates]
    dx, grads = [], map_params(np.zeros_like, p)
    for t in reversed(range(len(caches))):
        total = [dh[t] + c for dh, c in zip(dstates, carry, strict=True)]
        real = [np.where(valid[t], dh_t, 0) for dh_t in total]
        dx_t, *back, part = step_backward(p, *real, caches[t])
        carry = [np.where(valid[t], *d) for d in zip(back, total, strict=True)]
        grads = map_params(np.add, grads, part)
        dx.append(dx_t)
    return np.stack(dx[::-1]), carry, grads


def reverse_valid(x, lengths=None):
    """x (T, B, ...), lengths (B,) -> x with each sequence turned round.

    Only inside its length: the padding stays at the end, or a cell that
    reads from right to left would begin in it. Its own inverse, and its own
    backward. ValueError if the lengths do not fit.
    """
    T, B = x.shape[:2]
    valid = valid_steps(lengths, T, B)
    t = np.arange(T)[:, None]
    source = np.where(valid, valid.sum(axis=0) - 1 - t, t)  # (T, B)
    return x[source, np.arange(B)]


def bidirectional(read_right: Callable, read_left: Callable, x, lengths=None):
    """Two functions (x, lengths) -> h (T, B, H), x -> h (T, B, 2H).

    The first reads from left to right, the second from right to left; both
    halves of h[t] belong to x[t]. The last states are h[-1, :, :H] and
    h[0, :, H:].
    """
    turned = read_left(reverse_valid(x, lengths), lengths)
    h_left = reverse_valid(turned, lengths)  # (deep.2)
    h_right = read_right(x, lengths)  # (deep.1)
    return np.concatenate([h_right, h_left], axis=-1)  # (deep.3)


def latency_controlled(layers, x, states, chunk: int, ahead: int):
    """Pairs of readers, lowest first; x (T, B, D) -> h (T, B, 2H).

    read_right(x, h_0) -> h (T, B, H) goes on where the chunk before ended,
    at first from `states`, h_0 (B, H) of each layer. read_left(x, lengths)
    begins anew in each chunk, `ahead` steps beyond its end.
    """
    check_array("x", x, "T", "B", "D")
    check_positive(T=len(x), chunk=chunk, **{"ahead + 1": ahead + 1})
    found = []
    for start in range(0, len(x), chunk):
        h, after = x[start : start + chunk + ahead], []
        for (read_right, read_left), h_0 in zip(layers, states, strict=True):
            right = read_right(h, h_0)
            after.append(right[:chunk][-1])  # what lies ahead is read again
            left = reverse_valid(read_left(reverse_valid(h), None))
            h = np.concatenate([right, left], axis=-1)
        states = after
        found.append(h[:chunk])
    return np.concatenate(found)


def deep(layers, x, lengths=None):
    """Functions (x, lengths) -> h, lowest first; x -> h of the highest."""
    for layer in layers:
        x = layer(x, lengths)  # (deep.4)
    return x


def deep_residual(layers, x, lengths=None):
    """As deep -> h; from the second on, a layer adds to what it has read.

    ValueError if one of those changes the shape (T, B, H).
    """
    h = deep(layers[:1], x, lengths)
    for layer in layers[1:]:
        change = layer(h, lengths)
        check_array("a layer's output", change, *h.shape)
        h = h + change  # (deep.6)
    return h


def depends_on(f: Callable, x):
    """f: x (T, ..) -> y (S, ..) -> (S, T) bool, does x[t] change y[s]?

    By trying, one nudged step after another: what is too faint for the
    dtype does not show. ValueError if x is not a float array.
    """
    check_array("x", x, "T", *np.shape(x)[1:])
    y, moved = f(x), []
    for t in range(len(x)):
        other = x.copy()
        other[t] += np.linspace(0.5, 1, x[t].size).reshape(x[t].shape)
        moved.append((f(other) != y).reshape(len(y), -1).any(axis=1))
    return np.stack(moved, axis=1)
