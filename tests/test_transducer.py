import math
from itertools import combinations_with_replacement, permutations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.ctc import BLANK
from seqbook.functional import log_softmax, logsumexp
from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.transducer import (
    joint_backward,
    joint_forward,
    transducer_alignments,
    transducer_greedy,
    transducer_loss,
    transducer_loss_backward,
)

T, U, B, V, H = 6, 3, 5, 4, 2  # all different, so a swapped axis cannot pass
LENGTHS = np.array([6, 1, 4, 2, 5])
TARGETS = np.array([[1, 3, 2, 2, 1], [1, 1, 3, 2, 2], [2, 2, 2, 1, 1]])
TARGET_LENGTHS = np.array([3, 2, 1, 3, 0])  # full, ..., empty
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms


def make_case(scale=1.0):
    """logits (T, U + 1, B, V), dlosses (B,), both random."""
    rng = np.random.default_rng(0)
    logits = scale * rng.normal(size=(T, U + 1, B, V))
    return logits, rng.normal(size=B)


def ragged(logits):
    return transducer_loss(logits, TARGETS, LENGTHS, TARGET_LENGTHS)


def loss_of(logits, labels):
    """logits (T, U + 1, V) of one example, U labels -> a number."""
    targets = np.array(labels, int).reshape(-1, 1)
    return transducer_loss(logits[:, :, None], targets)[0][0]


def by_paths(log_p, labels):
    """-> loss, summed over the frames in which the labels can be said."""
    T, paths = len(log_p), []
    for frames in combinations_with_replacement(range(T), len(labels)):
        p = sum(
            log_p[t, u, k]
            for u, (t, k) in enumerate(zip(frames, labels, strict=True))
        )
        said = [sum(at <= t for at in frames) for t in range(T)]
        paths.append(p + sum(log_p[t, said[t], BLANK] for t in range(T)))
    assert len(paths) == transducer_alignments(T, len(labels))
    return -logsumexp(np.array(paths))


def by_torch(logits, targets, lengths, target_lengths, dlosses):
    """Cell by cell with autograd -> losses, gradient of their sum."""
    leaf = torch.tensor(logits, requires_grad=True)
    log_p, losses = leaf.log_softmax(-1), []
    for b, (n, m) in enumerate(zip(lengths, target_lengths, strict=True)):
        alpha = {}
        for t in range(n):
            for u in range(m + 1):
                ways = [] if t or u else [torch.zeros((), dtype=leaf.dtype)]
                if t:
                    ways.append(alpha[t - 1, u] + log_p[t - 1, u, b, 0])
                if u:
                    k = int(targets[u - 1, b])
                    ways.append(alpha[t, u - 1] + log_p[t, u - 1, b, k])
                alpha[t, u] = torch.logsumexp(torch.stack(ways), 0)
        losses.append(-alpha[n - 1, m] - log_p[n - 1, m, b, 0])
    losses = torch.stack(losses)
    (torch.tensor(dlosses) * losses).sum().backward()
    return losses.detach().numpy(), leaf.grad.numpy()


def test_alignments_are_the_orders_of_blanks_and_labels_ending_in_a_blank():
    for T in range(1, 5):
        for U in range(4):
            orders = set(permutations("b" * T + "l" * U))
            want = sum(order[-1] == "b" for order in orders)
            assert transducer_alignments(T, U) == want
    sizes = (3, 2), (5, 3), (10, 4)
    assert [transducer_alignments(*s) for s in sizes] == [6, 35, 715]


@pytest.mark.parametrize("T, U", [(1, 0), (1, 3), (4, 0), (3, 2), (5, 3)])
def test_loss_equals_the_sum_over_all_paths(T, U):
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(T, U + 1, V))
    labels = rng.integers(1, V, size=U).tolist()
    want = by_paths(log_softmax(logits), labels)
    np.testing.assert_allclose(loss_of(logits, labels), want, **EXACT)


def test_uniform_loss_counts_the_alignments():
    for T, U in [(1, 0), (1, 2), (3, 2), (5, 3), (10, 4)]:
        count = transducer_alignments(T, U)
        want = (T + U) * math.log(V) - math.log(count)
        got = loss_of(np.zeros((T, U + 1, V)), [1] * U)
        assert got == pytest.approx(want, rel=1e-14)


@pytest.mark.parametrize("scale", [1.0, 30.0], ids=["open", "saturated"])
def test_losses_and_gradients_equal_autograd_of_the_recursion(scale):
    logits, dlosses = make_case(scale)
    losses, cache = ragged(logits)
    want, want_grad = by_torch(
        logits, TARGETS, LENGTHS, TARGET_LENGTHS, dlosses
    )
    np.testing.assert_allclose(losses, want, **EXACT)
    got = transducer_loss_backward(dlosses, cache)
    np.testing.assert_allclose(got, want_grad, **EXACT)


@pytest.mark.parametrize("scale", [1.0, 9.0], ids=["open", "saturated"])
def test_gradient_matches_central_differences(scale):
    logits, dlosses = make_case(scale)
    _, cache = ragged(logits)
    want = numerical_grad(lambda: np.sum(dlosses * ragged(logits)[0]), logits)
    got = transducer_loss_backward(dlosses, cache)
    assert relative_error(got, want) < 1e-7
    np.testing.assert_allclose(got.sum(axis=-1), 0, atol=1e-14)


def test_one_frame_must_say_everything():
    logits, _ = make_case()
    log_p = log_softmax(logits[:1, :, 0])
    want = log_p[0, range(U), TARGETS[:, 0]].sum() + log_p[0, U, BLANK]
    got, _ = transducer_loss(logits[:1, :, :1], TARGETS[:, :1])
    np.testing.assert_allclose(got, -want, **EXACT)


def test_probability_zero_gives_inf_and_no_gradient():
    logits, _ = make_case()
    logits[..., 3] = -np.inf
    losses, cache = ragged(logits)
    grad = transducer_loss_backward(np.ones(B), cache)
    says_3 = [
        3 in TARGETS[:m, b].tolist() for b, m in enumerate(TARGET_LENGTHS)
    ]
    assert np.isinf(losses).tolist() == says_3 and any(says_3)
    assert not grad[:, :, says_3].any() and np.isfinite(grad).all()
    assert grad[:, :, np.logical_not(says_3)].any()


@pytest.mark.parametrize("padding", [1e9, np.inf, np.nan])
def test_nothing_in_the_padding_changes_anything(padding):
    logits, dlosses = make_case()
    losses, cache = ragged(logits)
    grad = transducer_loss_backward(dlosses, cache)
    t, u = np.arange(T)[:, None, None], np.arange(U + 1)[:, None]
    real = (t < LENGTHS) & (u <= TARGET_LENGTHS)
    logits[~real] = padding
    targets = TARGETS.copy()
    targets[np.arange(U)[:, None] >= TARGET_LENGTHS] = -(10**9)
    got, cache = transducer_loss(logits, targets, LENGTHS, TARGET_LENGTHS)
    assert np.array_equal(got, losses)
    assert np.array_equal(transducer_loss_backward(dlosses, cache), grad)
    assert not grad[~real].any() and grad[real].all()


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_any_shapes_and_lengths_equal_the_paths_and_stand_alone(data):
    T, U = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 3))
    B, V = data.draw(st.integers(1, 3)), data.draw(st.integers(2, 4))
    lengths = data.draw(st.lists(st.integers(1, T), min_size=B, max_size=B))
    U_b = data.draw(st.lists(st.integers(0, U), min_size=B, max_size=B))
    scale = data.draw(st.sampled_from([0.0, 1.0, 1000.0]))  # 0: all tie
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    targets = rng.integers(1, V, size=(U, B))
    logits = scale * rng.normal(size=(T, U + 1, B, V))
    dlosses = rng.normal(size=B)

    losses, cache = transducer_loss(logits, targets, lengths, U_b)
    grad = transducer_loss_backward(dlosses, cache)
    assert np.isfinite(losses).all() and np.isfinite(grad).all()
    rounding = {"rtol": 1e-12, "atol": 1e-12 * (1 + scale)}
    for b, (n, m) in enumerate(zip(lengths, U_b, strict=True)):
        one = slice(b, b + 1)
        part = logits[:n, : m + 1, one]
        want = by_paths(log_softmax(part[:, :, 0]), targets[:m, b])
        np.testing.assert_allclose(losses[b], want, **rounding)
        _, cache = transducer_loss(part, targets[:m, one])
        grad_b = transducer_loss_backward(dlosses[one], cache)
        np.testing.assert_allclose(grad[:n, : m + 1, one], grad_b, **rounding)


def test_float32_in_gives_float32_out_near_float64():
    logits, dlosses = make_case()
    want, cache = ragged(logits)
    want_grad = transducer_loss_backward(dlosses, cache)
    losses, cache = ragged(logits.astype(np.float32))
    grad = transducer_loss_backward(dlosses.astype(np.float32), cache)
    assert losses.dtype == grad.dtype == np.float32
    np.testing.assert_allclose(losses, want, 1e-5)
    np.testing.assert_allclose(grad, want_grad, 1e-4, 1e-5)


def test_lengths_of_none_are_full_lengths():
    logits, _ = make_case()
    got, _ = transducer_loss(logits, TARGETS)
    want, _ = transducer_loss(logits, TARGETS, [T] * B, [U] * B)
    assert np.array_equal(got, want)


def make_joint(scale=1.0):
    """f (T, B, H), g (U + 1, B, H), W_hy (V, H), all random."""
    rng = np.random.default_rng(2)
    sizes = (T, B, H), (U + 1, B, H), (V, H)
    return tuple(scale * rng.normal(size=size) for size in sizes)


def test_joint_scores_each_frame_with_each_prediction():
    f, g, W_hy = make_joint()
    logits, _ = joint_forward(f, g, W_hy)
    assert logits.shape == (T, U + 1, B, V)
    for t in range(T):
        for u in range(U + 1):
            want = np.tanh(f[t] + g[u]) @ W_hy.T
            np.testing.assert_allclose(logits[t, u], want, **EXACT)


@pytest.mark.parametrize("scale", [1.0, 3.0], ids=["open", "saturated"])
def test_joint_and_loss_together_match_central_differences(scale):
    arrays = make_joint(scale)
    dlosses = make_case()[1]

    def loss():
        return np.sum(dlosses * ragged(joint_forward(*arrays)[0])[0])

    logits, joint_cache = joint_forward(*arrays)
    dlogits = transducer_loss_backward(dlosses, ragged(logits)[1])
    grads = joint_backward(dlogits, joint_cache)
    for array, grad in zip(arrays, grads, strict=True):
        assert relative_error(grad, numerical_grad(loss, array)) < 1e-7


def test_joint_gradients_equal_torch():
    arrays = make_joint()
    dlogits, _ = make_case()
    f, g, W_hy = leaves = [torch.tensor(a, requires_grad=True) for a in arrays]
    hidden = torch.tanh(f.unsqueeze(1) + g.unsqueeze(0))
    want = torch.nn.functional.linear(hidden, W_hy)
    (torch.tensor(dlogits) * want).sum().backward()
    logits, cache = joint_forward(*arrays)
    np.testing.assert_allclose(logits, want.detach(), **EXACT)
    for got, leaf in zip(joint_backward(dlogits, cache), leaves, strict=True):
        np.testing.assert_allclose(got, leaf.grad, **EXACT)


def predict(k, state):
    """A prediction network that counts: g is how much has been said."""
    said = [] if state is None else [*state, k]
    return len(said), said


def table(f_t, g):
    """A joint that says what the frame holds, one after another."""
    logits = np.zeros(V)
    logits[f_t[g] if g < len(f_t) else BLANK] = 1
    return logits


def test_greedy_says_labels_until_a_blank_sends_it_on():
    frames = [[1, 0], [9, 2, 3, 0], [9, 9, 9, 0], [9, 9, 9, 1]]
    said = transducer_greedy(frames, predict, table, 5)
    assert said == [(1, 0), (2, 1), (3, 1), (1, 3)]


def test_greedy_tells_the_predictor_every_label_and_no_blank():
    heard = []

    def listen(k, state):
        heard.append((k, state))
        return predict(k, state)

    transducer_greedy([[1, 2, 0], [9, 9, 3]], listen, table, 5)
    assert heard == [(BLANK, None), (1, []), (2, [1]), (3, [1, 2])]


def test_greedy_ends_though_no_blank_is_ever_said():
    said = transducer_greedy(
        range(3), predict, lambda f_t, g: -table([0], 0), 2
    )
    assert said == [(1, 0), (1, 0), (1, 1), (1, 1), (1, 2), (1, 2)]


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(1, 6), st.integers(1, 4), st.integers(0, 99))
def test_greedy_can_stream_since_it_never_looks_ahead(T, limit, seed):
    rng = np.random.default_rng(seed)
    f, g = rng.normal(size=(T, H)), rng.normal(size=(T * limit + 1, H))
    W_hy = rng.normal(size=(V, H))

    def next_g(k, n):
        n = 0 if n is None else n + 1
        return g[n], n

    def joint(f_t, g_u):
        return joint_forward(f_t[None, None], g_u[None, None], W_hy)[0].ravel()

    whole = transducer_greedy(f, next_g, joint, limit)
    for end in range(T):
        part = transducer_greedy(f[:end], next_g, joint, limit)
        assert part == [(k, t) for k, t in whole if t < end]
    for u, (k, t) in enumerate(whole):
        assert k == joint(f[t], g[u]).argmax() != BLANK
    counts = np.bincount([t for _, t in whole], minlength=T)
    for t, u in enumerate(np.cumsum(counts)):
        assert counts[t] == limit or joint(f[t], g[u]).argmax() == BLANK


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    logits, dlosses = make_case()
    f, g, W_hy = make_joint()
    _, cache = ragged(logits)
    bad = [
        (
            lambda: transducer_loss(logits[:, 1:], TARGETS),
            r"logits .*\(T, 4, B, V\), got \(6, 3, 5, 4\)",
        ),
        (lambda: transducer_loss(logits[:0], TARGETS), "T must .*got 0"),
        (lambda: transducer_loss(logits, TARGETS[:, 1:]), r"targets .*\(U, 5"),
        (
            lambda: transducer_loss(logits, TARGETS + 1),
            r"labels .*from 1 to 3",
        ),
        (
            lambda: transducer_loss(logits, TARGETS, [0] * B),
            "lengths .*1 to T",
        ),
        (
            lambda: transducer_loss(logits, TARGETS, LENGTHS, [4] * B),
            "target_lengths .*from 0 to U = 3",
        ),
        (
            lambda: transducer_loss_backward(dlosses[1:], cache),
            r"dlosses .*\(5,\), got \(4,\)",
        ),
        (lambda: joint_forward(f, g[:, 1:], W_hy), r"g .*5, 2\), got \(4, 4"),
        (lambda: transducer_alignments(0, 2), "T must .*at least 1, got 0"),
        (lambda: transducer_greedy([], predict, table, 0), "limit .*got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def sample():
    """Everything that a call of this module can ask for."""
    logits, dlosses = make_case()
    targets = np.array([[1, 2, 3, 1, 2], [2, 3, 3, 2, 1], [3, 1, 2, 3, 3]])
    lengths, target_lengths = LENGTHS, np.array([3, 1, 2, 0, 2])
    f, g, W_hy = make_joint()
    return {
        "logits": logits,
        "targets": targets,
        "lengths": lengths,
        "target_lengths": target_lengths,
        "dlosses": dlosses,
        "dlogits": logits,
        "f": f,
        "g": g,
        "W_hy": W_hy,
    }


def call(f, *names, **more):
    return {
        f: lambda: {
            **{name: sample()[name] for name in names},
            **{name: make() for name, make in more.items()},
        }
    }


CALLS = {
    **call(joint_forward, "f", "g", "W_hy"),
    **call(
        joint_backward,
        "dlogits",
        cache=lambda: joint_forward(*make_joint())[1],
    ),
    transducer_alignments: lambda: {"T": 3, "U": 2},
    **call(transducer_loss, "logits", "targets", "lengths", "target_lengths"),
    **call(
        transducer_loss_backward,
        "dlosses",
        cache=lambda: ragged(make_case()[0])[1],
    ),
    transducer_greedy: lambda: {
        "f": [[1, 2, 3], [9, 9, 3]],
        "predict": predict,
        "joint": table,
        "limit": 2,
    },
}
OTHER = {
    (transducer_greedy, "f"): lambda: [[1, 0], [9, 2]],
    (transducer_greedy, "predict"): lambda: lambda k, state: (2, None),
    (transducer_greedy, "joint"): lambda: lambda f_t, g: np.zeros(V),
}
