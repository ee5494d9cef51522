import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.tasks import (
    BLANK,
    GO,
    KEYS,
    LETTERS,
    NOISE,
    SYMBOLS,
    VALUES,
    adding,
    adding_baseline,
    associative_recall,
    chance,
    copying,
    copying_baseline,
    delayed_recall,
    delayed_recall_chance,
    noisy_bit,
    reversal,
    selective_copying,
    t_maze,
    temporal_order,
)

MANY = 100_000
sizes = st.integers(1, 6)


def seed(number=0):
    return np.random.default_rng(number)


def best_guess(seen, targets, V):
    """Accuracy and nats of the best guess from what is seen.

    seen, targets (N,) int. The table of the targets met with each thing seen
    is fitted on one half of the examples and tested on the other, where each
    of its free numbers costs about 1 / N nats.
    """
    half = len(targets) // 2
    counts = np.full((seen.max() + 1, V), 1e-9)
    np.add.at(counts, (seen[:half], targets[:half]), 1)
    told, wanted = counts[seen[half:]], targets[half:]
    shares = told / told.sum(axis=1, keepdims=True)
    loss = -np.log(shares[np.arange(len(wanted)), wanted])
    return np.mean(told.argmax(axis=1) == wanted), np.mean(loss)


def test_delayed_recall_is_time_first_with_the_answer_only_at_step_one():
    ids, targets = delayed_recall(np.random.default_rng(0), B=300, T=7)
    assert ids.shape == (7, 300) and targets.shape == (300,)
    assert np.array_equal(ids[0], targets)
    assert set(targets.tolist()) == set(range(SYMBOLS))
    assert set(ids[1:].ravel().tolist()) == set(
        range(SYMBOLS, SYMBOLS + NOISE)
    )


def test_one_step_is_the_symbol_and_no_noise():
    ids, targets = delayed_recall(np.random.default_rng(0), B=5, T=1)
    assert np.array_equal(ids, targets[None])


def test_no_step_is_refused():
    with pytest.raises(ValueError, match="T must be at least 1, got 0"):
        delayed_recall(np.random.default_rng(0), B=5, T=0)


def test_a_seed_fixes_the_batch_and_another_changes_it():
    first, again, other = (
        delayed_recall(np.random.default_rng(seed), B=8, T=20)
        for seed in (3, 3, 4)
    )
    assert np.array_equal(first[0], again[0])
    assert np.array_equal(first[1], again[1])
    assert not np.array_equal(first[0], other[0])


def test_chance_is_what_the_best_guess_from_the_noise_gets():
    # A table of the targets seen with each pair of noise ids is the best
    # guesser that has forgotten step one. On fresh examples it gets a share
    # whose standard deviation is sqrt(.25 * .75 / 40000) = 0.0022.
    rng = np.random.default_rng(1)
    counts = np.zeros((NOISE, NOISE, SYMBOLS))
    (_, a, b), targets = delayed_recall(rng, B=40_000, T=3)
    np.add.at(counts, (a - SYMBOLS, b - SYMBOLS, targets), 1)
    (_, a, b), targets = delayed_recall(rng, B=40_000, T=3)
    seen = counts[a - SYMBOLS, b - SYMBOLS]  # (B, SYMBOLS)
    right = np.mean(seen.argmax(axis=1) == targets)
    shares = seen / seen.sum(axis=1, keepdims=True)
    loss = -np.mean(np.log(shares[np.arange(40_000), targets]))

    accuracy, nats = delayed_recall_chance()
    assert right == pytest.approx(accuracy, abs=0.01)
    # 48 fitted numbers cost about 48 / 2 / 40000 = 0.0006 nats each way
    assert loss == pytest.approx(nats, abs=0.005)


def forgetful(task):
    """-> seen (N,), targets (N,), V: all but what has to be remembered."""
    rng = seed(1)
    if task == "noisy bit":
        x, targets = noisy_bit(rng, MANY, 3)
        return np.sum([[1], [2]] * (x[1:, :, 0] > 0), axis=0), targets, 2
    if task == "t_maze":
        x, turns = t_maze(rng, MANY, 5)
        return (x[1:].sum(axis=(0, 2))).astype(int), turns, 2
    if task == "temporal order":
        ids, targets = temporal_order(rng, MANY, 10)
        return ids[6] * 6 + ids[0], targets, 4
    if task == "recall":  # the value told last, unless its key is asked for
        ids, targets, _ = associative_recall(rng, MANY // 4, 4)
        key, last = np.broadcast_arrays(ids[8:], ids[7] - KEYS)
        other = key != ids[6]
        return last[other], targets[8:][other] - KEYS, VALUES
    if task == "reversal":  # the letters before and after, all but this
        source, targets, _ = reversal(rng, np.full(MANY, 3))
        return source[0] * LETTERS + source[2], targets[1], LETTERS
    make = {"copying": copying, "selective copying": selective_copying}[task]
    ids, targets, mask = make(rng, MANY, 2, 3)
    return targets[-1], targets[-2], LETTERS  # from the letter after it


@pytest.mark.parametrize(
    "task",
    [
        "noisy bit",
        "t_maze",
        "temporal order",
        "recall",
        "reversal",
        "copying",
        "selective copying",
    ],
)
def test_chance_is_all_that_the_rest_of_a_sequence_tells(task):
    seen, targets, V = forgetful(task)
    right, loss = best_guess(seen, targets, V)
    accuracy, nats = chance(V)
    # Four standard deviations of a share of 50 000 are below 0.009; up to
    # 64 cells of 7 free numbers cost 64 * 7 / 1e5 = 0.0045 nats.
    assert right == pytest.approx(accuracy, abs=0.009)
    assert nats - 0.005 < loss < nats + 0.01


def test_noisy_bit_shows_its_sign_once_and_then_noise_of_its_size():
    x, targets = noisy_bit(seed(), B=500, T=60, noise=0.3)
    assert x.shape == (60, 500, 1)
    assert np.array_equal(x[0, :, 0] > 0, targets == 1)
    assert set(np.abs(x[0]).ravel()) == {1.0}
    assert np.std(x[1:]) == pytest.approx(0.3, rel=0.02)  # 29 500 draws
    assert np.mean(x[1:]) == pytest.approx(0, abs=0.01)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(sizes, st.integers(2, 9))
def test_adding_marks_one_number_in_each_half(B, T):
    x, targets = adding(seed(B), B, T)
    assert x.shape == (T, B, 2) and targets.shape == (B,)
    for b in range(B):
        first, second = np.flatnonzero(x[:, b, 1])
        assert first < T // 2 <= second
        want = x[first, b, 0] + x[second, b, 0]
        assert targets[b] == pytest.approx(want, rel=1e-15)
    assert set(np.unique(x[..., 1])) <= {0, 1}


def test_adding_marks_every_step_and_numbers_fill_the_interval():
    x, _ = adding(seed(), B=2000, T=7)
    assert x[..., 1].any(axis=1).all()
    assert 0 <= x.min() < 0.001 and 0.999 < x[..., 0].max() < 1


def test_best_constant_of_adding_is_1_and_its_error_a_sixth():
    _, targets = adding(seed(2), B=MANY, T=6)
    assert round(adding_baseline(), 4) == 0.1667
    constants = np.linspace(0.8, 1.2, 41)
    errors = [np.mean((targets - c) ** 2) for c in constants]
    assert constants[np.argmin(errors)] == pytest.approx(1, abs=0.015)
    # standard error of the mean: sqrt(7 / 180 / 1e5) = 0.0006
    assert min(errors) == pytest.approx(adding_baseline(), abs=0.0025)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(sizes, sizes, sizes)
def test_copying_is_letters_blanks_go_blanks_and_the_letters_again(
    B, S, delay
):
    ids, targets, mask = copying(seed(B), B, S, delay)
    letters = ids[:S].T.tolist()
    for b in range(B):
        blanks = [BLANK] * (delay - 1)
        assert ids[:, b].tolist() == letters[b] + blanks + [GO] + [BLANK] * S
        assert targets[:, b].tolist() == [BLANK] * (S + delay) + letters[b]
    assert np.array_equal(mask[:, 0], np.arange(len(ids)) >= S + delay)
    assert (mask == mask[:, :1]).all()


def test_each_letter_of_copying_comes_back_after_the_same_time():
    ids, targets, mask = copying(seed(), B=4, S=3, delay=5)
    assert np.array_equal(targets[3 + 5 :], ids[: -3 - 5])


def test_copying_baseline_is_the_best_table_of_the_targets_of_each_step():
    S, delay = 3, 4
    _, targets, _ = copying(seed(), MANY // 4, S, delay)
    shares = [np.bincount(row, minlength=BLANK + 1) for row in targets]
    loss = 0
    for counts in np.array(shares) / targets.shape[1]:
        loss -= sum(p * math.log(p) for p in counts if p) / len(targets)
    assert loss == pytest.approx(copying_baseline(S, delay), abs=1e-3)
    assert round(copying_baseline(10, 100), 4) == 0.1733


@settings(deadline=None, derandomize=True, max_examples=25)
@given(sizes, sizes, sizes)
def test_selective_copying_asks_for_the_letters_in_their_order(B, S, blanks):
    ids, targets, mask = selective_copying(seed(B), B, S, blanks)
    T = blanks + 2 * S
    assert ids.shape == targets.shape == mask.shape == (T, B)
    for column, wanted in zip(ids.T.tolist(), targets.T.tolist(), strict=True):
        assert column[-S:] == [GO] * S and GO not in column[:-S]
        letters = [i for i in column if i < LETTERS]
        assert len(letters) == S
        assert wanted == [BLANK] * (T - S) + letters
    assert np.array_equal(mask, np.tile(np.arange(T) >= T - S, (B, 1)).T)


def test_selective_copying_puts_letters_at_all_steps_alike():
    ids, _, _ = selective_copying(seed(), B=MANY // 4, S=2, blanks=3)
    shares = np.mean(ids[:5] < LETTERS, axis=1)
    np.testing.assert_allclose(shares, 2 / 5, atol=0.0125)  # 4 deviations
    assert set(np.unique(ids)) == {*range(LETTERS), BLANK, GO}


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.lists(sizes, min_size=1, max_size=5))
def test_reversal_turns_each_source_round_inside_its_length(lengths):
    source, targets, mask = reversal(seed(1), lengths)
    S, B = max(lengths), len(lengths)
    assert source.shape == targets.shape == mask.shape == (S, B)
    for b, n in enumerate(lengths):
        letters = source[:n, b].tolist()
        assert max(letters) < LETTERS
        assert source[n:, b].tolist() == [BLANK] * (S - n)
        assert targets[:, b].tolist() == letters[::-1] + [BLANK] * (S - n)
        assert mask[:, b].tolist() == [True] * n + [False] * (S - n)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(sizes, st.integers(10, 40))
def test_temporal_order_names_the_class_of_its_two_symbols(B, T):
    ids, targets = temporal_order(seed(B), B, T)
    assert ids.shape == (T, B)
    for b in range(B):
        first, second = np.flatnonzero(ids[:, b] < 2)
        assert T // 10 <= first < T // 5 and T // 2 <= second < 3 * T // 5
        assert targets[b] == 2 * ids[first, b] + ids[second, b]
    assert ids.min() >= 0 and ids.max() <= 5


def test_temporal_order_of_100_steps_is_that_of_1997():
    ids, targets = temporal_order(seed(), 5000, 100)
    steps = np.nonzero(ids.T < 2)[1].reshape(-1, 2)
    assert steps.min(axis=0).tolist() == [10, 50]
    assert steps.max(axis=0).tolist() == [19, 59]
    assert set(targets.tolist()) == {0, 1, 2, 3}
    assert set(ids[0].tolist()) == {2, 3, 4, 5}


def test_temporal_order_without_the_order_is_three_quarters_right():
    ids, targets = temporal_order(seed(3), MANY, 10)
    right, loss = best_guess(np.sum(ids == 1, axis=0), targets, 4)
    assert right == pytest.approx(3 / 4, abs=0.009)
    assert loss == pytest.approx(math.log(2) / 2, abs=0.005)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(sizes, st.one_of(sizes, st.just(KEYS)))
def test_recall_asks_for_the_value_that_its_dictionary_holds(B, pairs):
    ids, targets, mask = associative_recall(seed(B), B, pairs)
    assert ids.shape == targets.shape == mask.shape == (3 * pairs, B)
    for b in range(B):
        told, asked = ids[: 2 * pairs, b].tolist(), ids[2 * pairs :, b]
        held = dict(zip(told[::2], told[1::2], strict=True))
        assert len(held) == pairs and set(held) <= set(range(KEYS))
        assert set(held.values()) <= set(range(KEYS, KEYS + VALUES))
        assert sorted(held) == sorted(asked.tolist())
        want = [held[key] for key in asked.tolist()]
        assert targets[2 * pairs :, b].tolist() == want
    assert np.array_equal(mask[:, 0], np.arange(3 * pairs) >= 2 * pairs)
    assert (mask == mask[:, :1]).all()


def test_recall_asks_in_every_order_whatever_came_first():
    ids, _, _ = associative_recall(seed(), 3000, 3)
    orders = np.argmax(ids[6:, None] == ids[None, :6:2], axis=1).T
    found, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(found) == 6 and counts.min() > 400  # 500 each, deviation 20
    assert set(ids[:6:2].ravel().tolist()) == set(range(KEYS))


@settings(deadline=None, derandomize=True, max_examples=25)
@given(sizes, st.integers(2, 6))
def test_t_maze_shows_the_turn_at_its_start_only(B, T):
    x, turns = t_maze(seed(B), B, T)
    assert x.shape == (T, B, 3)
    for b in range(B):
        seen = ["".join(str(int(v)) for v in row) for row in x[:, b]]
        start = "110" if turns[b] else "011"
        assert seen == [start] + ["101"] * (T - 2) + ["010"]


def test_generators_follow_their_seed():
    for f, make in CALLS.items():
        if "rng" in make():
            first, again = f(**make()), f(**make())
            other = f(**{**make(), "rng": seed(9)})
            assert all(map(np.array_equal, first, again)), f.__name__
            assert not np.array_equal(first[0], other[0]), f.__name__


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    rng = seed()
    bad = [
        (lambda: chance(0), "V must be an integer of at least 1, got 0"),
        (lambda: noisy_bit(rng, 0, 3), "B must be .* got 0"),
        (lambda: noisy_bit(rng, 3, 0), "T must be .* got 0"),
        (lambda: adding(rng, 3, 1), "T must be at least 2, got 1"),
        (lambda: adding(rng, 3.0, 2), "B must be an integer .* got 3.0"),
        (lambda: copying(rng, 2, 0, 3), "S must be .* got 0"),
        (lambda: copying(rng, 2, 3, 0), "delay must be .* got 0"),
        (lambda: copying_baseline(0, 3), "S must be .* got 0"),
        (lambda: selective_copying(rng, 2, 3, 0), "blanks must .* got 0"),
        (lambda: reversal(rng, [2, 0]), r"lengths .* got \[2, 0\]"),
        (lambda: reversal(rng, [2.0]), "lengths .* got .* float64"),
        (lambda: temporal_order(rng, 2, 9), "T must be at least 10, got 9"),
        (lambda: temporal_order(rng, -1, 10), "B must be .* got -1"),
        (lambda: associative_recall(rng, 1, 65), "pairs .* most 64, got 65"),
        (lambda: associative_recall(rng, 1, 0), "pairs .* got 0"),
        (lambda: t_maze(rng, 3, 1), "T must be at least 2, got 1"),
        (lambda: t_maze(rng, 0, 2), "B must be .* got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


CALLS = {
    chance: lambda: {"V": 3},
    delayed_recall: lambda: {"rng": seed(), "B": 5, "T": 4},
    delayed_recall_chance: lambda: {},
    noisy_bit: lambda: {"rng": seed(), "B": 5, "T": 4, "noise": 0.5},
    adding: lambda: {"rng": seed(), "B": 5, "T": 6},
    adding_baseline: lambda: {},
    copying: lambda: {"rng": seed(), "B": 4, "S": 3, "delay": 5},
    copying_baseline: lambda: {"S": 3, "delay": 5},
    selective_copying: lambda: {"rng": seed(), "B": 4, "S": 3, "blanks": 5},
    reversal: lambda: {"rng": seed(), "lengths": np.array([2, 4, 3])},
    temporal_order: lambda: {"rng": seed(), "B": 4, "T": 20},
    associative_recall: lambda: {"rng": seed(), "B": 4, "pairs": 3},
    t_maze: lambda: {"rng": seed(), "B": 4, "T": 5},
}
OTHER = {}
