"""Deep and bidirectional nets from any cell, given its functions.

Chapter: docs/en/bidirectional.md. Source: Schuster & Paliwal 1997.
"""

from collections.abc import Callable

import numpy as np

from seqbook.checks import valid_steps


# --8<-- [start:reverse_valid]
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
    # --8<-- [end:reverse_valid]


# --8<-- [start:bidirectional]
def bidirectional(read_right: Callable, read_left: Callable, x, lengths=None):
    """Two functions (x, lengths) -> h (T, B, H), x -> h (T, B, 2H).

    The first reads from left to right, the second from right to left; both
    halves of h[t] belong to x[t]. The last states are h[-1, :, :H] and
    h[0, :, H:].
    """
    turned = read_left(reverse_valid(x, lengths), lengths)
    h_left = reverse_valid(turned, lengths)
    return np.concatenate([read_right(x, lengths), h_left], axis=-1)
    # --8<-- [end:bidirectional]
