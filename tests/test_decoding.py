import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.decoding import (
    Hypothesis,
    ancestral_sample,
    beam_search,
    gnmt_coverage_penalty,
    gnmt_length_penalty,
    greedy,
    length_power,
)
from seqbook.functional import linear, log_softmax, softmax
from seqbook.gru import gru_step, init_gru
from seqbook.language_model import BEGIN, count_ngrams, kneser_ney_probs
from seqbook.sampling import temperature_logits, top_k_logits

V, H, S = 4, 5, 3  # ids, hidden units, source positions
BEGIN_ID, END = 3, 0
PENALTIES = {
    "none": lambda L: 1,
    "power": partial(length_power, alpha=0.8),
    "mean": partial(length_power, alpha=1),
    "gnmt": partial(gnmt_length_penalty, alpha=0.9),
    "short": partial(length_power, alpha=-0.5),
}
penalties = pytest.mark.parametrize("name", PENALTIES)
seeds = pytest.mark.parametrize("seed", [0, 5, 6, 7, 16, 18])  # 0: rarely ends


@dataclass
class Memory:
    """A state with everything in it that a state may hold."""

    h: np.ndarray  # (rows, H)
    others: list  # coverage (rows, S), ids so far (rows, 9) from the right


def gru_model(seed, scale=3.0):
    """step, state of one row: a random GRU that attends to S positions."""
    rng = np.random.default_rng(seed)
    p = init_gru(rng, V, H)
    W, b = scale * rng.normal(size=(V, H)), rng.normal(size=V)
    W_s = rng.normal(size=(S, H))

    def step(ids, state):
        coverage, history = state.others
        h, _ = gru_step(p, np.eye(V)[ids], state.h)
        coverage = coverage + softmax(2 * h @ W_s.T)
        history = np.column_stack([history[:, 1:], ids])
        log_probs = log_softmax(linear(W, b, h))
        return log_probs, Memory(h, [coverage, history])

    h_0 = rng.normal(size=(1, H))
    return step, Memory(h_0, [np.zeros((1, S)), np.full((1, 9), -1)])


def every_sequence(step, state, max_length):
    """(ids, log_p, coverage) of all that end within max_length or do not.

    Walked one hypothesis at a time, without a batch or a search.
    """

    def walk(ids, log_p, state):
        last = np.array(ids[-1:] or [BEGIN_ID])
        log_probs, state = step(last, state)
        for i in range(V):
            longer, total = [*ids, i], log_p + log_probs[0, i]
            if i == END or len(longer) == max_length:
                yield longer, total, state.others[0][0]
            else:
                yield from walk(longer, total, state)

    yield from walk([], 0.0, state)


def ranked(sequences, length_penalty, coverage_penalty):
    """Brute force: all as Hypothesis, those that ended first, best first."""
    found = [
        Hypothesis(
            ids,
            log_p,
            log_p / length_penalty(len(ids)) + coverage_penalty(coverage),
            ids[-1] == END,
        )
        for ids, log_p, coverage in sequences
    ]
    return sorted(found, key=lambda h: (not h.ended, -h.score))


def naive_beam(step, state, K, max_length, length_penalty):
    """Beam search over lists, one row at a time, that never stops early."""
    beam, found = [([BEGIN_ID], 0.0, state)], []
    for L in range(1, max_length + 1):
        longer = []
        for ids, log_p, state in beam:
            log_probs, after = step(np.array(ids[-1:]), state)
            for i in range(V):
                longer.append(([*ids, i], log_p + log_probs[0, i], after))
        beam = sorted(longer, key=lambda item: -item[1])[:K]
        ended = [item for item in beam if item[0][-1] == END]
        found += [
            (log_p / length_penalty(L), ids[1:]) for ids, log_p, _ in ended
        ]
        beam = [item for item in beam if item[0][-1] != END]
    return max(found, default=None)


def table_model(rows):
    """rows: {(): [.5, .4, .1], (0,): ...} by the ids so far -> step, state.

    What stands in no row follows the row of ... (a default).
    """

    def step(ids, prefix):
        prefix = np.column_stack([prefix, ids])
        keys = [tuple(row[1:]) for row in prefix.tolist()]
        p = [rows.get(key, rows[...]) for key in keys]
        with np.errstate(divide="ignore"):
            return np.log(np.array(p, float)), prefix

    return step, np.empty((1, 0), int)


def three_symbols():
    """a = 0, b = 1, end = 2: the likeliest first step is a mistake."""
    return table_model(
        {
            (): [0.5, 0.4, 0.1],
            (0,): [0.4, 0.3, 0.3],
            (0, 0): [0.3, 0.3, 0.4],
            (1,): [0.05, 0.05, 0.9],
            ...: [0.3, 0.3, 0.4],
        }
    )


def assert_same(got, want):
    assert [h.ids for h in got] == [h.ids for h in want]
    assert [h.ended for h in got] == [h.ended for h in want]
    for name in "log_p", "score":
        np.testing.assert_allclose(
            [getattr(h, name) for h in got],
            [getattr(h, name) for h in want],
            rtol=1e-12,
        )


@penalties
@pytest.mark.parametrize("beta", [0, 0.7])
@seeds
def test_a_beam_of_full_width_equals_exhaustive_search(name, beta, seed):
    step, state = gru_model(seed)
    cover = partial(gnmt_coverage_penalty, beta=beta)
    want = ranked(every_sequence(step, state, 5), PENALTIES[name], cover)
    got = beam_search(
        step,
        state,
        BEGIN_ID,
        END,
        K=V**5,
        max_length=5,
        length_penalty=PENALTIES[name],
        coverage_penalty=lambda state: cover(state.others[0]),
    )
    assert_same(got[:1], want[:1])


@seeds
def test_a_search_that_may_not_stop_returns_every_sequence_in_order(seed):
    step, state = gru_model(seed)
    want = ranked(
        every_sequence(step, state, 4), PENALTIES["mean"], lambda c: 0
    )
    hopeful = {**dict.fromkeys(range(1, 5), 1.0), 4: 1e9}.get  # L = 4 wins
    got = beam_search(step, state, BEGIN_ID, END, V**4, 4, hopeful)
    assert len(got) == len(want)  # nothing was lost on the way
    assert {tuple(h.ids) for h in got} == {tuple(h.ids) for h in want}
    log_p = {tuple(h.ids): h.log_p for h in want}
    for h in got:
        assert h.log_p == pytest.approx(log_p[tuple(h.ids)], rel=1e-12)
        assert h.score == pytest.approx(h.log_p / hopeful(len(h.ids)))


@penalties
@pytest.mark.parametrize("K", [1, 2, 3, 7])
@seeds
def test_stopping_early_loses_nothing_at_any_width(name, K, seed):
    step, state = gru_model(seed)
    penalty = PENALTIES[name]
    want = naive_beam(step, state, K, 9, penalty)
    got = beam_search(step, state, BEGIN_ID, END, K, 9, penalty)[0]
    if want is None:
        assert not got.ended
    else:
        assert got.ids == want[1]
        assert got.score == pytest.approx(want[0], rel=1e-12)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(0, 999), st.integers(1, 8), st.sampled_from([0, 1, 1000]))
def test_greedy_is_a_beam_of_one(seed, max_length, scale):
    step, state = gru_model(seed, scale)  # 0: the same choice at every step
    one = greedy(step, state, [BEGIN_ID], END, max_length)
    for penalty in PENALTIES["none"], PENALTIES["mean"]:
        got = beam_search(step, state, BEGIN_ID, END, 1, max_length, penalty)
        assert len(got) == 1 and got[0].ids == one[0].ids
        assert got[0].log_p == pytest.approx(one[0].log_p, rel=1e-12)
        assert got[0].ended == one[0].ended
    assert len(one[0].ids) == max_length or one[0].ended


@seeds
def test_log_p_is_that_of_the_sequence_read_back(seed):
    model, state = gru_model(seed)
    for h in beam_search(model, state, BEGIN_ID, END, 3, 7):
        total, rows, ids = 0, state, BEGIN_ID
        for i in h.ids:
            log_probs, rows = model(np.array([ids]), rows)
            total, ids = total + log_probs[0, i], i
        assert h.log_p == h.score == pytest.approx(total, rel=1e-12)


def test_the_state_of_every_row_belongs_to_its_hypothesis():
    model, state = gru_model(1)
    rows_seen = []

    def step(ids, state):
        log_probs, after = model(ids, state)
        rows_seen.append((ids, after))
        return log_probs, after

    beam_search(step, state, BEGIN_ID, END, 4, 6, PENALTIES["mean"])
    for ids, after in rows_seen:  # read each row's own past again, alone
        h_want, history = [], after.others[1]
        for row in history:
            alone = state
            for i in row[row >= 0]:
                _, alone = model(np.array([i]), alone)
            h_want.append(alone.h[0])
        np.testing.assert_array_equal(history[:, -1], ids)
        np.testing.assert_allclose(after.h, h_want, rtol=1e-12)
        steps = (history >= 0).sum(axis=1)
        np.testing.assert_allclose(after.others[0].sum(axis=1), steps)


def test_greedy_misses_what_a_beam_of_two_finds():
    step, state = three_symbols()
    (found,) = greedy(step, state, [BEGIN], 2, 10)
    assert found.ids == [0, 0, 2]  # a a
    assert math.exp(found.log_p) == pytest.approx(0.080)
    for K in 2, 3, 10:
        best = beam_search(step, state, BEGIN, 2, K, 10)[0]
        assert best.ids == [1, 2]  # b
        assert math.exp(best.log_p) == pytest.approx(0.36)


def long_or_nothing():
    """Fifteen tokens at .35, then the end; at any step it may end at .01."""
    rows = {(0,) * L: [0.35, 0.32, 0.32, 0.01] for L in range(15)}
    rows[(0,) * 15] = [0.05, 0.03, 0.02, 0.9]
    return table_model({**rows, ...: [0.33, 0.33, 0.33, 0.01]})


@pytest.mark.parametrize("K", [1, 4, 20])
def test_a_wider_beam_finds_the_empty_output_and_scores_it_higher(K):
    step, state = long_or_nothing()
    best = beam_search(step, state, BEGIN, 3, K, 20)[0]
    if K == 1:
        assert best.ids == [0] * 15 + [3]
        assert best.log_p == pytest.approx(-15.85, abs=5e-3)
    else:
        assert best.ids == [3]
        assert best.log_p == pytest.approx(-4.61, abs=5e-3)


def test_the_mean_log_probability_prefers_the_long_output():
    step, state = long_or_nothing()
    best = beam_search(step, state, BEGIN, 3, 4, 20, PENALTIES["mean"])[0]
    assert best.ids == [0] * 15 + [3]
    assert best.score == pytest.approx(best.log_p / 16)


@pytest.mark.parametrize(
    ("alpha", "short", "long"),
    [(0, -5, -8), (0.75, -1.495, -1.423), (1, -1.0, -0.8)],
)
def test_dividing_by_a_power_of_the_length_helps_the_long(alpha, short, long):
    got = -5 / length_power(5, alpha), -8 / length_power(10, alpha)
    assert got == pytest.approx((short, long), abs=5e-4)


@pytest.mark.parametrize("prompt", [0, 6])
def test_equally_likely_ids_tie_at_every_length(prompt):
    rest = math.log(1 - 2 / math.e)

    def step(ids, state):  # 1 is the end; both it and 0 cost one nat
        return np.tile([-1.0, -1.0, rest], (len(ids), 1)), state

    read = np.zeros((1, prompt), int)
    found = beam_search(step, read, 0, 1, 4**5, 5, PENALTIES["mean"])
    of_one_nat = [h for h in found if 2 not in h.ids]
    assert {len(h.ids) for h in of_one_nat} == {1, 2, 3, 4, 5}
    assert {h.score for h in of_one_nat} == {-1.0}  # exactly
    assert found[0].ids == [1]  # of equal scores the one found first


def test_gnmt_length_penalty_has_its_published_values():
    got = [gnmt_length_penalty(10, a) for a in (0.2, 0.6, 0.7, 1)]
    assert got == pytest.approx([1.2011, 1.7329, 1.8991, 2.5], abs=5e-5)
    got = [gnmt_length_penalty(50, a) for a in (0.2, 0.6, 1)]
    assert got == pytest.approx([1.5576, 3.7786, 9.1667], abs=5e-5)
    assert gnmt_length_penalty(1, 0.6) == gnmt_length_penalty(9, 0) == 1


def test_coverage_penalty_counts_what_was_looked_at_too_little():
    coverage = np.array([[0.5, 1.0, 1.5], [0.25, 0.5, 0.1], [3.0, 1, 1]])
    got = gnmt_coverage_penalty(coverage, 0.2)
    want = [0.2 * math.log(0.5), 0.2 * math.log(0.25 * 0.5 * 0.1), 0]
    assert got == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_source_never_looked_at_costs_much_but_not_infinity(dtype):
    coverage = np.array([0, 1, 2], dtype)
    got = gnmt_coverage_penalty(coverage, 0.2)
    assert got.dtype == dtype and -200 < got < -15
    assert gnmt_coverage_penalty(coverage, 0) == 0


def test_coverage_turns_a_search_to_the_output_that_reads_everything():
    attends = np.array([[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]])
    log_p = np.log([[0.5, 0.4, 0.1], [0.7, 0.1, 0.2], [0.2, 0.2, 0.6]])

    def step(ids, coverage):  # a = 0 repeats itself, b = 1 reads on
        ids = np.where(ids < 0, 1, ids)
        return log_p[[[0, 0, 2][i] for i in ids]], coverage + attends[ids]

    def best(beta):
        return beam_search(
            step,
            np.zeros((1, 2)),
            BEGIN,
            2,
            9,
            4,
            coverage_penalty=partial(gnmt_coverage_penalty, beta=beta),
        )[0]

    assert len(best(0).ids) < len(best(2.0).ids)
    assert best(0).score == best(0).log_p > best(2.0).log_p


def counted(step):
    calls = []

    def counting(ids, state):
        calls.append(len(ids))
        return step(ids, state)

    return counting, calls


def test_a_search_stops_when_nothing_can_win_and_not_before():
    # ends at once with p = .4, or goes on for certain after a first .6 * .5
    rows = {(): [0.3, 0.3, 0.4], (0,) * 5: [0, 0, 1.0], ...: [1.0, 0, 0]}
    step, state = table_model(rows)

    step_1, calls = counted(step)
    found = beam_search(step_1, state, BEGIN, 2, 3, 50)
    assert found[0].ids == [2] and len(calls) == 1

    # the mean is worse at first, -1.2 against -.9, and better at the end
    step_2, calls = counted(step)
    found = beam_search(step_2, state, BEGIN, 2, 3, 50, PENALTIES["mean"])
    assert found[0].ids == [0] * 5 + [2] and len(calls) > 5
    assert found[0].score == pytest.approx(math.log(0.3) / 6)

    # it has to be able to end in time
    found = beam_search(step, state, BEGIN, 2, 3, 5, PENALTIES["mean"])
    assert found[0].ids == [2]


def test_what_never_ends_is_cut_and_ranks_behind_what_ended():
    step, state = table_model({(): [0.9, 0.09, 0.01], ...: [1.0, 0, 0]})
    never = 2  # possible at the first step only
    found = beam_search(step, state, BEGIN, never, 3, 4, PENALTIES["mean"])
    assert [h.ended for h in found] == [True, False, False]
    assert [len(h.ids) for h in found] == [1, 4, 4]
    assert found[0].score < found[2].score < found[1].score
    (cut,) = greedy(step, state, [BEGIN], never, 4)
    assert cut.ids == [0] * 4 and not cut.ended


def test_an_ended_hypothesis_takes_its_place_with_it():
    model, state = table_model({(): [0.3, 0.2, 0.5], ...: [0.5, 0.4, 0.1]})
    read = []

    def step(ids, prefix):
        read.append(ids.tolist())
        return model(ids, prefix)

    found = beam_search(step, state, BEGIN, 2, 2, 3, PENALTIES["mean"])
    # of .5, .3 and .2 the end and 0 stay; the end is not read on, and 1
    # does not come in its place, though the beam is two wide again after
    assert read[:3] == [[BEGIN], [0], [0, 1]]
    assert [2] in [h.ids for h in found]


def test_of_equal_totals_the_first_row_and_lowest_id_stay():
    step, state = table_model({...: [0.25] * 4})
    found = beam_search(step, state, BEGIN, 3, 3, 2)
    assert [h.ids for h in found] == [[0, 0], [0, 1], [0, 2]]
    wide = beam_search(step, state, BEGIN, 3, 4, 2)
    assert wide[0].ids == [3] and len(wide) == 1
    step, state = table_model({...: [2 / 96, 1 / 96] * 32})  # 64 ids
    found = beam_search(step, state, BEGIN, 63, 63, 1)
    evens, odds = list(range(0, 64, 2)), list(range(1, 63, 2))
    assert [h.ids for h in found] == [[i] for i in [*evens, *odds]]


def test_impossible_ids_are_in_no_hypothesis():
    step, state = table_model({(): [0, 0.5, 0.5], ...: [0, 0, 1.0]})
    found = beam_search(step, state, BEGIN, 2, 50, 9, PENALTIES["mean"])
    assert [h.ids for h in found] == [[1, 2], [2]]
    assert all(math.isfinite(h.score) for h in found)


def tiled(state, B):
    h, (coverage, history) = state.h, state.others
    parts = [np.repeat(a, B, axis=0) for a in (h, coverage, history)]
    return Memory(parts[0], parts[1:])


def test_greedy_rows_do_not_see_each_other():
    step, state = gru_model(5)
    state = tiled(state, 3)
    state.h = np.random.default_rng(0).normal(size=state.h.shape)
    found = greedy(step, state, [3, 1, 2], END, 8)
    assert len({len(h.ids) for h in found}) > 1  # they end one by one
    for b, begin in enumerate([3, 1, 2]):
        one = Memory(state.h[[b]], [a[[b]] for a in state.others])
        assert_same([found[b]], greedy(step, one, [begin], END, 8))


def test_samples_have_the_probabilities_of_their_sequences():
    step, state = gru_model(4, scale=1.0)
    N = 4000
    found = ancestral_sample(
        np.random.default_rng(0), step, tiled(state, N), [BEGIN_ID] * N, END, 3
    )
    drawn = [tuple(h.ids) for h in found]
    mass = 0
    for ids, log_p, _ in every_sequence(step, state, 3):
        p = math.exp(log_p)
        mass += p
        # five standard deviations of a frequency
        allowed = 5 * math.sqrt(p * (1 - p) / N)
        assert abs(drawn.count(tuple(ids)) / N - p) <= allowed
    assert mass == pytest.approx(1)
    for h in found[:50]:
        assert h.score == h.log_p
        assert h.ended == (h.ids[-1] == END) and END not in h.ids[:-1]


@pytest.mark.parametrize(
    "adjust",
    [
        partial(top_k_logits, k=1),
        partial(temperature_logits, temperature=1e-6),
    ],
    ids=["top-1", "cold"],
)
def test_sampling_becomes_greedy_and_keeps_the_log_p_of_the_model(adjust):
    step, state = gru_model(2)
    begin, rng = [3, 1], np.random.default_rng(0)
    state = tiled(state, 2)
    want = greedy(step, state, begin, END, 6)
    got = ancestral_sample(rng, step, state, begin, END, 6, adjust)
    assert_same(got, want)


def test_an_ngram_model_can_be_decoded():
    texts = [[0, 1, 2], [0, 1, 1, 2], [0, 1, 2, 2]]
    lm = count_ngrams(texts, n=3, V=V, end=3)

    def step(ids, contexts):
        contexts = np.column_stack([contexts[:, 1:], ids])
        p = [kneser_ney_probs(lm, row, 0.5) for row in contexts.tolist()]
        return np.log(p), contexts

    state = np.full((1, 2), BEGIN)
    best = beam_search(step, state, BEGIN, 3, 10, 10)[0]
    assert best.ids == [0, 1, 2, 3]


def test_float32_models_are_searched_like_any():
    step, state = gru_model(3)

    def step_32(ids, state):
        log_probs, state = step(ids, state)
        return log_probs.astype(np.float32), state

    for K in 1, 4:
        got = beam_search(step_32, state, BEGIN_ID, END, K, 8)
        want = beam_search(step, state, BEGIN_ID, END, K, 8)
        assert [h.ids for h in got] == [h.ids for h in want]


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    step, state = gru_model(0)

    def gives(*rows):
        return lambda ids, state: (np.array(rows), state)

    def beam(step, end=0, K=2, max_length=3):
        return beam_search(step, np.zeros((1, 1)), 1, end, K, max_length)

    none = -np.inf
    bad = [
        (lambda: beam(gives([0.0, 3.0])), "log_probs.*at most 0.*got.* 3.0"),
        (lambda: beam(gives([none, none])), "all -inf.*got.*-inf"),
        (lambda: beam(gives([0.0, np.nan])), "at most 0.*got.*nan"),
        (lambda: beam(gives([0.0, none], [none, 0.0])), r"\(1, V\).*\(2, 2\)"),
        (lambda: beam(gives([0, -1])), "log_probs.*float.*int64"),
        (lambda: beam(gives([0.0, none]), end=2), "end.*below 2, got 2"),
        (lambda: beam(gives([0.0, none]), end=-1), "end.*below 2, got -1"),
        (lambda: beam(step, K=0), "K must.*got 0"),
        (lambda: beam(step, max_length=0), "max_length must.*got 0"),
        (lambda: greedy(step, state, [1], 0, 0), "max_length must.*got 0"),
        (lambda: greedy(step, state, 1, 0, 5), r"begin.*\(B,\).*got.*\(\)"),
        (lambda: greedy(step, state, [], 0, 5), r"begin.*\(B,\).*got.*\(0,\)"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def plain_model(seed):
    """step, state (4, H): a GRU whose state is one array."""
    rng = np.random.default_rng(seed)
    p, W = init_gru(rng, V, H), rng.normal(size=(V, H))

    def step(ids, h):
        h, _ = gru_step(p, np.eye(V)[ids], h)
        return log_softmax(h @ W.T), h

    return step, rng.normal(size=(4, H))


STEP, STATE = plain_model(0)
ROWS = {
    "step": STEP,
    "state": STATE,
    "begin": np.array([0, 1, 2, 3]),
    "end": 1,
    "max_length": 4,
}

CALLS = {
    greedy: lambda: {**ROWS},
    ancestral_sample: lambda: {
        "rng": np.random.default_rng(0),
        **ROWS,
        "adjust": partial(temperature_logits, temperature=0.5),
    },
    length_power: lambda: {"L": 7, "alpha": 0.6},
    gnmt_length_penalty: lambda: {"L": 7, "alpha": 0.6},
    gnmt_coverage_penalty: lambda: {
        "coverage": np.array([[0.5, 0.3, 0.9], [0.4, 1.2, 0.8]]),
        "beta": 0.2,
    },
    beam_search: lambda: {
        **ROWS,
        "state": STATE[:1],
        "begin": 2,
        "max_length": 2,
        "K": 3,
        "length_penalty": PENALTIES["mean"],
        "coverage_penalty": lambda h: -np.abs(h).sum(axis=1),
    },
}
OTHER = {
    **{
        (function, "step"): lambda: plain_model(1)[0]
        for function in (greedy, ancestral_sample, beam_search)
    },
    (ancestral_sample, "adjust"): lambda: partial(top_k_logits, k=1),
    (beam_search, "length_penalty"): lambda: PENALTIES["gnmt"],
    (beam_search, "coverage_penalty"): lambda: lambda h: 0,
}
