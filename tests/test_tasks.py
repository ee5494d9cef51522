import numpy as np
import pytest

from seqbook.tasks import (
    NOISE,
    SYMBOLS,
    delayed_recall,
    delayed_recall_chance,
)


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
