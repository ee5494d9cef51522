import numpy as np
import pytest
import torch

from seqbook.functional import (
    cross_entropy,
    cross_entropy_backward,
    linear,
    linear_backward,
    log_softmax,
    log_softmax_backward,
    logsumexp,
    mean_cross_entropy,
    mean_cross_entropy_backward,
    sigmoid,
    sigmoid_backward,
    softmax,
    softmax_backward,
    tanh_backward,
)
from seqbook.gradcheck import numerical_grad, relative_error

T, B, H, V = 4, 3, 5, 6


def make_case():
    """logits (T, B, V), targets (T, B), mask (T, B) of lengths 4, 1, 3."""
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(T, B, V))
    targets = rng.integers(V, size=(T, B))
    return logits, targets, np.arange(T)[:, None] < np.array([4, 1, 3])


def test_sigmoid_reaches_its_ends_without_a_warning():
    s = sigmoid(np.array([-1000.0, -700.0, 0.0, 1000.0]))  # warnings raise
    np.testing.assert_allclose(s, [0, np.exp(-700), 0.5, 1], rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_type_is_kept(dtype):
    a = np.array([-1000.0, 0.0, 1000.0], dtype)
    for function in sigmoid, softmax, log_softmax, logsumexp:
        assert function(a).dtype == dtype, function.__name__


def test_logsumexp_survives_where_the_naive_form_underflows():
    a = np.array([-1000.0, -1000.0])
    assert np.exp(a).sum() == 0  # the naive form takes the log of this
    assert abs(logsumexp(a) - (-999.3069)) < 5e-5
    assert 0.1**324 == 0 and 0.1**323 > 0  # a product of probabilities


def test_logsumexp_of_nothing_but_impossible_is_impossible():
    a = np.array([[-np.inf, -np.inf], [0.0, -np.inf]])
    assert logsumexp(a).tolist() == [-np.inf, 0]


def test_logsumexp_takes_away_one_axis_and_no_other():
    assert logsumexp(np.zeros((1, 1, 3))).shape == (1, 1)
    assert logsumexp(np.zeros((1, 2, 1)), 1).shape == (1, 1)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_and_its_log_equal_torch_on_every_axis(axis):
    a = make_case()[0] * 300
    want = torch.softmax(torch.tensor(a), axis)
    np.testing.assert_allclose(softmax(a, axis), want, 1e-12, 1e-300)
    want = torch.log_softmax(torch.tensor(a), axis)
    np.testing.assert_allclose(log_softmax(a, axis), want, 1e-12, 1e-12)
    want = torch.logsumexp(torch.tensor(a), axis)
    np.testing.assert_allclose(logsumexp(a, axis), want, 1e-12)


@pytest.mark.parametrize(
    ("forward", "backward"),
    [
        (sigmoid, sigmoid_backward),
        (np.tanh, tanh_backward),
        (softmax, softmax_backward),
        (log_softmax, log_softmax_backward),
    ],
)
def test_derivatives_match_central_differences(forward, backward):
    a = make_case()[0]
    dy = np.random.default_rng(1).normal(size=a.shape)
    want = numerical_grad(lambda: np.sum(dy * forward(a)), a)
    assert relative_error(backward(dy, forward(a)), want) < 1e-8


def test_cross_entropy_equals_torch_per_position():
    logits, targets, _ = make_case()
    want = torch.nn.functional.cross_entropy(
        torch.tensor(logits).movedim(-1, 1),
        torch.tensor(targets),
        reduction="none",
    )
    np.testing.assert_allclose(cross_entropy(logits, targets), want, 1e-12)


def test_cross_entropy_backward_matches_central_differences():
    logits, targets, _ = make_case()
    dlosses = np.random.default_rng(1).normal(size=targets.shape)

    def loss():
        return np.sum(dlosses * cross_entropy(logits, targets))

    got = cross_entropy_backward(dlosses, logits, targets)
    assert relative_error(got, numerical_grad(loss, logits)) < 1e-8


def test_mean_cross_entropy_equals_torch_on_the_real_tokens():
    logits, targets, mask = make_case()
    leaf = torch.tensor(logits, requires_grad=True)
    ids = torch.tensor(np.where(mask, targets, -100))
    want = torch.nn.functional.cross_entropy(
        leaf.flatten(0, 1), ids.flatten(), ignore_index=-100
    )
    want.backward()
    got = mean_cross_entropy(logits, targets, mask)
    assert got == pytest.approx(want.item(), rel=1e-12)
    grad = mean_cross_entropy_backward(logits, targets, mask)
    np.testing.assert_allclose(grad, leaf.grad, 1e-12, 1e-15)


def test_nothing_under_the_mask_is_looked_at():
    logits, targets, mask = make_case()
    want = mean_cross_entropy(logits, targets, mask)
    grad = mean_cross_entropy_backward(logits, targets, mask)
    logits[~mask], targets[~mask] = 1e9, -1
    assert mean_cross_entropy(logits, targets, mask) == want
    again = mean_cross_entropy_backward(logits, targets, mask)
    assert np.array_equal(again, grad)
    assert not again[~mask].any()


def test_equal_logits_cost_log_V_nats():
    got = mean_cross_entropy(np.zeros((2, V)), np.array([0, 5]))
    assert got == pytest.approx(np.log(V), rel=1e-15)


@pytest.mark.parametrize("shape", [(T, B, H), (B, H), (H,)])
def test_linear_backward_matches_central_differences(shape):
    rng = np.random.default_rng(0)
    W, b, x = rng.normal(size=(V, H)), rng.normal(size=V), rng.normal(size=H)
    x = rng.normal(size=shape)
    dy = rng.normal(size=(*shape[:-1], V))
    got = linear_backward(W, x, dy)
    for grad, array in zip(got, (x, W, b), strict=True):
        want = numerical_grad(lambda: np.sum(dy * linear(W, b, x)), array)
        assert relative_error(grad, want) < 1e-8


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    logits, targets, mask = make_case()
    W, b, x = np.ones((V, H)), np.ones(V), np.ones((T, B, H))
    bad = [
        (lambda: cross_entropy(logits, targets + V), "targets.*0 to 5.*got"),
        (lambda: cross_entropy(logits, targets - V), "targets.*0 to 5.*got"),
        (lambda: cross_entropy(logits, targets * 1.0), "targets.*float64"),
        (lambda: cross_entropy(logits, targets.T), r"targets.*\(3, 4\)"),
        (lambda: cross_entropy(targets, targets), "logits.*float.*int64"),
        (lambda: mean_cross_entropy(logits, targets, mask.T), "mask.*got"),
        (lambda: mean_cross_entropy(logits, targets, mask * 1), "mask.*int"),
        (lambda: mean_cross_entropy(logits, targets, mask & 0 > 0), "True"),
        (lambda: linear(W, b, x[..., 1:]), r"x must.*5\), got \(4, 3, 4\)"),
        (lambda: linear(W, b[1:], x), r"b must.*\(6,\), got \(5,\)"),
        (lambda: linear_backward(W, x, x), r"dy must.*\(4, 3, 6\), got"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def samples():
    """Random arrays for one call of each function, by argument name."""
    rng = np.random.default_rng(1)
    logits, targets, mask = make_case()
    shapes = {
        "a": (T, V),
        "ds": (T, V),
        "dy": (T, V),
        "dp": (T, V),
        "dlog_p": (T, V),
        "dlosses": (T, B),
        "W": (V, H),
        "b": (V,),
        "x": (T, H),
    }
    arrays = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    p = softmax(arrays["a"])
    more = {"s": p, "y": p, "p": p, "log_p": np.log(p), "axis": -1}
    ids = {"logits": logits, "targets": targets, "mask": mask}
    return {**arrays, **more, **ids}


def call(*names):
    return lambda: {name: samples()[name] for name in names}


CALLS = {
    sigmoid: call("a"),
    sigmoid_backward: call("ds", "s"),
    tanh_backward: call("dy", "y"),
    logsumexp: call("a", "axis"),
    log_softmax: call("a", "axis"),
    log_softmax_backward: call("dlog_p", "log_p", "axis"),
    softmax: call("a", "axis"),
    softmax_backward: call("dp", "p", "axis"),
    cross_entropy: call("logits", "targets"),
    cross_entropy_backward: call("dlosses", "logits", "targets"),
    mean_cross_entropy: call("logits", "targets", "mask"),
    mean_cross_entropy_backward: call("logits", "targets", "mask"),
    linear: call("W", "b", "x"),
    linear_backward: call("W", "x", "dy"),
}
