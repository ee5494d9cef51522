"""The study of readouts behind docs/en/rnn.md."""

import numpy as np
import pytest

from bookproof.run.records import runs, select
from figures_src.rnn import readout_study
from figures_src.studies import readout as study
from figures_src.studies.unroll import WORDS, late, reviews
from seqbook.functional import mean_cross_entropy
from seqbook.gradcheck import numerical_grad
from seqbook.params import arrays_of


def make_case(start="default", learned=False):
    rng = np.random.default_rng(0)
    p = study.init(rng, start, learned)
    return p, *reviews(rng, 3, late(1))


@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("readout", study.READOUTS)
def test_gradient_matches_central_differences(monkeypatch, readout, learned):
    monkeypatch.setattr(study, "H", 4)
    p, ids, praise = make_case(learned=learned)

    def loss():
        return mean_cross_entropy(study.forward(p, ids, readout)[0], praise)

    grads = arrays_of(study.gradient(p, ids, praise, readout))
    arrays = arrays_of(p)
    assert len(grads) == len(arrays) == 5 + learned
    for got, array in zip(grads, arrays, strict=True):
        want = numerical_grad(loss, array)  # h_0's is tiny: far from the loss
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("readout", study.READOUTS)
def test_what_is_cut_stays_cut(monkeypatch, readout):
    monkeypatch.setattr(study, "LIMIT", 10)
    p, ids, praise = make_case("cut")
    assert not p[0].W_hh.any()
    assert not study.gradient(p, ids, praise, readout)[0].W_hh.any()


def test_without_memory_only_the_maximum_hears_of_both_words():
    p, ids, _ = make_case("cut")
    other = ids.copy()
    other[1] = [WORDS.index(w) for w in ("novel", "car", "train")]
    last, other_last = (study.forward(p, i, "last")[0] for i in (ids, other))
    np.testing.assert_array_equal(last, other_last)
    # In a mean, one word moves the logits by the same whatever the other is.
    verdict = ids.copy()
    verdict[-1] = WORDS.index("predictable")
    ids[-1] = WORDS.index("unpredictable")
    moved = []
    for base in ids, verdict:
        swapped = base.copy()
        swapped[1] = WORDS.index("car")
        base[1] = WORDS.index("novel")
        a, b = (study.forward(p, i, "mean")[0] for i in (base, swapped))
        moved.append(b - a)
    np.testing.assert_allclose(*moved, atol=1e-12)


def test_record_holds_every_row_and_seed():
    for task in study.TASKS:
        rows = readout_study.rows(task)
        assert len(rows) == 3 * 3 + 2
        for found in rows.values():
            assert [run["seed"] for run in found] == study.SEEDS
            for run in found:
                assert run["solved"] == (run["accuracy"] >= study.GOAL)
                assert run["solved"] or run["iterations"] == study.LIMIT


def test_rows_with_a_learned_h_0_are_named_apart():
    learned = runs("readout", task="late", learned=True)
    rows = readout_study.rows("late")
    for start in "default", "orthogonal":
        want = select(learned, readout="last", start=start)
        assert rows[f"last, {start}, h_0 learned"] == want
