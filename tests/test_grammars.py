import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.grammars import (
    anbn,
    anbn_baseline,
    brackets,
    parity,
    tagging,
    tagging_baseline,
)
from seqbook.lstm import LSTMParams, lstm_forward
from seqbook.tasks import chance

MANY = 100_000
sizes = st.integers(1, 6)


def seed(number=0):
    return np.random.default_rng(number)


def best_guess(seen, targets, V):
    """Accuracy and nats of the best guess from what is seen.

    seen, targets (N,) int. The table of the targets met with each thing seen
    is fitted on one half of the examples and tested on the other.
    """
    half = len(targets) // 2
    counts = np.full((seen.max() + 1, V), 1e-9)
    np.add.at(counts, (seen[:half], targets[:half]), 1)
    told, wanted = counts[seen[half:]], targets[half:]
    shares = told / told.sum(axis=1, keepdims=True)
    loss = -np.log(shares[np.arange(len(wanted)), wanted])
    return np.mean(told.argmax(axis=1) == wanted), np.mean(loss)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(sizes, st.integers(1, 9))
def test_parity_is_that_of_a_loop_that_flips(B, T):
    bits, targets = parity(seed(T), B, T)
    assert bits.shape == targets.shape == (T, B)
    for column, wanted in zip(
        bits.T.tolist(), targets.T.tolist(), strict=True
    ):
        odd = 0
        for bit, want in zip(column, wanted, strict=True):
            odd ^= bit
            assert odd == want


def test_parity_is_a_coin_toss_once_a_single_bit_is_forgotten():
    bits, targets = parity(seed(1), MANY, 4)
    all_but_one = bits[0] + 2 * bits[2] + 4 * bits[3]
    right, loss = best_guess(all_but_one, targets[-1], 2)
    assert right == pytest.approx(chance(2)[0], abs=0.009)  # 4 deviations
    assert loss == pytest.approx(chance(2)[1], abs=0.001)
    right, _ = best_guess(all_but_one + 8 * bits[1], targets[-1], 2)
    assert right == 1


def words_of(ids, targets, mask):
    """-> per example the word, and the targets at its scored steps."""
    for column, wanted, scored in zip(ids.T, targets.T, mask.T, strict=True):
        last = np.flatnonzero(scored)[-1]
        word = "".join("ab"[i] for i in column[: last + 1])
        yield word, wanted[scored].tolist()


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.lists(sizes, min_size=1, max_size=5))
def test_anbn_words_end_once_after_as_many_b_as_a(n):
    ids, targets, mask = anbn(n)
    assert ids.shape == targets.shape == mask.shape == (2 * max(n), len(n))
    for m, (word, wanted) in zip(n, words_of(ids, targets, mask), strict=True):
        assert word == "a" * m + "b" * m
        assert wanted == [0] * (m - 1) + [1]
    assert targets.sum(axis=0).tolist() == [1] * len(n)


def counter():
    """An LSTM of one unit, all gates open, that adds 1 for a, -1 for b."""
    W_xh, b_h = np.zeros((4, 2)), np.array([30.0, 30, 0, 30])  # i f g o
    W_xh[2] = 30, -30
    return LSTMParams(W_xh, np.zeros((4, 1)), b_h)


def cells(ids):
    """ids (T, B) -> c (T, B) of the counter."""
    zeros = np.zeros((ids.shape[1], 1))
    _, c, _ = lstm_forward(counter(), np.eye(2)[ids], zeros, zeros)
    return c[..., 0]


def test_one_saturated_lstm_cell_counts_a_thousand_exactly():
    ids, targets, mask = anbn([1000, 7, 30])
    c = cells(ids)
    assert c[999, 0] == pytest.approx(1000, abs=1e-6)
    assert c[1999, 0] == pytest.approx(0, abs=1e-6)
    assert np.flatnonzero(abs(c[:1000, 0] - 100) < 0.5).tolist() == [99]
    assert np.array_equal((abs(c) < 0.5)[mask], targets[mask] == 1)
    one_more = np.repeat([0, 1], [1001, 1000])[:, None]
    assert cells(one_more)[-1, 0] == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("longest", [1, 2, 3, 30])
def test_anbn_baseline_is_that_of_counting_every_word(longest):
    _, targets, mask = anbn(np.arange(1, longest + 1))
    share = np.mean(targets[mask])
    accuracy, loss = anbn_baseline(longest)
    assert accuracy == pytest.approx(max(share, 1 - share), rel=1e-12)
    grid = np.linspace(1e-4, 1 - 1e-4, 9999)  # every constant prediction
    losses = -share * np.log(grid) - (1 - share) * np.log(1 - grid)
    assert loss == pytest.approx(losses.min(), abs=2e-4)


@settings(deadline=None, derandomize=True, max_examples=40)
@given(sizes, sizes, sizes, sizes)
def test_brackets_are_read_alike_by_a_parser_with_a_list(B, n, kinds, most):
    ids, depth, innermost = brackets(seed(n), B, n, kinds, most)
    assert ids.shape == depth.shape == innermost.shape == (2 * n, B)
    for b in range(B):
        stack = []
        for t, token in enumerate(ids[:, b].tolist()):
            if token < kinds:
                stack.append(token)
            else:
                assert stack.pop() == token - kinds
            assert depth[t, b] == len(stack) <= most
            assert innermost[t, b] == (stack[-1] if stack else 0)
        assert not stack


def test_brackets_reach_every_word_of_six_and_no_other():
    ids, _, _ = brackets(seed(), 20_000, 3, 2, 3)
    words = {tuple(column) for column in ids.T.tolist()}
    assert len(words) == 5 * 2**3  # Catalan number times kinds of each pair
    ids, depth, _ = brackets(seed(), 20_000, 3, 2, 2)
    assert len({tuple(column) for column in ids.T.tolist()}) == 4 * 2**3
    assert depth.max() == 2


def test_brackets_after_a_closing_one_are_a_guess_without_a_stack():
    ids, depth, innermost = brackets(seed(2), 60_000, 4, 3, 4)
    asked = (ids >= 3) & (depth > 0)
    last, before = ids, np.roll(ids, 1, axis=0)
    seen = (depth * 6 + last) * 6 + before
    apart = asked & (before >= 3)  # else the one before may be the answer
    right, loss = best_guess(seen[apart], innermost[apart], 3)
    assert np.sum(apart) > 30_000
    assert right == pytest.approx(chance(3)[0], abs=0.02)
    assert loss == pytest.approx(chance(3)[1], abs=0.01)
    opened = ids < 3  # after an opening one the input itself is the answer
    assert np.array_equal(innermost[opened], ids[opened])


@settings(deadline=None, derandomize=True, max_examples=25)
@given(sizes, sizes, sizes)
def test_tagging_lets_the_word_k_steps_later_decide(B, T, k):
    words, tags, mask = tagging(seed(T), B, T, k)
    assert words.shape == tags.shape == mask.shape == (T + k, B)
    for t, b in itertools.product(range(T), range(B)):
        own, later = words[t, b], words[t + k, b]
        assert tags[t, b] == (own if own < 2 else later % 2)
    assert mask[:T].all() and not mask[T:].any()


def test_tagging_without_the_right_context_is_three_quarters_right():
    words, tags, mask = tagging(seed(3), MANY, 3, 2)
    accuracy, nats = tagging_baseline()
    for also in words[0], words[2]:  # one to the left, one too near
        right, loss = best_guess(4 * also + words[1], tags[1], 2)
        assert right == pytest.approx(accuracy, abs=0.009)
        assert loss == pytest.approx(nats, abs=0.005)
    right, loss = best_guess(4 * words[3] + words[1], tags[1], 2)
    assert right == 1 and loss < 1e-6
    assert nats == pytest.approx(math.log(2) / 2)


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    rng = seed()
    bad = [
        (lambda: parity(rng, 2, 0), "T must be .* at least 1, got 0"),
        (lambda: anbn([3, 0]), "n must be an integer of at least 1, got 0"),
        (lambda: anbn([2.0]), "n must be an integer .* got 2.0"),
        (lambda: anbn_baseline(0), "longest must be .* got 0"),
        (lambda: brackets(rng, 2, 0, 1, 1), "n must be .* got 0"),
        (lambda: brackets(rng, 2, 3, 0, 1), "kinds must be .* got 0"),
        (lambda: brackets(rng, 2, 3, 1, 0), "most must be .* got 0"),
        (lambda: tagging(rng, 2, 3, 0), "k must be .* got 0"),
        (lambda: tagging(rng, 0, 3, 1), "B must be .* got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


CALLS = {
    parity: lambda: {"rng": seed(), "B": 3, "T": 5},
    anbn: lambda: {"n": np.array([3, 1, 2])},
    anbn_baseline: lambda: {"longest": 7},
    brackets: lambda: {
        "rng": seed(),
        "B": 40,
        "n": 6,
        "kinds": 2,
        "most": 3,
    },
    tagging: lambda: {"rng": seed(), "B": 3, "T": 5, "k": 2},
    tagging_baseline: lambda: {},
}
OTHER = {}
