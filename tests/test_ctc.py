import math
from itertools import product

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.ctc import (
    BLANK,
    check_labels,
    ctc_alignments,
    ctc_best_path,
    ctc_collapse,
    ctc_loss,
    ctc_loss_backward,
    ctc_min_length,
    ctc_obstacle,
    ctc_occupancy,
    ctc_prefix_beam,
)
from seqbook.functional import log_softmax, log_softmax_backward, logsumexp
from seqbook.gradcheck import numerical_grad, relative_error

T, B, V, U = 7, 5, 4, 3  # all different, so a swapped axis cannot pass
LENGTHS = np.array([7, 2, 5, 3, 6])  # the fourth cannot hold 2, 2, 1
TARGETS = np.array([[1, 3, 2, 2, 1], [1, 1, 3, 2, 2], [2, 2, 2, 1, 1]])
TARGET_LENGTHS = np.array([3, 2, 1, 3, 0])  # full, shortest, ..., empty
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms
CASES = [  # (T, labels): no labels, repeats, exactly enough frames
    (3, ()),
    (3, (1, 2)),
    (3, (1, 1)),
    (4, (2, 1, 2)),
    (5, (1, 2)),
    (5, (1, 1, 2)),
    (6, (1, 2, 1)),
    (6, (1, 1, 2)),
]
cases = pytest.mark.parametrize("frames, labels", CASES)


def make_case(scale=1.0):
    """logits (T, B, V), dlosses (B,), both random."""
    rng = np.random.default_rng(0)
    return scale * rng.normal(size=(T, B, V)), rng.normal(size=B)


def ragged(logits):
    return ctc_loss(logits, TARGETS, LENGTHS, TARGET_LENGTHS)


def loss_of(logits, labels):
    """logits (T, V) of one example, a tuple of labels -> a number."""
    targets = np.array(labels, int).reshape(-1, 1)
    return ctc_loss(logits[:, None], targets)[0][0]


def merge(path):
    """The map B once more: a frame counts unless it repeats or is blank."""
    before, labels = None, []
    for k in path:
        if k != before and k != 0:
            labels.append(k)
        before = k
    return tuple(labels)


def posterior(log_p):
    """log_p (T, V) -> {labels: log-probability}, by looking at all paths."""
    sums = {}
    for path in product(range(log_p.shape[1]), repeat=len(log_p)):
        p = math.fsum(log_p[t, k] for t, k in enumerate(path))
        sums.setdefault(merge(path), []).append(p)
    return {q: float(logsumexp(np.array(ps))) for q, ps in sums.items()}


def run_torch(logits, dlosses, targets, lengths, target_lengths):
    """-> losses with inf as 0, gradient of sum(dlosses * losses)."""
    leaf = torch.tensor(logits, requires_grad=True)
    losses = F.ctc_loss(
        F.log_softmax(leaf, -1),
        torch.tensor(targets.T.copy()),
        torch.tensor(lengths),
        torch.tensor(target_lengths),
        reduction="none",
        zero_infinity=True,
    )
    (torch.tensor(dlosses) * losses).sum().backward()
    return losses.detach().numpy(), leaf.grad.numpy()


def test_collapse_merges_first_and_drops_blanks_second():
    assert ctc_collapse([1, 1, 0, 1, 2, 2, 0]) == (1, 1, 2)
    assert ctc_collapse(np.array([0, 0])) == () == ctc_collapse([])
    for path in product(range(3), repeat=5):
        assert ctc_collapse(path) == merge(path)


@cases
def test_number_of_alignments_is_that_of_the_paths(frames, labels):
    paths = product(range(3), repeat=frames)
    want = sum(merge(path) == labels for path in paths)
    assert ctc_alignments(frames, labels) == want


def test_numbers_of_alignments_known_by_formula():
    assert ctc_alignments(5, (1, 2)) == 35
    assert ctc_alignments(6, (1, 2, 3)) == 84
    assert ctc_alignments(6, "aab") == 28
    assert ctc_alignments(6, "hello") == 1


def test_shortest_input_is_where_the_first_path_appears():
    for labels in [q for n in range(1, 4) for q in product((1, 2), repeat=n)]:
        least = ctc_min_length(labels)
        near = [ctc_alignments(least + i, labels) for i in (-1, 0, 1)]
        assert near[0] == 0 and near[1] == 1 and near[2] > 1
        assert np.isfinite(loss_of(np.zeros((least, 3)), labels))
        if least > 1:
            assert loss_of(np.zeros((least - 1, 3)), labels) == np.inf
    assert ctc_min_length(()) == 0 and ctc_alignments(4, ()) == 1
    assert ctc_min_length("hello") == 6


def test_minimum_lengths_of_the_reports_give_their_known_values():
    def uniform(frames, labels, classes):
        return loss_of(np.zeros((frames, classes)), labels)

    a, b, hello = 1, 2, (1, 2, 3, 3, 4)
    assert uniform(2, (a, b), 3) == pytest.approx(2 * math.log(3), rel=1e-15)
    assert uniform(2, (a, a), 3) == np.inf
    assert uniform(3, (a, a), 3) == pytest.approx(3 * math.log(3), rel=1e-15)
    assert uniform(5, hello, 6) == np.inf
    assert round(float(uniform(6, hello, 6)), 4) == 10.7506


@cases
def test_uniform_loss_counts_the_alignments(frames, labels):
    want = frames * math.log(V) - math.log(ctc_alignments(frames, labels))
    assert loss_of(np.zeros((frames, V)), labels) == pytest.approx(want)


@cases
def test_loss_equals_the_sum_over_all_paths_and_torch(frames, labels):
    logits = np.random.default_rng(1).normal(size=(frames, 3))
    got = loss_of(logits, labels)
    assert got == pytest.approx(-posterior(log_softmax(logits))[labels])
    want, _ = run_torch(
        logits[:, None],
        np.ones(1),
        np.array(labels, int)[:, None],
        [frames],
        [len(labels)],
    )
    np.testing.assert_allclose(got, want[0], **EXACT)


@pytest.mark.parametrize("scale", [1.0, 30.0], ids=["open", "saturated"])
def test_losses_and_gradients_equal_torch(scale):
    logits, dlosses = make_case(scale)
    losses, cache = ragged(logits)
    want, want_grad = run_torch(
        logits, dlosses, TARGETS, LENGTHS, TARGET_LENGTHS
    )
    assert np.isinf(losses).tolist() == [False, False, False, True, False]
    np.testing.assert_allclose(
        np.where(np.isinf(losses), 0, losses), want, **EXACT
    )
    got = ctc_loss_backward(dlosses, cache)
    np.testing.assert_allclose(got, want_grad, **EXACT)


@pytest.mark.parametrize("scale", [1.0, 9.0], ids=["open", "saturated"])
def test_gradient_matches_central_differences(scale):
    logits, dlosses = make_case(scale)
    _, cache = ragged(logits)
    possible = np.array([0, 1, 2, 4])

    def loss():
        return np.sum((dlosses * ragged(logits)[0])[possible])

    got = ctc_loss_backward(dlosses, cache)
    assert relative_error(got, numerical_grad(loss, logits)) < 1e-7


def test_without_a_path_the_loss_is_inf_and_the_gradient_zero():
    logits, dlosses = make_case()
    losses, cache = ragged(logits)
    labels = TARGETS[:, 3]
    assert losses[3] == np.inf and LENGTHS[3] < ctc_min_length(labels)
    assert not ctc_loss_backward(dlosses, cache)[:, 3].any()
    assert not ctc_occupancy(cache)[:, 3].any()


def test_probability_zero_counts_as_no_path():
    logits, _ = make_case()
    logits[..., 1] = -np.inf  # class 1 never
    losses, cache = ragged(logits)
    assert np.isinf(losses).tolist() == [True, True, False, True, False]
    grad = ctc_loss_backward(np.ones(B), cache)
    assert not grad[:, [0, 1, 3]].any() and not grad[..., 1].any()
    assert grad[:, [2, 4]].any()


def test_one_certain_path_costs_nothing():
    logits = np.full((4, 1, 3), -np.inf)
    logits[range(4), 0, [1, 0, 1, 2]] = 0
    losses, cache = ctc_loss(logits, np.array([[1], [1], [2]]))
    assert losses.tolist() == [0]
    assert not ctc_loss_backward(np.ones(1), cache).any()
    states = [1, 2, 3, 5]  # a, blank, a, b among _ a _ a _ b _
    np.testing.assert_array_equal(ctc_occupancy(cache)[:, 0].argmax(1), states)


def test_gradient_is_the_one_of_logits_and_not_of_log_probabilities():
    rng = np.random.default_rng(3)
    logits, labels = rng.normal(size=(3, 1, 3)), (1,)
    log_p = log_softmax(logits)
    loss, cache = ctc_loss(logits, np.array([labels]))
    got = ctc_loss_backward(np.ones(1), cache)

    def of_logits():
        return -posterior(log_softmax(logits)[:, 0])[labels]

    def of_log_p():  # one entry moves, and no softmax answers
        return -posterior(log_p[:, 0])[labels]

    alone = numerical_grad(of_log_p, log_p)
    assert relative_error(got, numerical_grad(of_logits, logits)) < 1e-7
    assert relative_error(got, alone) > 0.1
    assert (alone <= 0).all() and (got > 0).any()
    back = log_softmax_backward(alone, log_p)
    assert relative_error(got, back) < 1e-7  # the softmax was all it lacked


def test_gradcheck_of_torch_passes_on_logits_and_fails_on_log_probabilities():
    torch.manual_seed(0)
    logits = torch.randn(3, 1, 3, dtype=torch.float64, requires_grad=True)
    log_p = F.log_softmax(logits, -1).detach().requires_grad_()
    rest = torch.tensor([[1]]), torch.tensor([3]), torch.tensor([1])

    def from_logits(a):
        return F.ctc_loss(F.log_softmax(a, -1), *rest)

    def from_log_p(a):
        return F.ctc_loss(a, *rest)

    def check(f, a):
        return torch.autograd.gradcheck(f, a, raise_exception=False)

    assert check(from_logits, logits) and not check(from_log_p, log_p)
    from_log_p(log_p).backward()
    _, cache = ctc_loss(logits.detach().numpy(), np.array([[1]]))
    ours = ctc_loss_backward(np.ones(1), cache)
    np.testing.assert_allclose(ours, log_p.grad, **EXACT)  # that of logits


def test_products_of_probabilities_vanish_and_their_logarithms_do_not():
    assert 0.1**324 == 0 < 0.1**323
    pair = np.full(2, -1000.0)
    assert round(float(logsumexp(pair)), 4) == -999.3069
    want = 400 * math.log(10) - math.log(ctc_alignments(400, (1, 2, 3)))
    loss = loss_of(np.zeros((400, 10)), (1, 2, 3))
    assert loss == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("frames, labels", [(4, (1, 1)), (5, (2, 1)), (3, ())])
def test_occupancy_is_the_share_of_the_paths_through_a_state(frames, labels):
    logits = np.random.default_rng(2).normal(size=(frames, 3))
    log_p = log_softmax(logits)
    want = np.zeros((frames, 2 * len(labels) + 1))
    for path in product(range(3), repeat=frames):
        if merge(path) == labels:
            done = [len(merge(path[: t + 1])) for t in range(frames)]
            states = [
                2 * n - (k != 0) for n, k in zip(done, path, strict=True)
            ]
            p = np.exp(sum(log_p[t, k] for t, k in enumerate(path)))
            want[range(frames), states] += p
    want /= want[0].sum()
    targets = np.array(labels, int)[:, None]
    _, cache = ctc_loss(logits[:, None], targets)
    np.testing.assert_allclose(ctc_occupancy(cache)[:, 0], want, **EXACT)


def test_occupancy_shares_one_at_every_real_frame():
    logits, _ = make_case(5.0)
    gamma = ctc_occupancy(ragged(logits)[1])
    real = np.arange(T)[:, None] < np.where(np.arange(B) == 3, 0, LENGTHS)
    assert gamma.shape == (T, B, 2 * U + 1)
    np.testing.assert_allclose(gamma.sum(axis=-1), real, **EXACT)
    beyond = np.arange(2 * U + 1) > 2 * TARGET_LENGTHS[:, None]
    assert not gamma[:, beyond].any()  # no state after the last blank


@pytest.mark.parametrize("padding", [1e9, np.inf, np.nan])
def test_nothing_in_the_padding_changes_anything(padding):
    logits, dlosses = make_case()
    losses, cache = ragged(logits)
    grad = ctc_loss_backward(dlosses, cache)
    best = ctc_best_path(logits, LENGTHS)
    mask = np.arange(T)[:, None] < LENGTHS
    logits[~mask] = padding
    targets = TARGETS.copy()
    targets[np.arange(U)[:, None] >= TARGET_LENGTHS] = -(10**9)
    got, cache = ctc_loss(logits, targets, LENGTHS, TARGET_LENGTHS)
    assert np.array_equal(got, losses)
    assert np.array_equal(ctc_loss_backward(dlosses, cache), grad)
    assert not grad[~mask].any()
    assert ctc_best_path(logits, LENGTHS) == best


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_any_shapes_lengths_and_repeats_equal_torch_and_stand_alone(data):
    T, B, U = (data.draw(st.integers(1, 5)) for _ in range(3))
    V = data.draw(st.integers(2, 4))
    U -= 1  # no labels at all is allowed
    lengths = data.draw(st.lists(st.integers(1, T), min_size=B, max_size=B))
    U_b = data.draw(st.lists(st.integers(0, U), min_size=B, max_size=B))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    targets = rng.integers(1, V, size=(U, B))
    scale = data.draw(st.sampled_from([0.0, 1.0, 1000.0]))  # 0: all tie
    logits, dlosses = scale * rng.normal(size=(T, B, V)), rng.normal(size=B)

    losses, cache = ctc_loss(logits, targets, lengths, U_b)
    grad = ctc_loss_backward(dlosses, cache)
    want, want_grad = run_torch(logits, dlosses, targets, lengths, U_b)
    rounding = {"rtol": 1e-12, "atol": 1e-12 * (1 + scale)}
    np.testing.assert_allclose(
        np.where(np.isinf(losses), 0, losses), want, **rounding
    )
    np.testing.assert_allclose(grad, want_grad, **rounding)
    for b, (n, m) in enumerate(zip(lengths, U_b, strict=True)):
        labels = targets[:m, b].tolist()
        assert np.isfinite(losses[b]) == (n >= ctc_min_length(labels))
        one = slice(b, b + 1)
        alone, cache = ctc_loss(logits[:n, one], targets[:m, one])
        np.testing.assert_allclose(alone, losses[one], **EXACT)
        grad_b = ctc_loss_backward(dlosses[one], cache)
        np.testing.assert_allclose(grad[:n, one], grad_b, **rounding)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_logits_of_a_thousand_leave_everything_finite(data):
    seed = data.draw(st.integers(0, 99))
    kind = data.draw(st.sampled_from([np.float32, np.float64]))
    rng = np.random.default_rng(seed)
    logits = rng.choice([-1000.0, 0.0, 1000.0], size=(T, B, V)).astype(kind)
    losses, cache = ragged(logits)
    assert np.isfinite(losses).tolist() == [True, True, True, False, True]
    grad = ctc_loss_backward(np.ones(B, kind), cache)
    assert np.isfinite(grad).all()
    assert np.abs(grad).max() < 1 + 2e-3  # float32 has steps of 5e-4 at 7000
    [(labels, log_p), *_] = ctc_prefix_beam(logits[:, 0], 3)
    assert np.isfinite(log_p) and len(labels) <= T


def test_float32_in_gives_float32_out_near_float64():
    logits, dlosses = make_case()
    want, cache = ragged(logits)
    want_grad = ctc_loss_backward(dlosses, cache)
    losses, cache = ragged(logits.astype(np.float32))
    grad = ctc_loss_backward(dlosses.astype(np.float32), cache)
    gamma = ctc_occupancy(cache)
    assert {a.dtype for a in (losses, grad, gamma)} == {np.dtype("f4")}
    np.testing.assert_allclose(losses, want, 1e-5)
    np.testing.assert_allclose(grad, want_grad, 1e-4, 1e-5)


def test_lengths_of_none_are_full_lengths():
    logits, _ = make_case()
    got, _ = ctc_loss(logits, TARGETS)
    want, _ = ctc_loss(logits, TARGETS, [T] * B, [U] * B)
    assert np.array_equal(got, want) and np.isfinite(got).all()


def test_best_path_is_not_always_the_best_labelling():
    log_p = np.log([[0.6, 0.4], [0.6, 0.4]])  # blank, a
    assert ctc_best_path(log_p[:, None]) == [()]
    assert np.exp(-loss_of(log_p, ())) == pytest.approx(0.36)
    [best, other] = ctc_prefix_beam(log_p, 2)
    assert best == ((1,), pytest.approx(math.log(0.64)))
    assert other == ((), pytest.approx(math.log(0.36)))


def test_best_path_is_the_collapse_of_the_likeliest_classes():
    logits, _ = make_case()
    got = ctc_best_path(logits, LENGTHS)
    for b, n in enumerate(LENGTHS):
        want = torch.tensor(logits[:n, b]).argmax(-1).tolist()
        assert got[b] == merge(want)
    assert ctc_best_path(np.zeros((3, 2, 4))) == [(), ()]  # ties: the blank


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
def test_beam_of_full_width_is_the_posterior_over_all_labellings(T, V, seed):
    logits = 2 * np.random.default_rng(seed).normal(size=(T, V))
    want = posterior(log_softmax(logits))
    found = ctc_prefix_beam(logits, 1000)
    assert {q for q, _ in found} == set(want)
    for labels, log_p in found:
        assert log_p == pytest.approx(want[labels], abs=1e-12)
        assert log_p == pytest.approx(-loss_of(logits, labels), abs=1e-12)
    scores = [log_p for _, log_p in found]
    assert scores == sorted(scores, reverse=True)
    assert math.fsum(map(math.exp, scores)) == pytest.approx(1, abs=1e-12)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 99))
def test_narrow_beam_never_promises_more_than_the_truth(T, width, seed):
    logits = 2 * np.random.default_rng(seed).normal(size=(T, V))
    found = ctc_prefix_beam(logits, width)
    assert 1 <= len(found) <= width
    assert len({q for q, _ in found}) == len(found)
    for labels, log_p in found:
        assert log_p <= -loss_of(logits, labels) + 1e-12


def test_beam_leaves_out_what_cannot_be_said():
    logits = np.full((3, 3), -np.inf)
    logits[range(3), [1, 1, 2]] = 0
    assert ctc_prefix_beam(logits, 50) == [((1, 2), 0.0)]


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    logits, dlosses = make_case()
    _, cache = ragged(logits)
    wrong = TARGETS.copy()
    wrong[0, 0] = V
    blank = np.where(TARGETS == 2, BLANK, TARGETS)
    floats = TARGETS.astype(float)
    bad = [
        (lambda: ctc_loss(logits[0], TARGETS), r"logits .*\(T, B, V\).*got"),
        (lambda: ctc_loss(logits[:0], TARGETS), "T must .*at least 1, got 0"),
        (lambda: ctc_loss(logits, TARGETS.T), r"targets .*\(U, 5\).*\(5, 3\)"),
        (lambda: ctc_loss(logits, floats), "targets .*integers.*float64"),
        (lambda: ctc_loss(logits, wrong), r"labels .*1 to 3 .*got \[.*4\]"),
        (lambda: ctc_loss(logits, blank), r"labels .*0 is the blank.*\[0, 1"),
        (lambda: ctc_loss(logits, TARGETS, [8] * B), "lengths .*1 to T = 7"),
        (
            lambda: ctc_loss(logits, TARGETS, LENGTHS, [3, 2, 4, 0, 0]),
            r"target_lengths .*from 0 to U = 3, got \[3, 2, 4, 0, 0\]",
        ),
        (
            lambda: check_labels(TARGETS, [1, 2], B, V),
            r"target_lengths must be B = 5 integers .*got \[1, 2\]",
        ),
        (lambda: check_labels(TARGETS, [0.5] * B, B, V), r"target_len.*0\.5"),
        (lambda: ctc_loss_backward(dlosses[1:], cache), r"dlosses .*got \(4,"),
        (lambda: ctc_best_path(logits[0]), r"logits .*got \(5, 4\)"),
        (lambda: ctc_best_path(logits, [9] * B), "lengths .*1 to T = 7"),
        (
            lambda: ctc_prefix_beam(logits, 3),
            r"logits .*\(T, V\).*\(7, 5, 4\)",
        ),
        (lambda: ctc_prefix_beam(logits[:, 0], 0), "width .*1, got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def sample():
    """Everything that a call of this module can ask for."""
    logits, dlosses = make_case()
    targets = np.array([[1, 2, 3, 1, 2], [2, 3, 3, 2, 1], [3, 1, 2, 3, 3]])
    target_lengths = np.array([3, 1, 2, 0, 2])
    cache = ctc_loss(logits, targets, LENGTHS, target_lengths)[1]
    return {
        "logits": logits,
        "targets": targets,
        "lengths": LENGTHS,
        "target_lengths": target_lengths,
        "dlosses": dlosses,
        "cache": cache,
        "B": B,
        "V": V,
    }


def call(f, *names):
    return {f: lambda: {name: sample()[name] for name in names}}


def test_an_impossible_target_has_its_reason():
    assert ctc_obstacle(6, "hello") == ""
    assert ctc_obstacle(5, "hello") == (
        "5 labels and 1 blank between equal neighbours need 6 frames, got 5"
    )
    logits = np.zeros((2, 1, 3))
    for labels in ([1, 2], [1, 1]):
        loss, _ = ctc_loss(logits, np.array(labels)[:, None])
        assert np.isinf(loss[0]) == bool(ctc_obstacle(2, labels))


CALLS = {
    ctc_obstacle: lambda: {"T": 5, "labels": "hello"},
    ctc_collapse: lambda: {"path": [0, 1, 1, 0, 2]},
    ctc_min_length: lambda: {"labels": [1, 1, 2]},
    ctc_alignments: lambda: {"T": 5, "labels": [1, 1, 2]},
    **call(check_labels, "targets", "target_lengths", "B", "V"),
    **call(ctc_loss, "logits", "targets", "lengths", "target_lengths"),
    **call(ctc_occupancy, "cache"),
    **call(ctc_loss_backward, "dlosses", "cache"),
    **call(ctc_best_path, "logits", "lengths"),
    ctc_prefix_beam: lambda: {"logits": make_case()[0][:, 0], "width": 3},
}
OTHER = {
    (ctc_obstacle, "labels"): lambda: "helo",
    (ctc_min_length, "labels"): lambda: [1, 2, 1],
    (ctc_alignments, "labels"): lambda: [1, 2, 1],
    (check_labels, "B"): lambda: B + 1,
    (check_labels, "V"): lambda: 2,
    (ctc_best_path, "logits"): lambda: -make_case()[0],
}
