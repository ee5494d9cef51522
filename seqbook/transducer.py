"""RNN transducer: the joint, the loss over all alignments, greedy decoding.

Chapter: docs/en/speech.md. Source: Graves 2012, arXiv:1211.3711, section 2;
a joint with tanh as in Graves et al. 2013, arXiv:1303.5778. A blank goes on
to the next frame, a label stays in its own; every path ends in a blank.
Both times come first, (T, U + 1, B, V); libraries put the batch first.
"""

from collections.abc import Callable
from math import comb

import numpy as np

from seqbook.checks import check_array, check_positive, valid_steps
from seqbook.ctc import BLANK, check_labels
from seqbook.functional import log_softmax, log_softmax_backward


def joint_forward(f, g, W_hy):
    """f (T, B, H), g (U + 1, B, H), W_hy (V, H) -> logits, cache."""
    check_array("g", g, "U + 1", *f.shape[1:])
    h = np.tanh(f[:, None] + g)  # (T, U + 1, B, H), every pair of the two
    return h @ W_hy.T, (h, W_hy)


def joint_backward(dlogits, cache):
    """dlogits (T, U + 1, B, V) -> df, dg, dW_hy."""
    h, W_hy = cache
    da = dlogits @ W_hy * (1 - h**2)
    dW_hy = np.tensordot(dlogits, h, axes=([0, 1, 2], [0, 1, 2]))
    return da.sum(axis=1), da.sum(axis=0), dW_hy


def transducer_alignments(T: int, U: int) -> int:
    """How many orders of T blanks and U labels end in a blank."""
    check_positive(T=T)
    return comb(T + U - 1, U)


def transducer_loss(logits, targets, lengths=None, target_lengths=None):
    """logits (T, U + 1, B, V), targets (U, B) int -> losses (B,), cache.

    In nats; both lengths are (B,). +inf if all paths have probability 0.
    ValueError if shapes, labels or lengths do not fit.
    """
    U = len(targets)
    check_array("logits", logits, "T", U + 1, "B", "V")
    T, _, B, V = logits.shape
    check_positive(T=T)
    T_b = valid_steps(lengths, T, B).sum(axis=0)
    labels, U_b = check_labels(targets, target_lengths, B, V)
    row, u, b = np.ogrid[: T + U + 1, : U + 1, :B]
    t = row - u  # row n is the anti-diagonal t + u = n; t < 0 is not reached
    inside = (t < T_b) & (u <= U_b)  # (T + U + 1, U + 1, B)
    rows = np.where(inside[..., None], logits[np.clip(t, 0, T - 1), u, b], 0)
    log_p = log_softmax(rows)
    ids = labels[None, ..., None]
    log_y = np.take_along_axis(log_p[:, :-1], ids, axis=-1)[..., 0]
    blank = np.where(inside, log_p[..., BLANK], -np.inf)
    label = np.where(inside[:, :-1], log_y, -np.inf)
    alpha = np.full_like(blank, -np.inf)
    alpha[0, 0] = 0
    for n in range(T + U):  # every cell of a row at once
        alpha[n + 1] = alpha[n] + blank[n]
        one_more = alpha[n, :-1] + label[n]
        alpha[n + 1, 1:] = np.logaddexp(alpha[n + 1, 1:], one_more)
    end = T_b + U_b, U_b, b[0, 0]  # where the last blank leads
    return -alpha[end], (log_p, ids, blank, label, alpha, end)


def transducer_loss_backward(dlosses, cache):
    """dlosses (B,) -> dlogits (T, U + 1, B, V), zero where a loss is +inf."""
    log_p, ids, blank, label, alpha, end = cache
    check_array("dlosses", dlosses, log_p.shape[2])
    beta = np.full_like(alpha, -np.inf)  # what is still to come
    beta[end] = 0
    for n in reversed(range(len(beta) - 1)):
        beta[n] = np.logaddexp(beta[n], blank[n] + beta[n + 1])
        one_more = label[n] + beta[n + 1, 1:]
        beta[n, :-1] = np.logaddexp(beta[n, :-1], one_more)
    log_P = np.where(np.isfinite(alpha[end]), alpha[end], 0)
    now, rest = alpha[:-1], beta[1:] - log_P
    dlog_p = np.zeros_like(log_p)  # -P(edge | target); blank last: it pads ids
    dlog_y = -np.exp(now[:, :-1] + label[:-1] + rest[:, 1:])
    np.put_along_axis(dlog_p[:-1, :-1], ids, dlog_y[..., None], axis=-1)
    dlog_p[:-1, ..., BLANK] = -np.exp(now + blank[:-1] + rest)
    rows = log_softmax_backward(dlog_p * dlosses[:, None], log_p)
    t, u = np.ogrid[: len(rows) - rows.shape[1], : rows.shape[1]]
    return rows[t + u, u]


def transducer_greedy(f, predict: Callable, joint: Callable, limit: int):
    """f (T, ...) -> [(label, frame)], at most `limit` labels in a frame.

    predict(id, state) -> g, state, which starts from the blank and None;
    joint(f_t, g) -> logits (V,). ValueError if limit is below 1.
    """
    check_positive(limit=limit)
    g, state = predict(BLANK, None)
    said = []
    for t, f_t in enumerate(f):  # no later frame is looked at
        for _ in range(limit):  # or it may never say blank
            k = int(np.argmax(joint(f_t, g)))
            if k == BLANK:
                break
            said.append((k, t))
            g, state = predict(k, state)
    return said
