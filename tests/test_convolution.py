import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import adaptive_max_pool1d, conv1d, pad

from seqbook.convolution import (
    ConvParams,
    causal_conv,
    causal_conv_backward,
    init_conv,
    max_over_time,
    max_over_time_backward,
    receptive_field,
)
from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.params import arrays_of, map_params

T, B, C_IN, C_OUT, K = 7, 3, 4, 5, 2  # all different
LENGTHS = [7, 1, 4]
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms
layers = pytest.mark.parametrize(
    ("k", "dilation"),
    [(1, 1), (2, 1), (3, 2), (2, 6), (2, 7), (4, 5)],
    ids=lambda n: str(n),  # (2, 7) and (4, 5) reach beyond the first step
)


def make_case(k=K):
    """Params, x (T, B, C_in), dy (T, B, C_out), all random."""
    rng = np.random.default_rng(0)
    shapes = (k, C_OUT, C_IN), C_OUT
    p = ConvParams(*(rng.normal(size=shape) for shape in shapes))
    return p, *(rng.normal(size=(T, B, C)) for C in (C_IN, C_OUT))


def torch_conv(p, x, dilation):
    """-> y (T, B, C_out) as a tensor, and its leaves W, b, x in our layout."""
    W, b, x = (torch.tensor(a, requires_grad=True) for a in (p.W, p.b, x))
    reach = (len(p.W) - 1) * dilation
    past = pad(x.permute(1, 2, 0), (reach, 0))  # (B, C_in, reach + T)
    y = conv1d(past, W.flip(0).permute(1, 2, 0), b, dilation=dilation)
    return y.permute(2, 0, 1), [W, b, x]


@layers
def test_convolution_and_its_gradients_equal_torch(k, dilation):
    p, x, dy = make_case(k)
    want, (W, b, x_leaf) = torch_conv(p, x, dilation)
    (torch.tensor(dy) * want).sum().backward()
    y, cache = causal_conv(p, x, dilation)
    dx, grads = causal_conv_backward(p, dy, cache)
    np.testing.assert_allclose(y, want.detach(), **EXACT)
    np.testing.assert_allclose(dx, x_leaf.grad, **EXACT)
    np.testing.assert_allclose(grads.W, W.grad, **EXACT)
    np.testing.assert_allclose(grads.b, b.grad, **EXACT)


@layers
def test_backward_matches_central_differences(k, dilation):
    p, x, dy = make_case(k)
    _, cache = causal_conv(p, x, dilation)
    dx, grads = causal_conv_backward(p, dy, cache)
    got = {"x": dx, **vars(grads)}
    for name, array in {"x": x, **vars(p)}.items():
        want = numerical_grad(
            lambda: np.sum(dy * causal_conv(p, x, dilation)[0]), array
        )  # linear in each array, so only rounding is left
        np.testing.assert_allclose(got[name], want, 1e-7, 1e-7, err_msg=name)


def test_value_known_by_hand():
    p = ConvParams(np.array([[[1.0]], [[10.0]]]), np.array([0.5]))
    x = np.array([1.0, 2, 3, 4])[:, None, None]
    y, _ = causal_conv(p, x, 2)  # y[t] = x[t] + 10 x[t - 2] + 0.5
    assert y.ravel().tolist() == [1.5, 2.5, 13.5, 24.5]


def test_no_output_depends_on_a_later_step():
    p, x, _ = make_case(3)
    want, _ = causal_conv(p, x, 2)
    for t in range(T):
        changed = x.copy()
        changed[t] += 1
        y, _ = causal_conv(p, changed, 2)
        assert np.array_equal(y[:t], want[:t])
        assert (y[t] != want[t]).all()


def steps_seen(stack, T):
    """Change each input step in turn: how many move the last output?"""
    rng = np.random.default_rng(1)
    ps = [init_conv(rng, 2, 2, k) for k, _ in stack]

    def last(x):
        for p, (_, dilation) in zip(ps, stack, strict=True):
            x, _ = causal_conv(p, x, dilation)
        return x[-1, 0]

    x = np.zeros((T, 1, 2))
    moved = []
    for t in range(T):
        changed = x.copy()
        changed[t] = 1
        moved.append(bool((last(changed) != last(x)).any()))
    return moved


@pytest.mark.parametrize(
    ("stack", "field"),
    [
        ([], 1),
        ([(1, 5)], 1),
        ([(3, 1)], 3),
        ([(3, 1)] * 4, 9),
        ([(2, 1), (2, 2), (2, 4), (2, 8)], 16),
        ([(3, 1), (3, 3), (3, 9)], 27),
        ([(2, 3), (4, 1)], 7),
    ],
)
def test_field_is_what_a_perturbation_reaches(stack, field):
    assert receptive_field(stack) == field
    seen = steps_seen(stack, field + 4)
    assert not any(seen[:4]) and all(seen[4:])


def test_dilation_that_skips_leaves_holes_in_the_field():
    assert receptive_field([(2, 3)]) == 4
    assert steps_seen([(2, 3)], 4) == [True, False, False, True]


def test_order_of_layers_does_not_change_the_field():
    stack = [(2, 1), (3, 4), (5, 2)]
    assert receptive_field(stack) == receptive_field(stack[::-1]) == 18


def test_wavenet_fields_double_inside_a_block_and_add_up_across_blocks():
    block = [(2, 2**i) for i in range(10)]
    assert receptive_field(block) == 1024
    assert receptive_field(3 * block) == 3070
    assert receptive_field([(2, 1)] + 3 * block) == 3071
    assert receptive_field(3 * block) / 16 == pytest.approx(191.9, abs=0.05)


def depth(field, dilation_of_layer):
    """Layers of width 3 until the field holds `field` steps."""
    stack = []
    while receptive_field(stack) < field:
        stack.append((3, dilation_of_layer(len(stack))))
    return len(stack)


def test_a_thousand_steps_take_500_layers_or_9_doubling_or_7_tripling():
    assert depth(1000, lambda i: 1) == math.ceil((1000 - 1) / 2) == 500
    assert depth(1000, lambda i: 2**i) == 9
    assert depth(1000, lambda i: 3**i) == math.ceil(math.log(1000, 3)) == 7


def test_convolution_moves_with_its_input_and_pooling_does_not_care():
    p, x, _ = make_case(3)
    p.b[:] = 0
    x[-3:] = 0  # so that nothing is pushed over the end
    y, _ = causal_conv(p, x, 1)
    moved, _ = causal_conv(p, np.roll(x, 1, axis=0), 1)
    assert np.array_equal(moved, np.roll(y, 1, axis=0))
    assert np.abs(moved - y).max() > 1
    assert np.array_equal(max_over_time(moved)[0], max_over_time(y)[0])


def test_bank_of_widths_pooled_equals_textcnn_in_torch():
    _, x, _ = make_case()
    for k in (2, 3):  # narrow convolution: only full windows compete
        p = make_case(k)[0]
        y, _ = causal_conv(p, x, 1)
        got, _ = max_over_time(y[k - 1 :])
        W = torch.tensor(p.W).flip(0).permute(1, 2, 0)
        narrow = conv1d(torch.tensor(x).permute(1, 2, 0), W, torch.tensor(p.b))
        want = adaptive_max_pool1d(narrow, 1)[..., 0]
        np.testing.assert_allclose(got, want, **EXACT)


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["full", "ragged"])
def test_pooling_backward_equals_torch_and_central_differences(lengths):
    _, _, y = make_case()
    dtop = np.random.default_rng(1).normal(size=(B, C_OUT))
    top, won = max_over_time(y, lengths)
    got = max_over_time_backward(dtop, won)
    leaf, total = torch.tensor(y, requires_grad=True), 0
    for b, n in enumerate(lengths or [T] * B):
        best = leaf[:n, b].max(dim=0).values
        assert np.array_equal(top[b], best.detach())
        total = total + (torch.tensor(dtop[b]) * best).sum()
    total.backward()
    assert np.array_equal(got, leaf.grad)
    want = numerical_grad(
        lambda: np.sum(dtop * max_over_time(y, lengths)[0]), y
    )
    assert relative_error(got, want) < 1e-7


def test_tie_goes_to_the_earliest_and_only_to_it():
    y = np.array([1.0, 3, 3, 2])[:, None, None]
    top, won = max_over_time(y)
    dy = max_over_time_backward(np.array([[5.0]]), won)
    assert top.item() == 3 and dy.ravel().tolist() == [0, 5, 0, 0]


@pytest.mark.parametrize("padding", [1e9, np.nan])
def test_nothing_in_the_padding_changes_a_real_step_or_the_pool(padding):
    p, x, _ = make_case(3)
    mask = np.arange(T)[:, None] < LENGTHS
    want, _ = causal_conv(p, x, 2)
    top, won = max_over_time(want, LENGTHS)
    x[~mask] = padding
    y, _ = causal_conv(p, x, 2)
    assert np.array_equal(y[mask], want[mask])
    got, got_won = max_over_time(y, LENGTHS)
    assert np.array_equal(got, top) and np.array_equal(got_won, won)
    assert not got_won[~mask].any()


def test_gradients_through_the_pool_do_not_meet_the_padding():
    p, x, _ = make_case(3)
    dtop = np.random.default_rng(1).normal(size=(B, C_OUT))
    found = []
    for padding in (0.0, 1e9):
        x[np.arange(T)[:, None] >= LENGTHS] = padding
        y, cache = causal_conv(p, x, 2)
        dy = max_over_time_backward(dtop, max_over_time(y, LENGTHS)[1])
        found.append(arrays_of(list(causal_conv_backward(p, dy, cache))))
    for a, b in zip(*found, strict=True):
        assert np.array_equal(a, b)


def test_negative_maximum_is_not_beaten_by_zeros_of_the_padding():
    y = np.full((3, 2, 1), -5.0)
    y[1:, 1] = 0
    assert max_over_time(y, [3, 1])[0].tolist() == [[-5], [-5]]


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_sequence_alone_equals_itself_in_company(data):
    T, B, C_in, C_out, k, dilation = (
        data.draw(st.integers(1, 5)) for _ in range(6)
    )
    one_length = st.integers(1, T)
    lengths = data.draw(st.lists(one_length, min_size=B, max_size=B))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    p = init_conv(rng, C_in, C_out, k)
    x = rng.normal(size=(T, B, C_in))
    dtop = rng.normal(size=(B, C_out))
    y, cache = causal_conv(p, x, dilation)
    top, won = max_over_time(y, lengths)
    dx, _ = causal_conv_backward(p, max_over_time_backward(dtop, won), cache)
    for b, n in enumerate(lengths):
        one = slice(b, b + 1)
        y_b, cache_b = causal_conv(p, x[:n, one], dilation)
        top_b, won_b = max_over_time(y_b)
        dy_b = max_over_time_backward(dtop[one], won_b)
        np.testing.assert_allclose(y[:n, one], y_b, **EXACT)
        np.testing.assert_allclose(top[one], top_b, **EXACT)
        dx_b, _ = causal_conv_backward(p, dy_b, cache_b)
        np.testing.assert_allclose(dx[:n, one], dx_b, **EXACT)
        assert not dx[n:, one].any()


def test_float32_in_gives_float32_out():
    p, x, dy = map_params(np.float32, list(make_case(3)))
    y, cache = causal_conv(p, x, 2)
    top, won = max_over_time(y, LENGTHS)
    found = [y, top, max_over_time_backward(top, won)]
    found += causal_conv_backward(p, dy, cache)
    assert {a.dtype for a in arrays_of(found)} == {np.dtype(np.float32)}


def test_initial_weights_fill_the_interval_of_torch():
    p = init_conv(np.random.default_rng(0), 20, 30, 5)
    layer = torch.nn.Conv1d(20, 30, 5)
    assert p.W.shape == (5, 30, 20) and p.b.shape == (30,)
    for ours, theirs in [(p.W, layer.weight), (p.b, layer.bias)]:
        assert theirs.abs().max() < 0.1  # 1 / sqrt(5 * 20)
        assert -0.1 <= ours.min() < -0.09 and 0.09 < ours.max() <= 0.1


@pytest.mark.parametrize("wide", ["W", "b", "x"])
def test_one_float64_among_float32_makes_the_result_float64(wide):
    p, x, _ = make_case()
    given = {**vars(p), "x": x}
    for name in given.keys() - {wide}:
        given[name] = given[name].astype(np.float32)
    y, _ = causal_conv(ConvParams(given["W"], given["b"]), given["x"], 2)
    assert y.dtype == np.float64


def test_a_single_step_meets_the_first_tap_alone():
    p, x, dy = make_case()
    y, cache = causal_conv(p, x[:1], 1)
    np.testing.assert_allclose(y[0], x[0] @ p.W[0].T + p.b, **EXACT)
    dx, grads = causal_conv_backward(p, dy[:1], cache)
    np.testing.assert_allclose(dx[0], dy[0] @ p.W[0], **EXACT)
    np.testing.assert_allclose(grads.W[0], dy[0].T @ x[0], **EXACT)
    assert not grads.W[1:].any()


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    p, x, dy = make_case()
    y, cache = causal_conv(p, x, 1)
    _, won = max_over_time(y)
    flat, short = ConvParams(p.W[0], p.b), ConvParams(p.W, p.b[1:])
    bad = [
        (lambda: causal_conv(flat, x, 1), r"W .*\(k, C_out, C_in\), got"),
        (lambda: causal_conv(short, x, 1), r"b .*\(5,\), got \(4,\)"),
        (lambda: causal_conv(p, x[0], 1), r"x .*\(T, B, 4\), got \(3, 4\)"),
        (lambda: causal_conv(p, x.astype(int), 1), "x .*float.*int64"),
        (lambda: causal_conv(p, x[:0], 1), "T .*at least 1, got 0"),
        (lambda: causal_conv(p, x, 0), "dilation .*at least 1, got 0"),
        (lambda: causal_conv_backward(p, dy[1:], cache), "dy .*got"),
        (lambda: receptive_field([(3, 1), (0, 1)]), "k .*got 0"),
        (lambda: receptive_field([(3, 1.5)]), "dilation .*got 1.5"),
        (lambda: max_over_time(y[0]), r"y .*\(T, B, C\), got \(3, 5\)"),
        (lambda: max_over_time(y[:0]), "T .*at least 1, got 0"),
        (lambda: max_over_time(y, [7, 0, 4]), r"lengths .*\[7, 0, 4\]"),
        (lambda: max_over_time_backward(dy, won), r"dtop .*\(3, 5\), got"),
        (lambda: init_conv(np.random.default_rng(0), 0, 5, 2), "C_in .*got 0"),
        (lambda: init_conv(np.random.default_rng(0), 4, 0, 2), "C_out .*0"),
        (lambda: init_conv(np.random.default_rng(0), 4, 5, 0), "k .*got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def _won():
    return max_over_time(make_case()[2], LENGTHS)[1]


CALLS = {
    init_conv: lambda: dict(
        rng=np.random.default_rng(0), C_in=4, C_out=5, k=2
    ),
    causal_conv: lambda: dict(p=make_case()[0], x=make_case()[1], dilation=2),
    causal_conv_backward: lambda: dict(
        p=make_case()[0], dy=make_case()[2], cache=(make_case()[1], 2)
    ),
    receptive_field: lambda: dict(layers=[(3, 1), (2, 4)]),
    max_over_time: lambda: dict(y=make_case()[2], lengths=[7, 1, 4]),
    max_over_time_backward: lambda: dict(
        dtop=np.random.default_rng(1).normal(size=(B, C_OUT)), won=_won()
    ),
}
OTHER = {
    # the bias never matters to a gradient: change all fields at once
    (causal_conv_backward, "p"): lambda: map_params(
        lambda a: a + 0.5, make_case()[0]
    ),
    (receptive_field, "layers"): lambda: [(3, 1), (2, 5)],
}
