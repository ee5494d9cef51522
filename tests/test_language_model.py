import itertools
import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.lm import MLE, KneserNeyInterpolated
from nltk.lm.preprocessing import padded_everygram_pipeline
from nltk.lm.smoothing import KneserNey

from seqbook.functional import linear, mean_cross_entropy
from seqbook.language_model import (
    BEGIN,
    bits_per_unit,
    count_ngrams,
    jelinek_mercer_probs,
    kneser_ney_probs,
    mle_probs,
    ngram_nats,
    perplexity,
)
from seqbook.rnn import init_rnn, rnn_forward
from seqbook.stack import bidirectional

V, END = 5, 4  # id 3 is never seen
TEXTS = [[0, 1, 2, 0, 1], [1, 2, 0], [2, 2], [], [0, 1, 1]]
orders = pytest.mark.parametrize("n", [1, 2, 3, 4])
kneser_ney = partial(kneser_ney_probs, discount=0.6)
jelinek_mercer = partial(jelinek_mercer_probs, weight=0.7)
all_probs = pytest.mark.parametrize(
    "probs", [mle_probs, jelinek_mercer, kneser_ney], ids=["mle", "jm", "kn"]
)


def all_contexts(n):
    """Every context of up to n - 1 symbols, most of them never seen."""
    symbols = [BEGIN, *range(V)]
    for k in range(n):
        yield from map(list, itertools.product(symbols, repeat=k))


def windows(length):
    """Every stretch of TEXTS, padded for 4-grams, that ends in an id."""
    for text in TEXTS:
        ids = [BEGIN] * 3 + text + [END]
        for t in range(3, len(ids)):
            yield tuple(ids[t + 1 - length : t + 1])


def nltk_grams(n):
    """The n-grams and shorter of TEXTS as nltk wants them, as strings.

    Without those that end in a begin symbol: nobody predicts that.
    """
    for text in TEXTS:
        ids = [str(i) for i in [BEGIN] * (n - 1) + text + [END]]
        yield [
            tuple(ids[t - k : t + 1])
            for t in range(n - 1, len(ids))
            for k in range(n)
        ]


def nltk_model(model, n):
    model.fit(nltk_grams(n), [str(i) for i in range(V)])
    return model


def nltk_probs(model, context):
    context = [str(i) for i in context]
    return [model.score(str(i), context) for i in range(V)]


def test_counts_of_a_corpus_counted_by_hand():
    lm = count_ngrams([[0, 1, 1], [1]], n=2, V=3, end=2)
    assert lm.counts == {
        (): {0: 1, 1: 3, 2: 2},
        (BEGIN,): {0: 1, 1: 1},
        (0,): {1: 1},
        (1,): {1: 1, 2: 2},
    }
    # 1 came after three different symbols, 0 and the end after one each
    assert lm.continuations == {(): {0: 1, 1: 3, 2: 1}}


def test_probabilities_worked_by_hand():
    lm = count_ngrams([[0, 1, 1], [1]], n=2, V=3, end=2)
    np.testing.assert_allclose(mle_probs(lm, [1]), [0, 1 / 3, 2 / 3])
    one = 0.5 * np.array([1, 3, 2]) / 6 + 0.5 / 3
    want = 0.5 * np.array([0, 1, 2]) / 3 + 0.5 * one
    np.testing.assert_allclose(jelinek_mercer_probs(lm, [1], 0.5), want)
    # unigrams: three ids give up .5 of 5; bigrams: two ids give up .5 of 3
    one = (np.array([0.5, 2.5, 0.5]) + 1.5 / 3) / 5
    want = (np.array([0, 0.5, 1.5]) + 1.0 * one) / 3
    np.testing.assert_allclose(kneser_ney_probs(lm, [1], 0.5), want)


@orders
def test_mle_equals_nltk_after_every_context_that_was_seen(n):
    lm = count_ngrams(TEXTS, n, V, END)
    theirs = nltk_model(MLE(n), n)
    for context in lm.counts:
        if len(context) == n - 1:
            got = mle_probs(lm, context)
            np.testing.assert_allclose(got, nltk_probs(theirs, context))


@orders
def test_mle_of_an_unseen_context_is_that_of_its_longest_seen_end(n):
    lm = count_ngrams(TEXTS, n, V, END)
    got = mle_probs(lm, [3] * n)
    seen = [i for (i,) in windows(1)]
    want = [seen.count(i) / len(seen) for i in range(V)]
    np.testing.assert_allclose(got, want)


@orders
def test_jelinek_mercer_equals_its_recursion_over_the_raw_text(n):
    lm = count_ngrams(TEXTS, n, V, END)

    def by_hand(i, context):
        shorter = by_hand(i, context[1:]) if context else 1 / V
        heads = [w[:-1] for w in windows(len(context) + 1)]
        if context not in heads:
            return shorter
        times = [*windows(len(context) + 1)].count((*context, i))
        return 0.7 * times / heads.count(context) + 0.3 * shorter

    for context in all_contexts(min(n, 3)):
        whole = ([BEGIN] * n + context)[len(context) + 1 :]
        want = [by_hand(i, tuple(whole)) for i in range(V)]
        np.testing.assert_allclose(jelinek_mercer(lm, context), want)


class ChenGoodman(KneserNey):
    """nltk's, ended by the uniform distribution and not by raw shares."""

    def unigram_score(self, word):
        seen, total = self._continuation_counts(word)
        kinds = sum(self._continuation_counts(str(i))[0] > 0 for i in range(V))
        taken = self.discount * (seen > 0)
        return (seen - taken + self.discount * kinds / V) / total


@pytest.mark.parametrize("n", [2, 3, 4])  # nltk has no unigram model
def test_kneser_ney_equals_nltk_ended_by_the_uniform_distribution(n):
    lm = count_ngrams(TEXTS, n, V, END)
    theirs = nltk_model(KneserNeyInterpolated(n, discount=0.6), n)
    theirs.estimator = ChenGoodman(
        theirs.vocab, theirs.counts, discount=0.6, order=n
    )
    for context in all_contexts(min(n, 3)):
        whole = ([BEGIN] * n + context)[len(context) + 1 :]
        got = kneser_ney(lm, context)
        np.testing.assert_allclose(got, nltk_probs(theirs, whole))


@orders
def test_kneser_ney_equals_its_definition_over_sets_of_ngrams(n):
    lm = count_ngrams(TEXTS, n, V, END)

    def by_hand(i, context):
        k = len(context) + 1
        grams = [*windows(k)] if k == n else [w[1:] for w in {*windows(k + 1)}]
        after = [g for g in grams if g[:-1] == context]
        shorter = by_hand(i, context[1:]) if context else 1 / V
        if not after:
            return shorter
        own = max(after.count((*context, i)) - 0.6, 0)
        return (own + 0.6 * len({*after}) * shorter) / len(after)

    for context in all_contexts(min(n, 3)):
        whole = ([BEGIN] * n + context)[len(context) + 1 :]
        want = [by_hand(i, tuple(whole)) for i in range(V)]
        np.testing.assert_allclose(kneser_ney(lm, context), want)


def test_nltk_gives_the_start_of_a_text_more_than_its_mass():
    texts = [[str(i) for i in text] for text in TEXTS]
    grams, symbols = padded_everygram_pipeline(3, texts)
    theirs = KneserNeyInterpolated(3, discount=0.6)
    theirs.fit(grams, symbols)

    def mass(*context):
        return sum(theirs.score(word, context) for word in theirs.vocab)

    assert mass("0", "1") == pytest.approx(1)
    assert mass("<s>", "<s>") > 1.05
    assert theirs.score("3", ("0", "1")) == 0  # ours is above, and finite
    assert kneser_ney(count_ngrams(TEXTS, 3, V, END), [0, 1])[3] > 0


@orders
@all_probs
def test_mass_is_one_after_every_context(n, probs):
    lm = count_ngrams(TEXTS, n, V, END)
    for context in all_contexts(n):
        p = probs(lm, context)
        assert p.shape == (V,) and (p >= 0).all()
        assert abs(p.sum() - 1) < 1e-12


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_any_corpus_gives_distributions_without_zeros(data):
    V = data.draw(st.integers(1, 6))
    id_ = st.integers(0, V - 1)
    texts = data.draw(st.lists(st.lists(id_, max_size=7), min_size=1))
    lm = count_ngrams(texts, data.draw(st.integers(1, 5)), V, data.draw(id_))
    context = data.draw(st.lists(id_, max_size=9))
    for probs in jelinek_mercer, kneser_ney:
        p = probs(lm, context)
        assert (p > 0).all() and abs(p.sum() - 1) < 1e-12
        np.testing.assert_array_equal(p, probs(lm, tuple(context)))
    nats, _ = ngram_nats(lm, kneser_ney, texts)
    assert np.isfinite(nats).all()


@orders
def test_limits_of_the_smoothing(n):
    lm = count_ngrams(TEXTS, n, V, END)
    for context in all_contexts(n):
        flat = jelinek_mercer_probs(lm, context, weight=0)
        np.testing.assert_allclose(flat, 1 / V)
        sharp = jelinek_mercer_probs(lm, context, weight=1)
        np.testing.assert_allclose(sharp, mle_probs(lm, context))
    lowest = kneser_ney_probs(lm, [], discount=0)
    np.testing.assert_allclose(lowest, mle_probs(lm, []))


def test_kneser_ney_asks_how_many_symbols_an_id_follows():
    # 1 came five times, but only after 0; 2 three times, each after another
    lm = count_ngrams([[0, 1]] * 5 + [[0, 2], [2], [3, 2]], 2, V, END)
    unseen = [END]
    assert np.argmax(jelinek_mercer(lm, unseen)[1:3]) == 0
    assert np.argmax(kneser_ney(lm, unseen)[1:3]) == 1


def test_only_the_last_symbols_of_a_context_are_read():
    lm = count_ngrams(TEXTS, 3, V, END)
    want = kneser_ney(lm, [1, 2])
    assert kneser_ney(lm, [0, 3, 3, 1, 2]).tolist() == want.tolist()
    assert kneser_ney(lm, np.array([3, 1, 2])).tolist() == want.tolist()
    assert kneser_ney(lm, []).tolist() == kneser_ney(lm, [BEGIN] * 2).tolist()


def test_texts_of_all_lengths_hold_all_the_mass():
    # three words and P(end) = .3: texts of up to T words hold 1 - .7**(T + 1)
    lm = count_ngrams([[0, 0, 0], [1, 1], [2, 2]], n=1, V=4, end=3)
    assert mle_probs(lm, [])[3] == pytest.approx(0.3)
    texts = [
        t for T in range(6) for t in itertools.product(range(3), repeat=T)
    ]
    nats, _ = ngram_nats(lm, mle_probs, texts)
    assert np.exp(-nats).sum() == pytest.approx(1 - 0.7**6)
    assert 1 - 0.7**13 == pytest.approx(0.990, abs=5e-4)
    assert 1 - 0.7**41 > 0.999999


@all_probs
def test_texts_scored_alone_cost_what_they_cost_together(probs):
    lm = count_ngrams(TEXTS, 3, V, END)
    nats, tokens = ngram_nats(lm, probs, TEXTS)
    assert tokens.tolist() == [6, 4, 3, 1, 4]  # each text and its end
    for b, text in enumerate(TEXTS):
        alone, one = ngram_nats(lm, probs, [text])
        assert (alone.item(), one.item()) == (nats[b], tokens[b])


@orders
@all_probs
def test_a_text_costs_each_of_its_ids_after_all_that_came_before(probs, n):
    lm = count_ngrams(TEXTS, n, V, END)
    for text in TEXTS:
        ids = [*text, END]
        p = [probs(lm, ids[:t])[i] for t, i in enumerate(ids)]
        nats, tokens = ngram_nats(lm, probs, [text])
        assert nats.item() == pytest.approx(-np.log(p).sum(), rel=1e-12)
        assert tokens.tolist() == [len(ids)] and tokens.dtype.kind == "i"


def test_a_batch_scored_alone_costs_what_it_costs_padded():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(6, 3, V))
    targets = rng.integers(V, size=(6, 3))
    lengths = np.array([6, 1, 4])
    mask = np.arange(6)[:, None] < lengths
    whole = mean_cross_entropy(logits, targets, mask) * lengths.sum()
    alone = [
        n * mean_cross_entropy(logits[:n, b], targets[:n, b])
        for b, n in enumerate(lengths)
    ]
    assert perplexity(alone, lengths) == pytest.approx(
        perplexity(whole, lengths.sum()), rel=1e-14
    )


def test_what_cannot_happen_costs_infinitely_many_nats():
    lm = count_ngrams(TEXTS, 2, V, END)
    nats, tokens = ngram_nats(lm, mle_probs, [[3], [1, 2]])
    assert nats[0] == math.inf and math.isfinite(nats[1])
    assert perplexity(nats, tokens) == math.inf


def test_an_ngram_does_not_look_ahead():
    lm = count_ngrams(TEXTS, 3, V, END)
    first = ngram_nats(lm, kneser_ney, [[0, 1, 2, 0, 1]])[0]
    other = ngram_nats(lm, kneser_ney, [[0, 1, 2, 0, 2]])[0]
    both = [
        [-math.log(kneser_ney(lm, ids[:t])[ids[t]]) for t in range(4)]
        for ids in ([0, 1, 2, 0, 1], [0, 1, 2, 0, 2])
    ]
    assert both[0] == both[1] and first != other


def test_a_causal_net_does_not_look_ahead_and_a_bidirectional_one_does():
    rng = np.random.default_rng(0)
    nets = [init_rnn(rng, V, 6) for _ in range(2)]
    W, b = rng.normal(size=(V, 12)), rng.normal(size=V)
    x = np.eye(V)[rng.integers(V, size=(8, 1))]  # (T, 1, V) one-hot
    changed = x.copy()
    changed[4] = np.roll(x[4], 1)  # the fifth token

    def reads(p):
        return lambda x, lengths: rnn_forward(p, x, np.zeros((1, 6)))[0]

    right, left = map(reads, nets)
    causal = [linear(W[:, :6], b, right(a, None)) for a in (x, changed)]
    assert np.array_equal(causal[0][:4], causal[1][:4])
    both = [linear(W, b, bidirectional(right, left, a)) for a in (x, changed)]
    assert np.abs(both[0] - both[1])[:4].max() > 0.01


def test_perplexity_is_the_geometric_mean_of_one_over_p():
    p = np.array([0.2, 0.1, 0.4, 0.25])
    nats = -np.log(p).sum()
    assert perplexity(nats, 4) == pytest.approx(4.729, abs=5e-4)
    assert perplexity(nats, 4) == pytest.approx(np.prod(1 / p) ** (1 / 4))
    assert bits_per_unit(nats, 4) == pytest.approx(2.241, abs=5e-4)
    assert 2 ** bits_per_unit(nats, 4) == pytest.approx(perplexity(nats, 4))


def test_perplexity_of_a_uniform_model_is_the_size_of_its_vocabulary():
    flat = partial(jelinek_mercer_probs, weight=0)
    lm = count_ngrams(TEXTS, 2, V, END)
    assert perplexity(*ngram_nats(lm, flat, TEXTS)) == pytest.approx(V)


def test_batches_are_added_up_before_they_are_divided():
    nats, tokens = np.array([100 * 2.0, 10 * 5.0]), np.array([100, 10])
    assert perplexity(nats, tokens) == pytest.approx(9.706, abs=5e-4)
    assert np.exp(np.mean(nats / tokens)) == pytest.approx(33.12, abs=5e-3)
    assert np.mean(np.exp(nats / tokens)) == pytest.approx(77.90, abs=5e-3)


def test_bits_per_character_do_not_depend_on_how_a_text_is_cut():
    nats = 12 * math.log(2)  # of a text of 6 characters, as 3 or 2 tokens
    assert perplexity(nats, 3) != pytest.approx(perplexity(nats, 2))
    assert bits_per_unit(nats, 6) == pytest.approx(2)


def test_perplexity_beyond_the_largest_float_is_inf_without_a_warning():
    assert perplexity(1000.0, 1) == math.inf


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    lm = count_ngrams(TEXTS, 2, V, END)
    bad = [
        (lambda: count_ngrams([], 2, V, END), "one text, got none"),
        (lambda: count_ngrams(TEXTS, 0, V, END), "n must.*got 0"),
        (lambda: count_ngrams(TEXTS, 2, 0, END), "V must.*got 0"),
        (
            lambda: count_ngrams(TEXTS, 2, 2, 1),
            "ids must.*0 to 1 .*got 0 to 2",
        ),
        (
            lambda: count_ngrams(TEXTS, 2, V, V),
            "ids must.*0 to 4 .*got 0 to 5",
        ),
        (lambda: count_ngrams(["ab"], 2, V, END), "ids must.*got .*of <U"),
        (lambda: count_ngrams([[-1]], 2, V, END), "ids must.*got -1 to 4"),
        (
            lambda: ngram_nats(lm, mle_probs, [[V]]),
            "ids must.*0 to 4 .*got 4 to 5",
        ),
        (lambda: kneser_ney_probs(lm, [], 1.5), "discount.*0 to 1, got 1.5"),
        (lambda: jelinek_mercer_probs(lm, [], -1), "weight.*0 to 1, got -1"),
        (lambda: perplexity([], []), r"something to count, got \[\]"),
        (lambda: bits_per_unit(1.0, 0), "something to count, got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


LM = count_ngrams(TEXTS, 3, V, END)
NATS = {"nats": np.array([3.0, 5.0])}

CALLS = {
    count_ngrams: lambda: {"texts": TEXTS, "n": 2, "V": V + 1, "end": END},
    mle_probs: lambda: {"lm": LM, "context": [0, 1]},
    jelinek_mercer_probs: lambda: {
        "lm": LM,
        "context": [0, 1],
        "weight": 0.7,
    },
    kneser_ney_probs: lambda: {"lm": LM, "context": [0, 1], "discount": 0.6},
    ngram_nats: lambda: {"lm": LM, "probs": kneser_ney, "texts": TEXTS},
    perplexity: lambda: {**NATS, "tokens": np.array([4, 9])},
    bits_per_unit: lambda: {**NATS, "units": np.array([4, 9])},
}
OTHER = {
    **{
        (function, "lm"): lambda: count_ngrams(TEXTS[:2], 3, V, END)
        for function in (
            mle_probs,
            jelinek_mercer_probs,
            kneser_ney_probs,
            ngram_nats,
        )
    },
    (count_ngrams, "texts"): lambda: TEXTS[:2],
    (ngram_nats, "probs"): lambda: jelinek_mercer,
    (ngram_nats, "texts"): lambda: [text[::-1] for text in TEXTS],
    (perplexity, "tokens"): lambda: np.array([4, 8]),
    (bits_per_unit, "units"): lambda: np.array([4, 8]),
}
