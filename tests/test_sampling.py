import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.functional import softmax
from seqbook.sampling import (
    nucleus_logits,
    sample_ids,
    temperature_logits,
    top_k_logits,
)

V = 5


def test_samples_have_the_frequencies_of_the_softmax():
    logits = np.array([[0.0, -1.0, 2.0, -np.inf], [1000, 999, -1000, 999]])
    N = 40_000
    ids = sample_ids(np.random.default_rng(0), np.tile(logits, (N, 1, 1)))
    assert ids.shape == (N, 2)
    for b, p in enumerate(softmax(logits)):
        found = np.bincount(ids[:, b], minlength=4) / N
        # five standard deviations of a frequency, none at p = 0
        assert (np.abs(found - p) <= 5 * np.sqrt(p * (1 - p) / N)).all()


def test_log_probabilities_are_sampled_like_logits():
    logits = np.random.default_rng(0).normal(size=(50, V))
    shifted = logits + np.linspace(-5, 5, 50)[:, None]
    draws = [
        sample_ids(np.random.default_rng(1), a) for a in (logits, shifted)
    ]
    assert draws[0].tolist() == draws[1].tolist()


def test_one_id_is_sampled_from_one_row():
    assert sample_ids(np.random.default_rng(0), np.array([-np.inf, 3.0])) == 1


def test_temperature_one_changes_no_probability():
    logits = np.random.default_rng(0).normal(size=(3, V))
    got = temperature_logits(logits, 1)
    np.testing.assert_allclose(softmax(got), softmax(logits), rtol=1e-14)
    assert got.max(axis=-1).tolist() == [0] * 3


@pytest.mark.parametrize("temperature", [0.2, 0.7, 3.0])
def test_temperature_raises_probabilities_to_its_inverse(temperature):
    logits = np.random.default_rng(0).normal(size=(3, V))
    powers = softmax(logits) ** (1 / temperature)
    want = powers / powers.sum(axis=-1, keepdims=True)
    got = softmax(temperature_logits(logits, temperature))
    np.testing.assert_allclose(got, want, rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("temperature", [1e-6, 1e-50, 1e-310])
def test_temperature_towards_zero_is_greedy_and_shares_ties(
    dtype, temperature
):
    logits = np.array([[3, 1, 1000, 999], [2, 7, 7, -np.inf]], dtype)
    p = softmax(temperature_logits(logits, temperature))
    assert p.tolist() == [[0, 0, 1, 0], [0, 0.5, 0.5, 0]]


@pytest.mark.parametrize("temperature", [1e12, 1e308])
def test_temperature_towards_infinity_is_uniform_over_the_possible(
    temperature,
):
    logits = np.array([1000.0, -1000, 0, -np.inf])
    p = softmax(temperature_logits(logits, temperature))
    np.testing.assert_allclose(p, [1 / 3, 1 / 3, 1 / 3, 0], rtol=1e-8)


@pytest.mark.parametrize("k", [1, 2, 4, V])
def test_top_k_keeps_what_torch_calls_the_k_largest(k):
    logits = np.random.default_rng(0).normal(size=(3, 2, V)) * 500
    got = top_k_logits(logits, k)
    values, ids = torch.topk(torch.tensor(logits), k)
    want = torch.full(logits.shape, -np.inf, dtype=torch.float64)
    np.testing.assert_array_equal(got, want.scatter(-1, ids, values))


def test_top_k_keeps_equal_logits_together():
    logits = np.array([1.0, 5, 3, 3, -np.inf])
    none = -np.inf
    assert top_k_logits(logits, 1).tolist() == [none, 5, none, none, none]
    assert top_k_logits(logits, 2).tolist() == [none, 5, 3, 3, none]
    assert top_k_logits(logits, 3).tolist() == [none, 5, 3, 3, none]
    assert top_k_logits(logits, 99).tolist() == logits.tolist()


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.integers(0, 999), st.integers(1, 6), st.floats(0, 1))
def test_nucleus_is_the_smallest_set_that_reaches_the_mass(seed, V, mass):
    logits = np.random.default_rng(seed).normal(size=V) * 2
    p = softmax(logits)
    sets = [
        ids
        for size in range(1, V + 1)
        for ids in itertools.combinations(range(V), size)
        if p[list(ids)].sum() >= mass - 1e-9
    ]
    size = min(map(len, sets))
    best = max((s for s in sets if len(s) == size), key=lambda s: sum(p[[*s]]))
    got = nucleus_logits(logits, mass)
    assert np.flatnonzero(got > -np.inf).tolist() == list(best)
    assert got[list(best)].tolist() == logits[list(best)].tolist()


def test_nucleus_that_reaches_the_mass_exactly_needs_no_more():
    p = np.array([0.1, 0.5, 0.1, 0.3])
    for dtype in np.float32, np.float64:
        logits = np.log(p).astype(dtype)
        for mass, kept in [(0.5, [1]), (0.8, [1, 3]), (0.81, [0, 1, 2, 3])]:
            got = nucleus_logits(logits, mass)
            assert np.flatnonzero(got > -np.inf).tolist() == kept


def test_nucleus_of_all_the_mass_is_everything_possible():
    logits = np.array([[0.0, -30, -600, -np.inf], [2, 2, 2, 2]])
    assert nucleus_logits(logits, 1).tolist() == logits.tolist()


def test_nucleus_of_no_mass_is_greedy_and_keeps_ties():
    logits = np.array([[0.0, 2, 1], [1000, -1000, 1000]])
    got = nucleus_logits(logits, 0)
    assert (got > -np.inf).tolist() == [[0, 1, 0], [1, 0, 1]]
    got = nucleus_logits(logits, 1e-17)
    assert (got > -np.inf).tolist() == [[0, 1, 0], [1, 0, 1]]


@pytest.mark.parametrize("shape", [(V,), (3, V), (2, 3, V), (1, 1)])
def test_rows_are_treated_one_by_one(shape):
    logits = np.random.default_rng(0).normal(size=shape)
    for function, argument in [
        (temperature_logits, 0.5),
        (top_k_logits, 2),
        (nucleus_logits, 0.7),
    ]:
        got = function(logits, argument)
        rows = [function(a, argument) for a in logits.reshape(-1, shape[-1])]
        np.testing.assert_array_equal(got.reshape(len(rows), -1), rows)


def test_float32_in_gives_float32_out():
    logits = np.random.default_rng(0).normal(size=(3, V)).astype(np.float32)
    for got in (
        temperature_logits(logits, 0.5),
        temperature_logits(logits, np.float64(0.5)),
        top_k_logits(logits, 2),
        nucleus_logits(logits, 0.7),
    ):
        assert got.dtype == np.float32


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    rng = np.random.default_rng(0)
    row = np.array([0.0, 1])
    bad = [
        (lambda: temperature_logits(row, 0), "temperature.*above 0, got 0"),
        (lambda: temperature_logits(row, math.inf), "temperature.*got inf"),
        (lambda: top_k_logits(row, 0), "k must.*got 0"),
        (lambda: nucleus_logits(row, 1.1), "mass.*0 to 1, got 1.1"),
        (lambda: nucleus_logits(row - np.inf, 0.5), "finite.*got -inf"),
        (lambda: sample_ids(rng, np.stack([row, row - np.inf])), "got -inf"),
        (lambda: top_k_logits(row + np.nan, 1), "finite.*got nan"),
        (lambda: sample_ids(rng, row + np.inf), "finite.*got inf"),
        (lambda: sample_ids(rng, np.array([0, 1])), "logits.*got.*int64"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


LOGITS = np.random.default_rng(5).normal(size=(40, V))
CALLS = {
    temperature_logits: lambda: {"logits": LOGITS, "temperature": 0.5},
    top_k_logits: lambda: {"logits": LOGITS, "k": 2},
    nucleus_logits: lambda: {"logits": LOGITS, "mass": 0.8},
    sample_ids: lambda: {"rng": np.random.default_rng(0), "logits": LOGITS},
}
OTHER = {(sample_ids, "logits"): lambda: -LOGITS}
