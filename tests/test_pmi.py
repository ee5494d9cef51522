from collections import Counter

import numpy as np
import pytest
import scipy.linalg
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.pmi import cooccurrence, pmi, svd_embedding
from seqbook.word2vec import context_windows, skipgram_pairs
from tests.test_word2vec import (
    CLOSE,
    V,
    make_counts,
    make_examples,
    together,
    topics,
)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3))))
def test_cooccurrence_counts_pairs(pairs):
    centres, contexts = np.array(pairs, int).reshape(-1, 2).T
    counts, want = cooccurrence(centres, contexts, 4), Counter(pairs)
    for pair in np.ndindex(4, 4):
        assert counts[pair] == want[pair]


def test_windows_that_see_both_sides_count_symmetrically():
    contexts, ids, _ = make_examples()
    counts = cooccurrence(*skipgram_pairs(ids, contexts), V)
    assert (counts == counts.T).all() and counts.sum() == 4 * 11 - 6


def test_pmi_known_by_hand():
    counts = np.array([[8, 0, 0], [2, 10, 0], [0, 0, 0]])
    with_zero = pmi(counts)
    assert with_zero[0, 0] == pytest.approx(np.log(8 * 20 / (8 * 10)))
    assert with_zero[1, 0] == pytest.approx(np.log(2 * 20 / (12 * 10)))
    assert with_zero[1, 1] == pytest.approx(np.log(10 * 20 / (12 * 10)))
    assert np.isneginf(with_zero[counts == 0]).all()
    assert np.maximum(with_zero, 0).tolist()[2] == [0, 0, 0]


def test_pmi_averages_to_the_divergence_from_independence():
    counts = make_counts()
    counts[2, 3] = counts[4, 1] = 0
    joint = counts / counts.sum()
    mean = np.sum(joint * np.where(counts > 0, pmi(counts), 0))
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    want = scipy.stats.entropy(joint.ravel(), apart.ravel())
    assert mean == pytest.approx(want, rel=1e-12)


def test_pmi_of_independent_words_is_zero():
    counts = np.outer([1, 20, 300], [5, 70, 2])
    np.testing.assert_allclose(pmi(counts), 0, atol=1e-12)


def test_svd_vectors_are_the_left_half_of_the_best_copy():
    M = np.random.default_rng(0).normal(size=(V, V))
    W = svd_embedding(M, V)
    np.testing.assert_allclose(W @ W.T, scipy.linalg.sqrtm(M @ M.T), atol=1e-9)
    W = svd_embedding(M, 2)
    spread = np.linalg.eigvalsh(W.T @ W)[::-1]
    np.testing.assert_allclose(spread, scipy.linalg.svdvals(M)[:2], 1e-12)
    np.testing.assert_allclose(W, svd_embedding(M, V)[:, :2], **CLOSE)


def test_svd_of_positive_pmi_finds_planted_topics():
    text = topics(np.random.default_rng(0))
    pairs = [skipgram_pairs(ids, context_windows(ids, 3)) for ids in text]
    counts = cooccurrence(*np.concatenate(pairs, axis=1), 24)
    assert together(svd_embedding(np.maximum(pmi(counts), 0), 6)) == 1


def test_float32_in_gives_float32_out():
    M = np.random.default_rng(0).normal(size=(V, V)).astype(np.float32)
    assert svd_embedding(M, 2).dtype == np.float32
    assert pmi(make_counts().astype(np.float32)).dtype == np.float32


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    _, ids, _ = make_examples()
    bad = [
        (lambda: cooccurrence(ids, ids, 6), "centres .*to 5 .*got 0 to 6"),
        (lambda: cooccurrence(ids, ids + 1, 7), "contexts .*to 6 .*1 to 7"),
        (lambda: cooccurrence(ids, -ids, 7), "contexts .*got -6 to 0"),
        (lambda: cooccurrence(ids, ids[1:], 7), r"contexts .*got \(10,\)"),
        (lambda: pmi(make_counts() - 9), "counts .*at least 0.*, got -"),
        (lambda: svd_embedding(np.ones((11, 4)), 2), r"M .*got \(11, 4\)"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


CALLS = {
    cooccurrence: lambda: {
        "centres": np.array([0, 1, 1, 2, 0]),
        "contexts": np.array([2, 0, 2, 1, 1]),
        "V": 4,
    },
    pmi: lambda: {"counts": make_counts()},
    svd_embedding: lambda: {
        "M": np.random.default_rng(0).normal(size=(V, V)),
        "D": 2,
    },
}
OTHER = {}
