"""The trained readers behind docs/en/rnn.md and its lab, and their study."""

from dataclasses import fields

import numpy as np
import pytest

from bookproof.run.records import runs
from figures_src.rnn import unroll as figure
from figures_src.studies import unroll
from seqbook.functional import linear, mean_cross_entropy, sigmoid
from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.params import arrays_of
from seqbook.rnn import RNNParams, rnn_step


def loss(reader, ids, praise):
    _, logit, _ = unroll.read(reader, ids)
    return mean_cross_entropy(np.stack([0 * logit, logit], 1), praise)


def test_gradient_matches_central_differences():
    rng = np.random.default_rng(0)
    reader = unroll.init_reader(rng, gain=None)
    ids, praise = unroll.reviews(rng, 3, unroll.late(1))
    grads = unroll.gradient(reader, ids, praise)
    for got, array in zip(arrays_of(grads), arrays_of(reader), strict=True):
        want = numerical_grad(lambda: loss(reader, ids, praise), array)
        assert relative_error(got, want) < 1e-7


@pytest.mark.parametrize("clauses", [1, 2, 4])
@pytest.mark.parametrize("build", [unroll.late, unroll.early])
def test_a_review_praises_what_its_words_say(build, clauses):
    rng = np.random.default_rng(1)
    ids, praise = unroll.reviews(rng, 50, build(clauses))
    assert len(ids) == 5 * clauses + 5
    for column, good in zip(ids.T, praise, strict=True):
        text = [unroll.WORDS[i] for i in column]
        story = "thriller" in text or "novel" in text
        assert good == (story == ("unpredictable" in text))
    assert 0 < praise.mean() < 1


def test_the_lab_gets_what_its_contract_says():
    found = figure.results()
    H, V = unroll.H, len(found["words"])
    assert [len(s) for s in found["sentences"]] == [10, 15, 25]
    for group in found["groups"]:
        assert set(group) <= set(found["words"])
    for kind, weights in found["weights"].items():
        W = {name: np.array(rows) for name, rows in weights.items()}
        assert W["W_xh"].shape == (H, V) and W["W_hy"].shape == (1, H)
        cell = RNNParams(*(W[f.name] for f in fields(RNNParams)))
        for sentence, states in zip(
            found["sentences"], found["states"][kind], strict=True
        ):
            h_t = np.zeros((1, H))
            for word, want in zip(sentence, states, strict=True):
                x_t = np.eye(V)[[found["words"].index(word)]]
                h_t, _ = rnn_step(cell, x_t, h_t)
                np.testing.assert_allclose(h_t[0], want, rtol=1e-12)
            if sentence == found["sentences"][found["swap"]["sentence"]]:
                answer = sigmoid(linear(W["W_hy"], W["b_y"], h_t)).item()
                assert abs(answer - found["praise"][kind][0]) < 1e-12


def test_every_swap_stays_in_its_group():
    sentence = figure.SENTENCES[1].split()
    for step, word in figure.SWAPS.values():
        assert any({sentence[step - 1], word} <= {*g} for g in figure.GROUPS)


def test_the_record_is_what_these_weights_do():
    found = runs("unroll", row="trained")
    assert [run["seed"] for run in found] == unroll.SEEDS
    for run, reader in zip(found, figure.readers("trained"), strict=True):
        # the weights were rounded after they were tested
        again = unroll.accuracy(reader, run["seed"])
        assert abs(again - run["accuracy"]) < 0.005


def test_training_begins_at_the_recorded_start(monkeypatch):
    monkeypatch.setattr(unroll, "ITERATIONS", 0)
    first, last = unroll.trained(3)
    assert first is last
    (recorded,) = runs("unroll", row="trained", seed=3)
    got = unroll.as_lists(first)
    for name, want in recorded["start"].items():
        np.testing.assert_allclose(got[name], want, atol=1e-4)
