import math

import numpy as np
import pytest
import scipy.spatial
import scipy.stats
import sklearn.decomposition
import sklearn.manifold
from gensim.models import KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.similarity import (
    bias_direction,
    cosine,
    nearest,
    neutralise,
    pca,
    ranks,
    spearman,
    three_cos_add,
    three_cos_mul,
    unit,
)

V, D, Q = 12, 5, 4  # words, their size, questions
A, B, C = np.array([[0, 5, 2, 11], [3, 1, 7, 0], [9, 2, 4, 6]])
TOY = np.array([[4.0, 1], [4, -1], [1, 3], [2, 1]])
MAN, WOMAN, KING, QUEEN = range(4)


def make_E(seed=0):
    """V vectors of very different lengths."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(V, D)) * np.exp(rng.normal(size=(V, 1)))


def planted(seed):
    """E (200, 50) around one strong mean; word i + 60 is i plus an offset.

    The offset of length 1 is overlaid with noise of length 1.5, words are 4
    from the mean and the mean is 8 from zero. -> E, a, b, c, d (60,).
    """
    rng = np.random.default_rng(seed)
    mean, offset, words, noise = (
        length * rng.normal(size=(n, 50)) / np.sqrt(50)
        for n, length in [(1, 8), (1, 1), (140, 4), (60, 1.5)]
    )
    E = mean + np.concatenate([words[:60], words[:60] + noise, words[60:]])
    E[60:120] += offset
    a = np.arange(60)
    c = (a + rng.integers(1, 60, size=60)) % 60
    return E, a, a + 60, c, c + 60


def cos(x, y):
    return sum(x * y) / math.sqrt(sum(x * x) * sum(y * y))


@pytest.mark.parametrize("shape", [(D,), (V, D)])
def test_cosine_equals_scipy_and_a_sum_by_hand(shape):
    E, X = make_E(), np.random.default_rng(1).normal(size=shape)
    got = cosine(E, X)
    want = 1 - scipy.spatial.distance.cdist(E, np.atleast_2d(X), "cosine")
    np.testing.assert_allclose(got, want.reshape(got.shape), 1e-12, 1e-12)
    assert abs(got[2].flat[0] - cos(E[2], np.atleast_2d(X)[0])) < 1e-12
    assert np.shape(cosine(E[1], E[2])) == ()


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1.0, 1e200, 1e300])
def test_direction_does_not_depend_on_length(size):
    E = make_E()
    np.testing.assert_allclose(unit(size * E), unit(E), 1e-12)
    np.testing.assert_allclose(np.linalg.norm(unit(size * E), axis=1), 1)


def test_order_by_distance_of_unit_vectors_is_order_by_cosine():
    E = unit(make_E())
    squares = scipy.spatial.distance.cdist(E, E, "sqeuclidean")
    np.testing.assert_allclose(squares, 2 - 2 * cosine(E, E), atol=1e-12)


def test_nearest_equals_a_sorted_list():
    scores = cosine(make_E(), make_E(1))
    got = nearest(scores, 3, np.stack([A, B, C], 1).repeat(3, axis=0))
    for row, ids, score in zip(np.arange(V) // 3, got, scores, strict=True):
        free = [v for v in range(V) if v not in (A[row], B[row], C[row])]
        assert ids.tolist() == sorted(free, key=lambda v: -score[v])[:3]


def test_nearest_gives_the_lower_of_equal_ids_and_the_excluded_last():
    scores = np.array([0.5, 0.7, 0.5, 0.7, -3.0])
    assert nearest(scores, 4).tolist() == [1, 3, 0, 2]
    assert nearest(scores, 5, [1, 0]).tolist() == [3, 2, 4, 0, 1]
    assert nearest(scores, exclude=[]).tolist() == [1]


def test_scores_of_analogies_equal_loops_over_words():
    E = make_E()
    add, mul = three_cos_add(E, A, B, C), three_cos_mul(E, A, B, C)
    assert add.shape == mul.shape == (Q, V)
    length = [math.sqrt(sum(x * x)) for x in E]
    for q, (a, b, c) in enumerate(zip(A, B, C, strict=True)):
        offset = E[b] / length[b] - E[a] / length[a]
        for x in range(V):
            want = cos(E[x], offset + E[c] / length[c])
            assert abs(add[q, x] - want) < 1e-12
            near = [(cos(E[x], E[word]) + 1) / 2 for word in (a, b, c)]
            want = near[1] * near[2] / (near[0] + 0.001)
            assert abs(mul[q, x] - want) < 1e-10  # quotients up to 1000


@pytest.mark.filterwarnings("ignore:Call to deprecated `init_sims`")
@pytest.mark.parametrize("seed", range(5))
def test_answers_equal_those_of_gensim(seed):
    E, n = make_E(seed), V - 3
    words = [str(v) for v in range(V)]
    vectors = KeyedVectors(D)
    vectors.add_vectors(words, E)
    add = three_cos_add(E, A, B, C)
    mul = three_cos_mul(E, A, B, C, eps=1e-6)  # as in gensim
    for scores, ask in (
        (add, vectors.most_similar),
        (mul, vectors.most_similar_cosmul),
    ):
        got = nearest(scores, n, np.stack([A, B, C], axis=1))
        for q, (a, b, c) in enumerate(zip(A, B, C, strict=True)):
            want = ask(positive=[words[b], words[c]], negative=[words[a]])
            found = [(words[v], scores[q, v]) for v in got[q]]
            assert [w for w, _ in found] == [w for w, _ in want[:n]]
            np.testing.assert_allclose(  # gensim's vectors are float32
                [s for _, s in found], [s for _, s in want[:n]], 1e-4, 1e-6
            )


def test_king_comes_back_unless_the_query_is_excluded():
    scores = three_cos_add(TOY, MAN, WOMAN, KING)
    assert nearest(scores).tolist() == [KING]
    assert nearest(scores, exclude=[MAN, WOMAN, KING]).tolist() == [QUEEN]


def test_queen_need_not_come_from_addition():
    scores = three_cos_mul(TOY, MAN, WOMAN, KING)
    assert nearest(scores).tolist() == [QUEEN]
    scores = cosine(TOY[KING], TOY)  # as if man and woman were not given
    assert nearest(scores, exclude=[KING]).tolist() == [QUEEN]


@pytest.mark.parametrize("seed", range(5))
def test_exclusion_does_most_of_the_work_of_planted_analogies(seed):
    E, a, b, c, d = planted(seed)
    query, scores = np.stack([a, b, c], axis=1), three_cos_add(E, a, b, c)
    with_exclusion = np.mean(nearest(scores, 1, query)[:, 0] == d)
    free = nearest(scores)
    returned = np.mean((free == query).any(axis=1))
    only_b = np.mean(nearest(cosine(E[c], E), 1, query)[:, 0] == d)
    assert with_exclusion - np.mean(free[:, 0] == d) > 0.5
    assert returned > 0.8 and with_exclusion > 0.95 and only_b > 0.95


def test_word_of_the_question_can_only_be_an_answer_without_exclusion():
    scores = three_cos_add(TOY, MAN, KING, WOMAN)  # man : king :: woman : ?
    assert nearest(scores).tolist() == [KING]
    assert KING not in nearest(scores, exclude=[MAN, KING, WOMAN])


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.data())
def test_ranks_and_their_correlation_equal_scipy(data):
    N = data.draw(st.integers(2, 9))
    few = st.lists(st.integers(-2, 3), min_size=N, max_size=N)  # ties
    x, y = (np.array(data.draw(few), float) for _ in range(2))
    np.testing.assert_array_equal(ranks(x), scipy.stats.rankdata(x))
    if np.ptp(x) > 0 and np.ptp(y) > 0:
        want = scipy.stats.spearmanr(x, y).statistic
        assert abs(spearman(x, y) - want) < 1e-12
        assert abs(spearman(np.exp(x), 1e9 * y) - want) < 1e-12  # monotone


def test_ranks_known_by_hand():
    assert ranks(np.array([3.0, 1, 3, 2, 3])).tolist() == [4, 1, 4, 2, 4]
    x = np.array([1.0, 2, 3, 4])
    assert spearman(x, x**3) == pytest.approx(1)
    assert spearman(x, -x) == pytest.approx(-1)
    assert spearman(x, np.array([1.0, 2, 4, 3])) == pytest.approx(0.8)


def test_pca_equals_sklearn_up_to_signs():
    E = make_E()
    want = sklearn.decomposition.PCA(3).fit_transform(E)
    got = pca(E, 3)
    np.testing.assert_allclose(np.abs(got), np.abs(want), 1e-9)
    np.testing.assert_allclose(got.T @ got, want.T @ want, atol=1e-9)


def one_way(offsets):
    """Mean resultant length: 1 if all point one way, 0 if all ways."""
    return np.linalg.norm(unit(offsets).mean(axis=0))


@pytest.mark.parametrize("seed", range(3))
def test_pca_keeps_equal_offsets_equal_and_tsne_does_not(seed):
    rng = np.random.default_rng(seed)
    words = rng.normal(size=(40, 50))
    E = np.concatenate([words, words + rng.normal(size=50)])
    flat = pca(E, 2)
    assert one_way(flat[40:] - flat[:40]) > 0.999999
    tsne = sklearn.manifold.TSNE(perplexity=5, random_state=seed)
    flat = tsne.fit_transform(E)
    assert one_way(flat[40:] - flat[:40]) < 0.6


def test_bias_direction_is_the_first_axis_of_the_paired_covariance():
    E = unit(make_E())
    she, he = E[:6], E[6:]
    middle = (she + he) / 2  # as Bolukbasi et al.: a set of words is a pair
    sides = np.concatenate([she - middle, he - middle])
    want = np.linalg.eigh(sides.T @ sides)[1][:, -1]
    got = bias_direction(make_E()[:6], make_E()[6:])
    assert abs(got @ want) > 1 - 1e-12
    assert np.sum((she - he) @ got) > 0  # from B towards A
    np.testing.assert_allclose(bias_direction(he, she), -got, 1e-9)


def test_bias_direction_finds_a_planted_one_and_neutralising_removes_it():
    rng = np.random.default_rng(0)
    g = unit(rng.normal(size=20))
    words = rng.normal(size=(30, 20))
    words -= np.outer(words @ g, g)
    she, he = unit(words + 2 * g), unit(words - 2 * g)
    got = bias_direction(she, he)
    np.testing.assert_allclose(got, g, atol=1e-12)
    assert (cosine(she, got) > 0.2).all() and (cosine(he, got) < -0.2).all()
    projector = np.eye(20) - np.outer(g, g)
    bare = neutralise(she, 3 * got)  # its length does not matter
    np.testing.assert_allclose(bare, she @ projector, atol=1e-12)
    np.testing.assert_allclose(cosine(bare, got), 0, atol=1e-12)
    np.testing.assert_allclose(bare, neutralise(he, got), atol=1e-12)


def test_float32_in_gives_float32_out():
    E = make_E().astype(np.float32)
    found = [
        unit(E),
        cosine(E, E[0]),
        three_cos_add(E, A, B, C),
        three_cos_mul(E, A, B, C),
        ranks(E[:, 0]),
        pca(E, 2),
        bias_direction(E[:6], E[6:]),
        neutralise(E, E[0]),
    ]
    assert {a.dtype for a in found} == {np.dtype(np.float32)}


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    E = make_E()
    flat, x = np.ones(4), np.arange(4.0)
    zero = np.where(np.arange(V)[:, None] == 3, 0, E)
    bad = [
        (lambda: unit(zero), "needs a direction, got one of only zeros"),
        (lambda: cosine(E, np.zeros(D)), "got one of only zeros"),
        (lambda: three_cos_mul(zero, A, B, C), "got one of only zeros"),
        (lambda: unit(E.astype(int)), "E .*float.*int64"),
        (lambda: unit(E[None]), "E .*got"),
        (lambda: nearest(E[0], 0), "k .*at least 1, got 0"),
        (lambda: nearest(E, 1, [[V]] * V), "exclude .*to 4 .*got 12 to 12"),
        (lambda: nearest(E, 1, [[-1]] * V), "exclude .*from 0 .*got -1 to"),
        (lambda: nearest(E, 1, [0]), r"exclude .*\(12, N\), got \(1,\)"),
        (lambda: three_cos_add(E, -A - 1, B, C), "a .*from 0 to 11 .*got -"),
        (lambda: three_cos_mul(E, A, B + V, C), "b .*from 0 to 11 .*got 1"),
        (lambda: three_cos_mul(E, A, B, C / 2), "c .*integers.*float64"),
        (lambda: ranks(E), r"x .*\(N,\), got \(12, 5\)"),
        (lambda: spearman(x, x[1:]), r"y .*\(4,\), got \(3,\)"),
        (lambda: spearman(x, flat), "must vary, got one that has a single"),
        (lambda: spearman(flat, x), "must vary, got one that has a single"),
        (lambda: pca(E[0], 1), r"E .*\(V, D\), got \(5,\)"),
        (lambda: bias_direction(E[:6], E[7:]), r"B .*\(6, 5\), got \(5, 5\)"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


# One call of each function, and other values where a machine finds none.
CALLS = {
    unit: lambda: {"E": make_E()},
    cosine: lambda: {"A": make_E(), "B": make_E(1)},
    nearest: lambda: {"scores": make_E(), "k": 3, "exclude": [[0, 1]] * V},
    three_cos_add: lambda: {"E": make_E(), "a": A, "b": B, "c": C},
    three_cos_mul: lambda: {
        "E": make_E(),
        "a": A,
        "b": B,
        "c": C,
        "eps": 0.01,
    },
    ranks: lambda: {"x": make_E()[:, 0]},
    spearman: lambda: {"x": make_E()[:, 0], "y": make_E()[:, 1]},
    pca: lambda: {"E": make_E(), "k": 2},
    bias_direction: lambda: {"A": make_E()[:6], "B": make_E()[6:]},
    neutralise: lambda: {"E": make_E(), "direction": make_E(1)[0]},
}
OTHER = {  # a jitter need not change an order
    (nearest, "scores"): lambda: make_E(1),
    (nearest, "exclude"): lambda: [[2, 3]] * V,
    (ranks, "x"): lambda: make_E(1)[:, 0],
    (spearman, "x"): lambda: make_E(2)[:, 0],
    (spearman, "y"): lambda: make_E(2)[:, 1],
}
