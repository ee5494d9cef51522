"""CTC: the loss over all alignments, its gradient, and its decoders.

Chapter: docs/en/speech.md. Source: Graves et al. 2006, sections 3 and 4;
prefix beam search: Hannun et al. 2014, arXiv:1408.2873, here without a
language model. Losses in nats, one a sequence (torch's "mean" divides by U);
gradients of the logits: those of log-probabilities alone lack the softmax.
"""

from collections import defaultdict
from itertools import groupby, pairwise
from math import comb

import numpy as np

from seqbook.checks import check_array, check_positive, valid_steps
from seqbook.functional import log_softmax, log_softmax_backward, logsumexp

BLANK = 0  # as in torch; the labels are 1..V-1


def ctc_collapse(path):
    """Ids of T frames -> tuple of labels: merge repeats, then drop blanks."""
    return tuple(int(k) for k, _ in groupby(path) if k != BLANK)


def ctc_min_length(labels) -> int:
    """Ids or text -> fewest frames: one a label, a blank between equals."""
    return len(labels) + sum(a == b for a, b in pairwise(labels))


def ctc_obstacle(T: int, labels) -> str:
    """Why no path of T frames gives the labels, in a sentence; "" if one does.

    The reason behind a loss of +inf, unless a probability is 0.
    """
    least = ctc_min_length(labels)
    if T >= least:
        return ""
    apart = least - len(labels)
    blanks = f"{apart} blank{'s' * (apart != 1)} between equal neighbours"
    return f"{len(labels)} labels and {blanks} need {least} frames, got {T}"


def ctc_alignments(T: int, labels) -> int:
    """How many paths of T frames collapse to the labels (ids or text)."""
    U, repeats = len(labels), ctc_min_length(labels) - len(labels)
    return comb(T + U - repeats, 2 * U)


def check_labels(targets, target_lengths, B: int, V: int):
    """targets (U, B) int, target_lengths (B,) int or None for U.

    -> labels (U, B) with blanks in the padding, lengths (B,). ValueError
    unless lengths are 0..U and the labels inside them 1..V-1.
    """
    ids = np.asarray(targets)
    if ids.shape[1:] != (B,) or ids.dtype.kind not in "iu":
        want = f"targets must be integers of shape (U, {B})"
        raise ValueError(f"{want}, got {ids.shape} of {ids.dtype}")
    U = len(ids)
    lengths = np.array([U] * B if target_lengths is None else target_lengths)
    if lengths.shape != (B,) or not np.isin(lengths, range(U + 1)).all():
        want = f"target_lengths must be B = {B} integers from 0 to U = {U}"
        raise ValueError(f"{want}, got {lengths.tolist()}")
    real = np.arange(U)[:, None] < lengths
    if not np.isin(ids[real], range(1, V)).all():
        want = f"labels must be from 1 to {V - 1} ({BLANK} is the blank)"
        raise ValueError(f"{want}, got {np.unique(ids[real]).tolist()}")
    return np.where(real, ids, BLANK), lengths


def ctc_loss(logits, targets, lengths=None, target_lengths=None):
    """logits (T, B, V), targets (U, B) int -> losses (B,) in nats, cache.

    Both lengths are (B,); an empty target is all blanks. +inf if a target
    has no path: fewer frames than ctc_min_length, or all of probability 0.
    ValueError if shapes, labels or lengths do not fit.
    """
    check_array("logits", logits, "T", "B", "V")
    T, B, V = logits.shape
    check_positive(T=T)
    valid = valid_steps(lengths, T, B)[..., None]
    labels, U = check_labels(targets, target_lengths, B, V)
    states = np.full((B, 2 * len(labels) + 1), BLANK)  # (B, S)
    states[:, 1::2] = labels.T  # a blank before, between and after
    skips = states[:, 2:] != states[:, :-2]  # over a blank, to another label
    log_p = log_softmax(np.where(valid, logits, 0))
    log_y = np.take_along_axis(log_p, states[None], axis=-1)  # (T, B, S)
    s, last = np.arange(states.shape[1]), 2 * U[:, None]
    end = (s == last) | (s == last - 1)  # (B, S)
    alpha = np.empty((T + 1, *states.shape), log_p.dtype)
    alpha[0] = np.where(s == 0, 0, -np.inf)  # as if after a blank
    for t in range(T):
        moved = _moves(alpha[t], skips) + log_y[t]
        alpha[t + 1] = np.where(valid[t], moved, alpha[t])  # ended: hold
    losses = -logsumexp(np.where(end, alpha[-1], -np.inf))
    exists = valid & np.isfinite(losses)[:, None]  # (T, B, 1)
    return losses, (log_p, log_y, states, skips, alpha[1:], end, exists)


def _moves(a, skips):
    """a (B, S) -> log-sum over staying, one state on, and skipping one."""
    ways = np.full((3, *a.shape), -np.inf, a.dtype)
    ways[0] = a
    ways[1, :, 1:] = a[:, :-1]
    ways[2, :, 2:] = np.where(skips, a[:, :-2], -np.inf)
    return logsumexp(ways, axis=0)


def ctc_occupancy(cache):
    """-> gamma (T, B, S), P(state s at step t | target), S = 2U + 1.

    Even states are blanks. Zero in the padding and where a loss is +inf.
    """
    _, log_y, _, skips, alpha, end, exists = cache
    beta = np.empty_like(alpha)  # what is still to come after step t
    beta[-1] = np.where(end, 0, -np.inf)
    for t in reversed(range(1, len(beta))):  # the lattice turned round
        ahead = _moves((beta[t] + log_y[t])[:, ::-1], skips[:, ::-1])
        beta[t - 1] = np.where(exists[t], ahead[:, ::-1], beta[t])
    both = np.where(exists, alpha + beta, 0)  # sums to P(target) at every t
    return np.where(exists, np.exp(log_softmax(both)), 0)


def ctc_loss_backward(dlosses, cache):
    """dlosses (B,) -> dlogits (T, B, V), zero where a loss is +inf."""
    log_p, _, states, *_ = cache
    check_array("dlosses", dlosses, len(states))
    one_hot = states[..., None] == np.arange(log_p.shape[-1])  # (B, S, V)
    gamma = ctc_occupancy(cache).swapaxes(0, 1)  # (B, T, S)
    dlog_p = -(gamma @ one_hot.astype(gamma.dtype)).swapaxes(0, 1)
    return log_softmax_backward(dlog_p * dlosses[:, None], log_p)


def ctc_best_path(logits, lengths=None):
    """logits (T, B, V), lengths (B,) -> labels of the best path, B tuples."""
    check_array("logits", logits, "T", "B", "V")
    valid = valid_steps(lengths, *logits.shape[:2])
    pairs = zip(np.argmax(logits, axis=-1).T, valid.T, strict=True)
    return [ctc_collapse(path[real]) for path, real in pairs]


def ctc_prefix_beam(logits, width: int):
    """logits (T, V) of one example -> [(labels, log_prob)], best first.

    At most `width`; what is pruned is lost, so log_prob is a lower bound.
    """
    check_array("logits", logits, "T", "V")
    check_positive(width=width)
    beam = {(): (0.0, -np.inf)}  # sums of paths that end in blank, in label
    for log_p in log_softmax(logits):
        sums = defaultdict(lambda: [-np.inf, -np.inf])
        for prefix, (blank, label) in beam.items():
            both = np.logaddexp(blank, label)
            moves = [(prefix, 0, both + log_p[BLANK])]
            if prefix:  # the last label goes on
                moves += [(prefix, 1, label + log_p[prefix[-1]])]
            for k in range(1, len(log_p)):  # a blank keeps equals apart
                before = blank if prefix[-1:] == (k,) else both
                moves += [((*prefix, k), 1, before + log_p[k])]
            for to, end, log_q in moves:
                sums[to][end] = np.logaddexp(sums[to][end], log_q)
        ranked = sorted(sums, key=lambda q: -np.logaddexp(*sums[q]))
        beam = {q: sums[q] for q in ranked[:width] if max(sums[q]) > -np.inf}
    return [(q, float(np.logaddexp(*pair))) for q, pair in beam.items()]
