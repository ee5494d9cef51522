"""Languages that ask for one bit, a counter, a stack or what comes next.

Chapters: docs/en/matrix_states.md (parity), docs/en/memory_at_work.md (a^n
b^n, brackets), docs/en/deep_bidirectional.md (tagging). Sources: Grazzi et
al. 2025 (parity); Gers & Schmidhuber 2001 (a^n b^n). chance is tasks.chance.
"""

import math

import numpy as np

from seqbook.checks import check_positive, valid_steps


def parity(rng: np.random.Generator, B: int, T: int):
    """-> bits, targets (T, B) int: is the sum odd? Forgotten: chance(2)."""
    check_positive(B=B, T=T)
    bits = rng.integers(2, size=(T, B))
    return bits, np.cumsum(bits, axis=0) % 2


def anbn(n):
    """n (B,) int -> ids, targets (T, B) int, mask (T, B) bool; T = 2 max n.

    a (id 0) n times, then b (id 1) n times; the target, at every b, is 1 if
    the word is complete, which takes a counter. ValueError if an n < 1.
    """
    for each in n:
        check_positive(n=each)
    t, n = np.arange(2 * np.max(n, initial=0))[:, None], np.asarray(n)
    is_b, end = t >= n, t == 2 * n - 1
    return is_b.astype(int), end.astype(int), is_b & (t < 2 * n)


def anbn_baseline(longest: int) -> tuple[float, float]:
    """-> accuracy, loss in nats of the best constant, n even in 1..longest.

    A share of 2 / (longest + 1) of all b is the last one of its word.
    """
    check_positive(longest=longest)
    p, q = 2 / (longest + 1), (longest - 1) / (longest + 1)
    return max(p, q), -p * math.log(p) - q * math.log(q or 1)


def brackets(rng: np.random.Generator, B: int, n: int, kinds: int, most: int):
    """-> ids, depth, innermost (T, B) int: n pairs, T = 2 n, all closed.

    Ids below `kinds` open, id + kinds closes. After each step: the number
    of open ones, up to `most`, for a counter; the kind of the last of them,
    0 if none, for a stack. Forgotten: chance(kinds) after a closing id.
    """
    check_positive(B=B, n=n, kinds=kinds, most=most)
    ids, depth, innermost = np.zeros((3, 2 * n, B), int)
    stack, d, rows = np.zeros((most + 1, B), int), np.zeros(B, int), range(B)
    for t in range(2 * n):
        full = d == min(most, 2 * n - t)  # so deep that it has to close
        opens = (d == 0) | ~full & (rng.random(B) < 0.5)
        kind = np.where(opens, rng.integers(kinds, size=B), stack[d, rows])
        d = d + np.where(opens, 1, -1)
        stack[d, rows] = np.where(opens, kind, stack[d, rows])
        ids[t] = np.where(opens, kind, kind + kinds)
        depth[t], innermost[t] = d, stack[d, rows]
    return ids, depth, innermost


def tagging(rng: np.random.Generator, B: int, T: int, k: int):
    """-> words, tags (T + k, B) int, mask (T + k, B) bool, True T times.

    Words 0 and 1 have tags 0 and 1; words 2 and 3 can have both, and the
    word k steps later decides, by being even or odd.
    """
    check_positive(B=B, T=T, k=k)
    words = rng.integers(4, size=(T + k, B))
    deciding = np.where(words < 2, words, np.roll(words, -k, axis=0))
    return words, deciding % 2, valid_steps(np.full(B, T), T + k, B)


def tagging_baseline() -> tuple[float, float]:
    """-> best accuracy, loss in nats of a tagger that cannot look ahead."""
    return 3 / 4, math.log(2) / 2
