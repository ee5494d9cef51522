import math
from functools import partial
from itertools import zip_longest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import corpus_bleu as nltk_corpus_bleu
from sacrebleu.metrics import BLEU

from seqbook.bleu import (
    corpus_bleu,
    sentence_bleu,
    smooth_add_k,
    smooth_floor,
    smooth_none,
)

# A hypothesis and its references: the nearest length is tied in the first.
CORPUS = [
    ("the cat sat on a mat", ["the cat sat on the mat .", "a cat sat down ,"]),
    ("the the the the", ["the dog is here", "it is the the dog again"]),
    ("no more of this", ["so it goes on"]),
    ("is it a dog", ["is it a dog or is it not a dog"]),
]
SMOOTHINGS = {  # sacrebleu's names and values
    ("none", None): smooth_none,
    ("floor", None): smooth_floor,
    ("floor", 0.01): partial(smooth_floor, floor=0.01),
    ("add-k", None): smooth_add_k,
    ("add-k", 0.5): partial(smooth_add_k, k=0.5),
}
every_smoothing = pytest.mark.parametrize(
    "name", SMOOTHINGS, ids=lambda name: f"{name[0]}-{name[1]}"
)


def tokens_of(corpus):
    hypotheses = [text.split() for text, _ in corpus]
    references = [[r.split() for r in texts] for _, texts in corpus]
    return hypotheses, references


def sacrebleu_value(corpus, name, N, effective=False):
    method, value = name
    metric = BLEU(
        tokenize="none",
        smooth_method=method,
        smooth_value=value,
        max_ngram_order=N,
        effective_order=effective,
        force=True,
    )
    texts, references = zip(*corpus, strict=True)
    streams = [list(s) for s in zip_longest(*references)]  # None: no more
    return metric.corpus_score(list(texts), streams).score / 100


@every_smoothing
@pytest.mark.parametrize("N", [1, 2, 3, 4])
def test_corpus_bleu_equals_sacrebleu(name, N):
    got = corpus_bleu(*tokens_of(CORPUS), N, SMOOTHINGS[name])
    want = sacrebleu_value(CORPUS, name, N)
    assert want > 0.1
    assert got == pytest.approx(want, rel=1e-12)


def test_corpus_bleu_equals_nltk_where_nothing_is_smoothed():
    hypotheses, references = tokens_of(CORPUS)
    for N in 1, 2, 3, 4:
        want = nltk_corpus_bleu(references, hypotheses, [1 / N] * N)
        got = corpus_bleu(hypotheses, references, N)
        assert got == pytest.approx(want, rel=1e-12)


@every_smoothing
@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.data())
def test_bleu_of_any_corpus_equals_sacrebleu(name, data):
    text = st.lists(st.sampled_from("abc"), min_size=1, max_size=6)
    pair = st.tuples(text, st.lists(text, min_size=1, max_size=3))
    pairs = data.draw(st.lists(pair, min_size=1, max_size=4))
    corpus = [(" ".join(h), [" ".join(r) for r in rs]) for h, rs in pairs]
    got = corpus_bleu(*tokens_of(corpus), smooth=SMOOTHINGS[name])
    assert got == pytest.approx(sacrebleu_value(corpus, name, 4), abs=1e-12)
    hypothesis, references = pairs[0]
    got = sentence_bleu(hypothesis, references, smooth=SMOOTHINGS[name])
    assert 0 <= got <= 1
    if name[0] != "add-k" or len(hypothesis) >= 4:
        want = sacrebleu_value(corpus[:1], name, 4, effective=True)
        assert got == pytest.approx(want, abs=1e-12)


@every_smoothing
def test_sentences_with_nothing_in_common_score_zero(name):
    smooth = SMOOTHINGS[name]
    assert sentence_bleu(["yes"], [["no"]], smooth=smooth) == 0
    assert corpus_bleu([["yes"]], [[["no"]]], smooth=smooth) == 0
    assert sentence_bleu([], [["no"]], smooth=smooth) == 0


@every_smoothing
def test_identical_short_sentences_score_one_with_truncated_orders(name):
    pair = ["left", "right"]
    assert sentence_bleu(pair, [pair], smooth=SMOOTHINGS[name]) == 1


def test_identical_short_sentences_score_zero_as_a_corpus():
    pair = ["left", "right"]  # without a single trigram
    assert corpus_bleu([pair], [[pair]]) == 0
    assert corpus_bleu([pair], [[pair]], smooth=smooth_floor) == 0
    assert corpus_bleu([pair], [[pair]], smooth=smooth_add_k) == 1
    assert corpus_bleu([pair], [[pair]], N=2) == 1


@pytest.mark.parametrize("N", [2, 4])
def test_half_a_reference_costs_only_the_brevity_penalty(N):
    got = sentence_bleu("il est".split(), ["il est calme .".split()], N)
    assert got == pytest.approx(math.exp(-1), rel=1e-15)  # 0.3679


def test_add_k_does_not_reward_orders_that_a_sentence_lacks():
    pair = "a b", ["a c"]
    got = sentence_bleu(
        pair[0].split(), [pair[1][0].split()], smooth=smooth_add_k
    )
    assert got == pytest.approx(math.sqrt(1 / 2 * 1 / 2))
    theirs = sacrebleu_value([pair], ("add-k", None), 4, effective=True)
    assert theirs == pytest.approx((1 / 2 * 1 / 2 * 1 * 1) ** (1 / 4))


def test_bleu_by_hand():
    # matches 5 of 6, 3 of 5, 2 of 4; no 4-gram of 3; 6 tokens against 7
    tokens = "the cat sat on a mat".split()
    targets = ["the cat sat on the mat .".split()]
    assert corpus_bleu([tokens], [targets], N=3) == pytest.approx(
        math.exp(1 - 7 / 6) * (5 / 6 * 3 / 5 * 2 / 4) ** (1 / 3), rel=1e-15
    )
    assert corpus_bleu([tokens], [targets]) == pytest.approx(
        math.exp(1 - 7 / 6) * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4)
    )


def test_a_repeated_word_matches_as_often_as_in_one_reference():
    the = ["the"] * 7
    targets = ["the cat is on the mat".split(), "there is the".split()]
    assert corpus_bleu([the], [targets], N=1) == pytest.approx(2 / 7)


def test_of_two_reference_lengths_equally_near_the_shorter_counts():
    tokens = ["a"] * 3
    assert corpus_bleu([tokens], [[["a"] * 4, ["a"] * 2]], N=1) == 1
    longer = corpus_bleu([tokens], [[["a"] * 4, ["a"] * 1]], N=1)
    assert longer == pytest.approx(math.exp(1 - 4 / 3))


def test_a_corpus_is_not_the_mean_of_its_sentences():
    hypotheses, references = tokens_of(CORPUS)
    pairs = zip(hypotheses, references, strict=True)
    alone = [sentence_bleu(h, r, 1) for h, r in pairs]
    assert np.mean(alone) < corpus_bleu(hypotheses, references, 1) - 0.05


def test_float32_counts_give_float32_precisions():
    correct, total = np.float32([5, 2, 0]), np.float32([6, 5, 4])
    for smooth in smooth_none, smooth_floor, smooth_add_k:
        assert smooth(correct, total).dtype == np.float32


def test_tokens_may_be_ids():
    hypotheses, references = tokens_of(CORPUS)
    ids = {w: i for i, w in enumerate({w for h in hypotheses for w in h})}

    def number(tokens):
        return [ids.setdefault(w, len(ids)) for w in tokens]

    got = corpus_bleu(
        [number(h) for h in hypotheses],
        [[number(r) for r in rs] for rs in references],
    )
    assert got == corpus_bleu(hypotheses, references)


def test_errors_name_what_is_wrong():
    bad = [
        (lambda: sentence_bleu("yes", [["yes"]]), "list.*string 'yes'"),
        (lambda: sentence_bleu(["yes"], ["yes"]), "list.*string 'yes'"),
        (lambda: corpus_bleu([["a"]], []), "1 hypotheses and 0 lists"),
        (lambda: corpus_bleu([["a"]], [[]]), "needs its references"),
        (lambda: corpus_bleu([["a"]], [[["a"]]], N=0), "N must.*got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


COUNTS = {
    "correct": np.array([5.0, 2.0, 0.0]),
    "total": np.array([6.0, 5.0, 4.0]),
}
TOKENS, TARGETS = tokens_of(CORPUS)

CALLS = {
    smooth_none: lambda: {**COUNTS},
    smooth_floor: lambda: {**COUNTS, "floor": 0.2},
    smooth_add_k: lambda: {**COUNTS, "k": 0.5},
    corpus_bleu: lambda: {
        "hypotheses": TOKENS,
        "references": TARGETS,
        "N": 3,
        "smooth": smooth_add_k,
    },
    sentence_bleu: lambda: {
        "tokens": TOKENS[0],
        "targets": TARGETS[0],
        "N": 3,
        "smooth": smooth_add_k,
    },
}
OTHER = {
    (corpus_bleu, "hypotheses"): lambda: [["the"], *TOKENS[1:]],
    (corpus_bleu, "references"): lambda: TARGETS[::-1],
    (corpus_bleu, "smooth"): lambda: smooth_none,
    (sentence_bleu, "tokens"): lambda: TOKENS[0][::-1],
    (sentence_bleu, "targets"): lambda: TARGETS[0][:1],
    (sentence_bleu, "smooth"): lambda: smooth_none,
}
