from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate import AlignedSent, IBMModel1
from nltk.translate import alignment_error_rate as nltk_error_rate

from seqbook.alignment import (
    alignment_error_rate,
    ibm1_fit,
    ibm1_posterior,
    ibm1_step,
)

EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of a few terms
NULL, DAS, HAUS, BUCH, EIN = range(5)
THE, HOUSE, BOOK, A = range(4)
BOOKS = [  # das Haus - the house, das Buch - the book, ein Buch - a book
    ([DAS, HAUS], [THE, HOUSE]),
    ([DAS, BUCH], [THE, BOOK]),
    ([EIN, BUCH], [A, BOOK]),
]


def with_null(pairs):
    return [([NULL, *source], target) for source, target in pairs]


def random_pairs(rng, sentences=3, V_e=4, V_f=5, longest=4):
    """Pairs of id sentences of 1 to `longest` words, NULL first."""
    return [
        (
            np.append(NULL, rng.integers(1, V_e, rng.integers(1, longest))),
            rng.integers(0, V_f, rng.integers(1, longest + 1)),
        )
        for _ in range(sentences)
    ]


def random_t(rng, V_e=4, V_f=5):
    return rng.dirichlet(np.ones(V_f), size=V_e)


def enumerate_alignments(t, source, target):
    """-> posterior (T, S), counts as t, p(target | source), by brute force.

    Every one of the S**T alignments, with the probability of the pair.
    """
    posterior, counts = np.zeros((len(target), len(source))), np.zeros_like(t)
    likelihood = 0.0
    alignments = list(product(range(len(source)), repeat=len(target)))
    chances = [
        np.prod([t[source[i], target[j]] for j, i in enumerate(a)])
        / len(source) ** len(target)
        for a in alignments
    ]
    likelihood = sum(chances)
    for a, chance in zip(alignments, chances, strict=True):
        for j, i in enumerate(a):
            posterior[j, i] += chance / likelihood
            counts[source[i], target[j]] += chance / likelihood
    return posterior, counts, likelihood


@pytest.mark.parametrize("seed", range(5))
def test_posterior_and_step_equal_the_sum_over_all_alignments(seed):
    rng = np.random.default_rng(seed)
    pairs, t = random_pairs(rng), random_t(rng)
    counts, total = np.zeros_like(t), 0.0
    for source, target in pairs:
        want, part, likelihood = enumerate_alignments(t, source, target)
        posterior, log_p = ibm1_posterior(t, source, target)
        np.testing.assert_allclose(posterior, want, **EXACT)
        np.testing.assert_allclose(log_p, np.log(likelihood), **EXACT)
        counts, total = counts + part, total + np.log(likelihood)
    new, log_likelihood = ibm1_step(t, pairs)
    assert log_likelihood == pytest.approx(total, rel=1e-12)
    for e, row in enumerate(counts):
        want = row / row.sum() if row.sum() else t[e]  # not seen: as it was
        np.testing.assert_allclose(new[e], want, **EXACT)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("steps", [1, 2, 5, 20])
def test_probabilities_equal_nltk(seed, steps):
    rng = np.random.default_rng(seed)
    pairs = [  # nltk counts a target word that comes k times as one: avoid
        (source, rng.permutation(5)[: len(target)])
        for source, target in random_pairs(rng, sentences=6)
    ]
    corpus = [
        AlignedSent([int(f) for f in target], [int(e) for e in source[1:]])
        for source, target in pairs
    ]
    want = IBMModel1(corpus, steps).translation_table  # puts in NULL: None
    t, _ = ibm1_fit(pairs, steps)
    for source, target in pairs:
        for e, f in product(source, target):
            got = t[e, f]
            # nltk keeps every probability above 1e-12
            np.testing.assert_allclose(got, want[f][e or None], 1e-9, 1e-11)


def test_books_without_null_have_the_values_of_the_hand():
    # After one step: das was seen with the, the, house, book, half each.
    t, _ = ibm1_fit(BOOKS, 1)
    assert t[DAS].tolist() == [0.5, 0.25, 0.25, 0]
    assert t[HAUS].tolist() == [0.5, 0.5, 0, 0]
    # In the second, das keeps a half and two thirds of the two the, and a
    # third each of house and book: 7/6 of 11/6.
    t, _ = ibm1_fit(BOOKS, 2)
    half, two, one = Fraction(1, 2), Fraction(2, 3), Fraction(1, 3)
    total = half + two + one + one
    want = [(half + two) / total, one / total, one / total, 0]
    assert want[0] == Fraction(7, 11)
    np.testing.assert_allclose(t[DAS], [float(x) for x in want], **EXACT)
    haus = [half / (half + two), two / (half + two), 0, 0]
    assert haus[1] == Fraction(4, 7)
    np.testing.assert_allclose(t[HAUS], [float(x) for x in haus], **EXACT)
    t, _ = ibm1_fit(BOOKS, 3)
    third = [t[DAS, THE], t[DAS, HOUSE], t[DAS, BOOK], t[HAUS, HOUSE]]
    np.testing.assert_allclose(
        third, [0.7479, 0.1313, 0.1208, 0.6534], 0, 5e-5
    )


def test_books_without_null_come_near_one_word_for_each():
    t, history = ibm1_fit(BOOKS, 1000)
    pairs = [(DAS, THE), (HAUS, HOUSE), (BUCH, BOOK), (EIN, A)]
    for e, f in pairs:
        assert t[e, f] > 0.999
    # Each of six words then has half of a one: the other position gives 0.
    assert history[-1] == pytest.approx(6 * np.log(1 / 2), rel=1e-3)


def test_books_with_null_have_the_values_of_the_hand():
    pairs = with_null(BOOKS)
    t, _ = ibm1_fit(pairs, 1)  # a third each: das as before
    np.testing.assert_allclose(t[DAS], [1 / 2, 1 / 4, 1 / 4, 0], **EXACT)
    np.testing.assert_allclose(t[NULL], [1 / 3, 1 / 6, 1 / 3, 1 / 6], **EXACT)
    t, _ = ibm1_fit(pairs, 2)
    das = [3 / 8 + 6 / 13, 3 / 11, 3 / 13]  # its shares of the, house, book
    np.testing.assert_allclose(t[DAS, :3], np.divide(das, sum(das)), **EXACT)
    # In the end NULL says the and book, half each; the and book are then
    # (1 + 1/2) / 3 in all four places, house and a are 1/3.
    t, history = ibm1_fit(pairs, 300)
    np.testing.assert_allclose(t[NULL], [1 / 2, 0, 1 / 2, 0], atol=1e-6)
    np.testing.assert_allclose(t[1:], np.eye(4), atol=1e-6)  # ids in one order
    want = 4 * np.log(1 / 2) + 2 * np.log(1 / 3)
    assert history[-1] == pytest.approx(want, abs=1e-6)


def test_alignment_of_the_books_is_a_matrix_like_that_of_attention():
    t, _ = ibm1_fit(with_null(BOOKS), 100)
    posterior, _ = ibm1_posterior(t, [NULL, DAS, HAUS], [THE, HOUSE])
    assert posterior.shape == (2, 3)  # target x source
    want = [[1 / 3, 2 / 3, 0], [0, 0, 1]]  # NULL says the as well
    np.testing.assert_allclose(posterior, want, atol=1e-4)


def test_order_of_the_words_does_not_matter_to_model_1():
    t, _ = ibm1_fit(with_null(BOOKS), 5)
    posterior, log_p = ibm1_posterior(t, [0, 1, 2], [0, 1])
    turned, log_p_turned = ibm1_posterior(t, [2, 1, 0], [1, 0])
    np.testing.assert_allclose(turned, posterior[::-1, ::-1], **EXACT)
    assert log_p_turned == pytest.approx(log_p, rel=1e-12)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(0, 999), st.integers(1, 5), st.integers(1, 4))
def test_log_likelihood_never_falls_and_rows_sum_to_one(seed, n, longest):
    rng = np.random.default_rng(seed)
    pairs = random_pairs(rng, n, longest=1 + longest)
    t, history = ibm1_fit(pairs, 15)
    assert (np.diff(history) >= -1e-12 * np.abs(history[1:])).all()
    np.testing.assert_allclose(t.sum(axis=1), 1, **EXACT)
    for source, target in pairs:
        posterior, log_p = ibm1_posterior(t, source, target)
        assert posterior.shape == (len(target), len(source))
        np.testing.assert_allclose(posterior.sum(axis=1), 1, **EXACT)
        assert log_p <= 0


def test_every_start_reaches_the_same_likelihood():
    # The log-likelihood is concave in t: there are no local maxima.
    pairs = random_pairs(np.random.default_rng(3), sentences=5)
    t, _ = ibm1_fit(pairs, 500)
    want = ibm1_step(t, pairs)[1]
    for seed in range(3):
        t = random_t(np.random.default_rng(seed))
        for _ in range(500):
            t, log_likelihood = ibm1_step(t, pairs)
        assert log_likelihood == pytest.approx(want, abs=1e-2)


def test_first_likelihood_is_that_of_a_uniform_guess():
    _, history = ibm1_fit(BOOKS, 1)
    assert history[0] == pytest.approx(6 * np.log(1 / 4), rel=1e-12)


def test_word_that_no_source_word_gives_has_no_alignment():
    t = np.array([[0.5, 0.5, 0], [1, 0, 0]])
    posterior, log_p = ibm1_posterior(t, [0, 1], [2, 0])
    np.testing.assert_allclose(posterior, [[0, 0], [1 / 3, 2 / 3]], **EXACT)
    assert log_p == -np.inf


def test_repeated_words_are_counted_each_time():
    t = np.array([[0.25, 0.75]])
    new, log_likelihood = ibm1_step(t, [([0, 0], [1, 1, 0])])
    np.testing.assert_allclose(new, [[1 / 3, 2 / 3]], **EXACT)
    want = 2 * np.log(0.75) + np.log(0.25)
    assert log_likelihood == pytest.approx(want, rel=1e-12)


def test_long_sentences_stay_in_the_logarithm():
    t = np.full((1, 2), [1e-3, 0.999])  # 0.001**324 would be 0
    posterior, log_p = ibm1_posterior(t, [0], [0] * 324)
    assert posterior.tolist() == [[1.0]] * 324
    assert log_p == pytest.approx(324 * np.log(1e-3), rel=1e-12)


def test_float32_in_gives_float32_out():
    t = np.full((5, 4), 0.25, np.float32)
    new, _ = ibm1_step(t, with_null(BOOKS))
    posterior, _ = ibm1_posterior(t, [0, 1], [0, 1])
    assert new.dtype == posterior.dtype == np.float32


def test_error_rate_has_the_values_of_the_hand():
    sure = np.array([[1, 0, 0], [0, 1, 0]], bool)
    possible = np.array([[1, 1, 0], [0, 1, 0]], bool)
    none = np.zeros((2, 3), bool)
    assert alignment_error_rate(sure, sure, possible) == 0
    assert alignment_error_rate(possible, sure, possible) == 0
    assert alignment_error_rate(none, sure, possible) == 1
    one = np.array([[1, 0, 0], [0, 0, 1]], bool)  # one right, one wrong
    assert alignment_error_rate(one, sure, possible) == 1 - (1 + 1) / (2 + 2)
    more = np.array([[1, 1, 1], [0, 0, 0]], bool)
    assert alignment_error_rate(more, sure, possible) == 1 - (1 + 2) / (3 + 2)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(0, 999), st.integers(1, 5), st.integers(1, 4))
def test_error_rate_equals_nltk(seed, T, S):
    rng = np.random.default_rng(seed)
    links, sure, maybe = rng.uniform(size=(3, T, S)) < 0.4
    sure[0, 0] = True  # a rate needs something to find
    possible = sure | maybe
    as_sets = [
        set(map(tuple, np.argwhere(a))) for a in (sure, links, possible)
    ]
    want = nltk_error_rate(*as_sets)
    assert alignment_error_rate(links, sure, possible) == pytest.approx(want)


def test_errors_say_what_was_wrong_and_what_was_expected():
    yes, no = np.ones((2, 3), bool), np.zeros((2, 3), bool)
    bad = [
        (lambda: ibm1_fit([], 3), "pairs must be .*at least 1, got 0"),
        (lambda: ibm1_fit(BOOKS, 0), "steps must be .*at least 1, got 0"),
        (lambda: ibm1_fit([([0], [])], 3), "a sentence's length .*got 0"),
        (lambda: ibm1_fit([([0, -1], [1])], 3), "sentence .*got -1 to 0"),
        (lambda: ibm1_fit([([0.5], [1])], 3), "sentence .*got .*float64"),
        (lambda: ibm1_fit([("das", [1])], 3), "sentence .*integers.*<U3"),
        (
            lambda: ibm1_posterior(T_BOOKS, [-1], [THE]),
            "source .*from 0 to 4 .*got -1 to -1",
        ),
        (
            lambda: ibm1_posterior(T_BOOKS, [DAS], [4]),
            "target .*from 0 to 3 .*got 4 to 4",
        ),
        (
            lambda: alignment_error_rate(yes, yes, no),
            "possible, got 6, of which 6",
        ),
        (
            lambda: alignment_error_rate(yes, no, yes),
            "possible, got 0, of which 0",
        ),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


T_BOOKS = np.random.default_rng(0).dirichlet(np.ones(4), size=5)
SURE = np.array([[True, False, False], [False, True, False]])
POSSIBLE = np.array([[True, True, False], [False, True, False]])
LINKS = np.array([[True, True, True], [False, False, False]])
CALLS = {
    ibm1_posterior: lambda: {
        "t": T_BOOKS,
        "source": [NULL, DAS, HAUS],
        "target": [THE, HOUSE],
    },
    ibm1_step: lambda: {"t": T_BOOKS, "pairs": with_null(BOOKS)},
    ibm1_fit: lambda: {"pairs": with_null(BOOKS), "steps": 2},
    alignment_error_rate: lambda: {
        "links": LINKS,
        "sure": SURE,
        "possible": POSSIBLE,
    },
}
OTHER = {
    (ibm1_step, "pairs"): lambda: BOOKS,
    (ibm1_fit, "pairs"): lambda: BOOKS,
    (alignment_error_rate, "sure"): lambda: POSSIBLE,
    (alignment_error_rate, "possible"): lambda: SURE,
}
