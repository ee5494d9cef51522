"""The synthetic tasks of the experiments, each drawn from a generator.

Chapters: docs/en/lstm.md, docs/en/vanishing_gradients.md, docs/en/seq2seq.md,
docs/en/memory_at_work.md, docs/en/matrix_states.md. Sources: Hochreiter &
Schmidhuber 1997, §5; Arjovsky et al. 2016 (copying); Gu & Dao 2023, §4.1
(selective copying); Arora et al. 2023 (recall); Bakker 2001 (T-maze). Steps
are scored where a mask is True. "Forgotten" names what a guess can reach.
"""

import math

import numpy as np

from seqbook.checks import check_positive, valid_steps
from seqbook.stack import reverse_valid

SYMBOLS = 4  # ids 0..3 are what has to be remembered
NOISE = 4  # ids 4..7 only pass the time
LETTERS, BLANK, GO = 8, 8, 9  # to copy: ids 0..7; 8 passes the time, 9 asks
KEYS, VALUES = 64, 16  # to recall: ids 0..63 are keys, 64..79 values


def chance(V: int) -> tuple[float, float]:
    """V answers, all as likely -> best accuracy, best loss in nats."""
    check_positive(V=V)
    return 1 / V, math.log(V)


def delayed_recall(rng: np.random.Generator, B: int, T: int):
    """-> ids (T, B) int, targets (B,) int; raises ValueError if T < 1.

    The first id is one of SYMBOLS and is the target; the T - 1 ids after it
    are noise. Read at step T, it has to survive T - 1 steps.
    """
    if T < 1:
        raise ValueError(f"T must be at least 1, got {T}")
    targets = rng.integers(SYMBOLS, size=B)
    noise = SYMBOLS + rng.integers(NOISE, size=(T - 1, B))
    return np.vstack([targets, noise]), targets


def delayed_recall_chance() -> tuple[float, float]:
    """-> best accuracy, loss in nats of a model that has forgotten."""
    return chance(SYMBOLS)


def noisy_bit(rng: np.random.Generator, B: int, T: int, noise: float = 0.5):
    """-> x (T, B, 1), targets (B,) int, 0 or 1; forgotten: chance(2).

    The first input is -1 or 1, the bit to hold; the T - 1 after it are
    normal with standard deviation `noise`.
    """
    check_positive(B=B, T=T)
    targets = rng.integers(2, size=B)
    x = noise * rng.normal(size=(T, B, 1))
    x[0, :, 0] = 2 * targets - 1
    return x, targets


def adding(rng: np.random.Generator, B: int, T: int):
    """-> x (T, B, 2), targets (B,): the sum of the two marked numbers.

    x[..., 0] is uniform in [0, 1), not in [-1, 1] as in 1997; x[..., 1] is 1
    at one step in each half of the sequence, else 0. ValueError if T < 2.
    """
    check_positive(B=B, T=T)
    if T < 2:
        raise ValueError(f"T must be at least 2, got {T}")
    x = np.zeros((T, B, 2))
    x[..., 0] = rng.random((T, B))
    marked = [rng.integers(T // 2, size=B), rng.integers(T // 2, T, size=B)]
    x[marked, np.arange(B), 1] = 1
    return x, np.sum(x[..., 0] * x[..., 1], axis=0)


def adding_baseline() -> float:
    """Mean squared error of the best constant, 1: two uniform variances."""
    return 2 / 12


def copying(rng: np.random.Generator, B: int, S: int, delay: int):
    """-> ids, targets (T, B) int, mask (T, B) bool; T = delay + 2 S.

    S letters, delay - 1 blanks, GO, S blanks; the targets are blanks and,
    in the last S steps, the letters again, which alone the mask marks.
    """
    check_positive(B=B, S=S, delay=delay)
    letters = rng.integers(LETTERS, size=(S, B))
    ids, targets = np.full((2, delay + 2 * S, B), BLANK)
    ids[:S], ids[-S - 1], targets[-S:] = letters, GO, letters
    return ids, targets, targets != BLANK


def copying_baseline(S: int, delay: int) -> float:
    """Nats per step, over all T, of being sure of blanks and guessing S."""
    check_positive(S=S, delay=delay)
    return S * math.log(LETTERS) / (delay + 2 * S)


def selective_copying(rng: np.random.Generator, B: int, S: int, blanks: int):
    """-> ids, targets (T, B) int, mask (T, B) bool; T = blanks + 2 S.

    S letters at random steps among the blanks, then S times GO, where the
    targets are the letters in their order. Forgotten: chance(LETTERS).
    """
    check_positive(B=B, S=S, blanks=blanks)
    letters = rng.integers(LETTERS, size=(S, B))
    steps = np.sort(_shuffled(rng, blanks + S, B)[:S], axis=0)
    ids, targets = np.full((2, blanks + 2 * S, B), BLANK)
    ids[steps, np.arange(B)], ids[-S:], targets[-S:] = letters, GO, letters
    return ids, targets, targets != BLANK


def reversal(rng: np.random.Generator, lengths):
    """lengths (B,) int -> source, targets (S, B) int, mask (S, B) bool.

    Letters up to each length, then blanks; the targets are the source from
    its end to its start. Forgotten: chance(LETTERS). Swapped, the two are a
    copying task with its source reversed. ValueError if a length < 1.
    """
    S, B = int(np.max(lengths, initial=1)), np.size(lengths)
    mask = valid_steps(lengths, S, B)
    source = np.where(mask, rng.integers(LETTERS, size=(S, B)), BLANK)
    return source, reverse_valid(source, lengths), mask


def temporal_order(rng: np.random.Generator, B: int, T: int):
    """-> ids (T, B) int, targets (B,) int: 2 * first + second, 0 to 3.

    One step in the second tenth and one in the sixth hold 0 or 1, the rest
    noise, 2 to 5. Forgotten: chance(4). ValueError if T < 10.
    """
    check_positive(B=B, T=T)
    if T < 10:
        raise ValueError(f"T must be at least 10, got {T}")
    ids = rng.integers(2, 6, size=(T, B))
    first, second = rng.integers(2, size=(2, B))
    ids[rng.integers(T // 10, T // 5, size=B), np.arange(B)] = first
    ids[rng.integers(T // 2, 3 * T // 5, size=B), np.arange(B)] = second
    return ids, 2 * first + second


def associative_recall(rng: np.random.Generator, B: int, pairs: int):
    """-> ids, targets (T, B) int, mask (T, B) bool; T = 3 * pairs.

    Pairs of a key and a value, all keys different, then each key once more
    in another order: there, and only there, the target is its value.
    Forgotten: chance(VALUES). ValueError if pairs > KEYS.
    """
    check_positive(B=B, pairs=pairs)
    if pairs > KEYS:
        raise ValueError(f"pairs must be at most {KEYS}, got {pairs}")
    keys = _shuffled(rng, KEYS, B)[:pairs]
    values = KEYS + rng.integers(VALUES, size=(pairs, B))
    asked = _shuffled(rng, pairs, B)
    told = np.stack([keys, values], axis=1).reshape(-1, B)  # in turn
    ids = np.vstack([told, np.take_along_axis(keys, asked, axis=0)])
    answers = np.take_along_axis(values, asked, axis=0)
    targets = np.vstack([np.zeros_like(told), answers])
    return ids, targets, targets > 0


def t_maze(rng: np.random.Generator, B: int, T: int):
    """-> x (T, B, 3), turns (B,) int, 0 up or 1 down; forgotten: chance(2).

    Step 1 shows 011 if the goal is up and 110 if it is down; the corridor
    shows 101, and the junction, at step T, 010. ValueError if T < 2.
    """
    check_positive(B=B, T=T)
    if T < 2:
        raise ValueError(f"T must be at least 2, got {T}")
    turns = rng.integers(2, size=B)
    x = np.tile([1.0, 0.0, 1.0], (T, B, 1))
    x[0] = np.array([[0, 1, 1], [1, 1, 0]])[turns]
    x[-1] = 0, 1, 0
    return x, turns


def _shuffled(rng, n, B):
    """-> (n, B) int, each column 0..n-1 in an order of its own."""
    return rng.random((n, B)).argsort(axis=0)
