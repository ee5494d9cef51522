"""Greedy, sampling and beam search over a model of the next id.

Chapter: docs/en/decoding.md. Sources: Wu et al. 2016, section 7 (both GNMT
penalties); Huang et al. 2017 (when a beam search may stop).

A model is a function step(ids, state) -> log_probs, state: it reads the
last ids (rows,) and gives log-probabilities (rows, V) of the next, in nats.
state is an array, or arrays in dataclasses, lists and tuples; each has one
row per hypothesis. Length L counts the generated ids, the end symbol too,
but no begin symbol and no prompt. transformers differs: there the next best
take the places of the hypotheses that end.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from seqbook.checks import check_array, check_positive
from seqbook.params import map_params
from seqbook.sampling import sample_ids


@dataclass
class Hypothesis:
    """A generated sequence and what it is worth."""

    ids: list  # L of them, the end symbol included
    log_p: float  # nats, the model's
    score: float  # what it is ranked by
    ended: bool  # stopped by the end symbol, and not by max_length


def greedy(step: Callable, state, begin, end: int, max_length: int):
    """begin: first ids (B,), state of B rows -> list of B Hypothesis.

    The likeliest id at every step, of equal ones the lowest. A row that has
    ended is stepped on, unread, until all have.
    """
    likeliest = partial(np.argmax, axis=-1)
    return _generate(step, state, begin, end, max_length, likeliest)


def ancestral_sample(
    rng: np.random.Generator,
    step: Callable,
    state,
    begin,
    end: int,
    max_length: int,
    adjust: Callable = lambda log_probs: log_probs,
):
    """begin: first ids (B,), state of B rows -> list of B Hypothesis.

    Each id is drawn given all before it. adjust is applied first, such as
    a temperature or top-k; log_p and score stay those of the model.
    """

    def draw(log_probs):
        return sample_ids(rng, adjust(log_probs))

    return _generate(step, state, begin, end, max_length, draw)


def _generate(step, state, begin, end, max_length, choose):
    """One id per row and step until all rows have ended, or max_length."""
    check_positive(max_length=max_length)
    ids = np.asarray(begin)
    if ids.ndim != 1 or len(ids) == 0:
        raise ValueError(f"begin must be ids (B,), got shape {ids.shape}")
    log_p, running, tokens = np.zeros(len(ids)), np.full(len(ids), True), []
    while running.any() and len(tokens) < max_length:
        log_probs, state = _checked(step, ids, state, end)
        ids = choose(log_probs)
        log_p[running] += log_probs[running, ids[running]]
        running = running & (ids != end)
        tokens.append(ids)
    found = []
    for row, total in zip(np.stack(tokens, 1), log_p.tolist(), strict=True):
        L = np.argmax(row == end) + 1 if end in row else max_length
        found.append(Hypothesis(row[:L].tolist(), total, total, end in row))
    return found


def _checked(step, ids, state, end):
    """step(ids, state); ValueError if it gives no log-probabilities."""
    log_probs, state = step(ids, state)
    check_array("log_probs", log_probs, len(ids), "V")
    top = log_probs.max(axis=1)
    bad = top[~((top > -np.inf) & (top < 1e-3))]  # nan is neither
    if len(bad):
        want = "log_probs must be at most 0, in no row all -inf"
        raise ValueError(f"{want}, got a largest of {bad[0]}")
    if not 0 <= end < log_probs.shape[1]:
        raise ValueError(f"end must be below {log_probs.shape[1]}, got {end}")
    return log_probs, state


def length_power(L: int, alpha: float):
    """-> L**alpha, to divide log_p by: 0 is off, 1 gives nats per id.

    log_p is negative, so a larger alpha helps what is long.
    """
    return L**alpha


def gnmt_length_penalty(L: int, alpha: float):
    """-> ((5 + L) / 6)**alpha, to divide log_p by; 1 for a single id."""
    return ((5 + L) / 6) ** alpha


def gnmt_coverage_penalty(coverage, beta: float):
    """Attention received in all (..., S) -> what to add to a score (...).

    At most 0, reached when every source position has received 1. For 0 the
    smallest float is taken: its logarithm is finite.
    """
    tiny = np.finfo(coverage.dtype).tiny
    return (beta * np.log(np.clip(coverage, tiny, 1))).sum(axis=-1)


def beam_search(
    step: Callable,
    state,
    begin: int,
    end: int,
    K: int,
    max_length: int,
    length_penalty: Callable = lambda L: 1,
    coverage_penalty: Callable = lambda state: 0,
):
    """state of 1 row -> list of at most K Hypothesis, the best first.

    Every step keeps the K likeliest continuations. Those that ended leave,
    with score = log_p / length_penalty(L) + coverage_penalty(state), where
    coverage_penalty, (rows,), is at most 0. The search goes on until none
    of the others can beat the best of them, so the first in the list is the
    best that this beam can reach. What never ended ranks last. ValueError
    if step gives anything but log-probabilities.
    """
    check_positive(K=K, max_length=max_length)
    ids, log_p, tokens = np.array([begin]), np.zeros(1), np.empty((1, 0), int)
    found = []
    for L in range(1, max_length + 1):
        log_probs, state = _checked(step, ids, state, end)
        parents, ids, log_p = _best(log_p[:, None] + log_probs, K)
        tokens = np.column_stack([tokens[parents], ids])  # (rows, L)
        state = _take(state, parents)
        score = log_p / length_penalty(L) + coverage_penalty(state)
        ended = ids == end
        for k in np.flatnonzero(ended | (L == max_length)):
            values = log_p[k].item(), score[k].item(), ended[k].item()
            found.append(Hypothesis(tokens[k].tolist(), *values))
        ids, log_p, tokens = ids[~ended], log_p[~ended], tokens[~ended]
        state = _take(state, ~ended)
        longer = map(length_penalty, range(L + 1, max_length + 1))
        bound = max(log_p, default=-np.inf) / max(longer, default=1)
        if any(h.score >= bound for h in found):
            break
    return sorted(found, key=lambda h: (not h.ended, -h.score))[:K]


def _take(state, rows):
    return map_params(lambda a: a[rows], state)


def _best(totals, K):
    """(rows, V) -> row, id and total of the K largest, in falling order.

    Of equal ones the lowest row, then the lowest id; never -inf.
    """
    flat = totals.ravel()
    kth = np.partition(flat, -K)[-K] if K < len(flat) else -np.inf
    likely = np.flatnonzero((flat >= kth) & (flat > -np.inf))
    best = likely[np.argsort(-flat[likely], kind="stable")[:K]]
    return *np.unravel_index(best, totals.shape), flat[best]
