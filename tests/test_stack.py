from functools import partial
from math import comb

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seqbook.conventions import from_torch
from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.lstm import (
    LSTMParams,
    init_lstm,
    lstm_backward,
    lstm_forward,
    lstm_step,
    lstm_step_backward,
)
from seqbook.params import arrays_of, map_params
from seqbook.rnn import (
    RNNParams,
    init_rnn,
    rnn_backward,
    rnn_forward,
    rnn_step,
    rnn_step_backward,
)
from seqbook.stack import (
    bidirectional,
    deep,
    deep_residual,
    depends_on,
    over_time,
    over_time_backward,
    reverse_valid,
)

T, B, D, H = 6, 3, 4, 5  # all different, so a swapped axis cannot pass
LENGTHS = np.array([6, 1, 4])
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms
ragged = pytest.mark.parametrize(
    "lengths", [[T] * B, LENGTHS], ids=["full", "ragged"]
)


def make_case():
    """LSTMParams, x (T, B, D), (h_0, c_0) and (dh, dc) at all steps."""
    rng = np.random.default_rng(0)
    shapes = (4 * H, D), (4 * H, H), 4 * H
    p = LSTMParams(*(rng.normal(size=shape) for shape in shapes))
    x, *states = (rng.normal(size=s) for s in [(T, B, D), (B, H), (B, H)])
    return p, x, states, list(rng.normal(size=(2, T, B, H)))


def mask_of(lengths):
    return (np.arange(T)[:, None] < np.array(lengths))[..., None]


@ragged
def test_loop_over_steps_is_the_loop_of_the_lstm(lengths):
    p, x, states, dstates = make_case()
    dstates[1][:-1] = 0  # lstm_backward takes a gradient at the last cell
    *want, cache = lstm_forward(p, x, *states, lengths)
    want_grads = lstm_backward(p, dstates[0], dstates[1][-1], cache)
    got, cache = over_time(lstm_step, p, x, states, lengths)
    grads = over_time_backward(lstm_step_backward, p, dstates, cache)
    pairs = zip(
        arrays_of([got, *grads]), arrays_of([want, *want_grads]), strict=True
    )
    for a, b in pairs:
        np.testing.assert_allclose(a, b, **EXACT)


@ragged
def test_loop_over_steps_takes_a_cell_with_one_state(lengths):
    rng = np.random.default_rng(0)
    p, x = init_rnn(rng, D, H), rng.normal(size=(T, B, D))
    h_0, dh = rng.normal(size=(B, H)), rng.normal(size=(T, B, H))
    want, cache = rnn_forward(p, x, h_0, lengths)
    want_grads = rnn_backward(p, dh, cache)
    (got,), cache = over_time(rnn_step, p, x, [h_0], lengths)
    dx, (dh_0,), grads = over_time_backward(rnn_step_backward, p, [dh], cache)
    pairs = zip(
        arrays_of([got, dx, dh_0, grads]),
        arrays_of([want, *want_grads]),
        strict=True,
    )
    for a, b in pairs:
        np.testing.assert_allclose(a, b, **EXACT)


@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["full", "ragged"])
def test_gradients_at_every_state_match_central_differences(lengths):
    p, x, states, dstates = make_case()

    def loss():
        found, _ = over_time(lstm_step, p, x, states, lengths)
        return sum(np.sum(d * s) for d, s in zip(dstates, found, strict=True))

    _, cache = over_time(lstm_step, p, x, states, lengths)
    got = over_time_backward(lstm_step_backward, p, dstates, cache)
    arrays = arrays_of([x, states, p])
    for grad, array in zip(arrays_of(list(got)), arrays, strict=True):
        assert relative_error(grad, numerical_grad(loss, array)) < 1e-6


def test_gradients_of_a_single_step_are_those_of_the_step():
    p, x, states, dstates = make_case()
    h, cache = over_time(lstm_step, p, x[:1], states)
    *want_h, step = lstm_step(p, x[0], *states)
    np.testing.assert_allclose(h, np.stack(want_h)[:, None], **EXACT)
    dstates = [dh[:1] for dh in dstates]
    got = over_time_backward(lstm_step_backward, p, dstates, cache)
    dx_t, *want = lstm_step_backward(p, *(dh[0] for dh in dstates), step)
    want = arrays_of([dx_t[None], *want])
    for a, b in zip(arrays_of(list(got)), want, strict=True):
        np.testing.assert_allclose(a, b, **EXACT)


@pytest.mark.parametrize("padding", [1e9, np.inf, np.nan])
def test_padding_is_never_read(padding):
    p, x, states, dstates = make_case()
    want, cache = over_time(lstm_step, p, x, states, LENGTHS)
    want_grads = over_time_backward(lstm_step_backward, p, dstates, cache)
    mask = mask_of(LENGTHS)[..., 0]
    x[~mask] = padding
    got, cache = over_time(lstm_step, p, x, states, LENGTHS)
    grads = over_time_backward(lstm_step_backward, p, dstates, cache)
    pairs = zip(
        arrays_of([got, *grads]), arrays_of([want, *want_grads]), strict=True
    )
    for a, b in pairs:
        assert np.array_equal(a, b)
    assert not grads[0][~mask].any()  # dx: exactly zero there
    for b, n in enumerate(LENGTHS):
        assert all((s[n - 1 :, b] == s[n - 1, b]).all() for s in got)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_sequence_alone_equals_itself_in_company(data):
    T, B, D, H = (data.draw(st.integers(1, 5)) for _ in range(4))
    one_length = st.integers(1, T)
    lengths = data.draw(st.lists(one_length, min_size=B, max_size=B))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    p, x = init_lstm(rng, D, H), rng.normal(size=(T, B, D))
    states, dstates = rng.normal(size=(2, B, H)), rng.normal(size=(2, T, B, H))
    found, cache = over_time(lstm_step, p, x, states, lengths)
    dx, first, _ = over_time_backward(lstm_step_backward, p, dstates, cache)
    for b, n in enumerate(lengths):
        one = slice(b, b + 1)
        got, cache = over_time(lstm_step, p, x[:n, one], states[:, one])
        d_b = dstates[:, :n, one].copy()
        d_b[:, -1] = dstates[:, n - 1 :, one].sum(axis=1)  # on the held state
        back = over_time_backward(lstm_step_backward, p, d_b, cache)
        for s, s_b in zip(found, got, strict=True):
            np.testing.assert_allclose(s[:n, one], s_b, **EXACT)
        np.testing.assert_allclose(dx[:n, one], back[0], **EXACT)
        for d, d_0 in zip(first, back[1], strict=True):
            np.testing.assert_allclose(d[one], d_0, **EXACT)


def test_padding_stays_at_the_end():
    x = np.array([[1, 2, 3, 0], [4, 5, 6, 7]]).T
    got = reverse_valid(x, [3, 4]).T
    assert got.tolist() == [[3, 2, 1, 0], [7, 6, 5, 4]]


def test_without_lengths_everything_is_turned_round():
    x = np.random.default_rng(0).normal(size=(T, B, D))
    assert np.array_equal(reverse_valid(x), x[::-1])


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=4))
def test_twice_is_not_at_all(lengths):
    x = np.random.default_rng(0).normal(size=(5, len(lengths), 2))
    once = reverse_valid(x, lengths)
    assert np.array_equal(reverse_valid(once, lengths), x)
    for b, n in enumerate(lengths):
        assert np.array_equal(once[:n, b], x[:n, b][::-1])
        assert np.array_equal(once[n:, b], x[n:, b])


@ragged
def test_bidirectional_rnn_equals_torch(lengths):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(T, B, D))
    net = torch.nn.RNN(D, H, bidirectional=True).double()
    weights = {
        name: rng.normal(size=tuple(a.shape)) / 2
        for name, a in net.state_dict().items()
    }
    net.load_state_dict({n: torch.tensor(a) for n, a in weights.items()})
    packed = pack_padded_sequence(
        torch.tensor(x), lengths, enforce_sorted=False
    )
    h_0 = rng.normal(size=(2, B, H))
    out, h_T = net(packed, torch.tensor(h_0))
    want, _ = pad_packed_sequence(out)

    def reader(suffix, h_0):
        p = from_torch(RNNParams, weights, suffix)
        return lambda x, lengths: rnn_forward(p, x, h_0, lengths)[0]

    readers = reader("_l0", h_0[0]), reader("_l0_reverse", h_0[1])
    x[~mask_of(lengths)[..., 0]] = 1e9  # never read
    h = bidirectional(*readers, x, lengths)
    mask = mask_of(lengths)
    np.testing.assert_allclose(h * mask, want.detach(), 1e-12, 1e-12)
    last = h[-1, :, :H], h[0, :, H:]
    np.testing.assert_allclose(last, h_T.detach(), 1e-12, 1e-12)


@ragged
@pytest.mark.parametrize("both", [False, True], ids=["right", "both"])
def test_deep_lstm_equals_torch(lengths, both):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(T, B, D))
    net = torch.nn.LSTM(D, H, num_layers=3, bidirectional=both).double()
    weights = {
        name: rng.normal(size=tuple(a.shape)) / 2
        for name, a in net.state_dict().items()
    }
    net.load_state_dict({n: torch.tensor(a) for n, a in weights.items()})
    packed = pack_padded_sequence(
        torch.tensor(x), lengths, enforce_sorted=False
    )
    want, _ = pad_packed_sequence(net(packed)[0])
    zero = np.zeros((B, H))

    def reader(suffix):
        p = from_torch(LSTMParams, weights, suffix)
        return lambda x, lengths: lstm_forward(p, x, zero, zero, lengths)[0]

    layers = [reader(f"_l{n}") for n in range(3)]
    if both:
        turned = [reader(f"_l{n}_reverse") for n in range(3)]
        pairs = zip(layers, turned, strict=True)
        layers = [partial(bidirectional, *pair) for pair in pairs]
    x[~mask_of(lengths)[..., 0]] = np.nan  # never read
    h = np.where(mask_of(lengths), deep(layers, x, lengths), 0)
    np.testing.assert_allclose(h, want.detach(), 1e-12, 1e-12)


def rnn_layers(n=3):
    """RNNParams of n layers, and the layers as functions."""
    rng = np.random.default_rng(0)
    params = [init_rnn(rng, D if k == 0 else H, H) for k in range(n)]
    zero = np.zeros((B, H))

    def layer(p):
        return lambda x, lengths: rnn_forward(p, x, zero, lengths)[0]

    return params, [layer(p) for p in params]


def test_gradient_of_a_stack_goes_down_layer_by_layer():
    params, layers = rnn_layers()
    rng = np.random.default_rng(1)
    x, dh = rng.normal(size=(T, B, D)), rng.normal(size=(T, B, H))
    h, caches = x, []
    for p in params:
        h, cache = rnn_forward(p, h, np.zeros((B, H)), LENGTHS)
        caches.append(cache)
    dx, grads = dh, []
    for p, cache in zip(params[::-1], caches[::-1], strict=True):
        dx, _, part = rnn_backward(p, dx, cache)
        grads.insert(0, part)
    for grad, array in zip(
        arrays_of([dx, *grads]), arrays_of([x, *params]), strict=True
    ):
        want = numerical_grad(
            lambda: np.sum(dh * deep(layers, x, LENGTHS)), array
        )
        assert relative_error(grad, want) < 1e-6


def test_residual_stack_equals_layers_of_torch_added_up():
    params, layers = rnn_layers()
    rng = np.random.default_rng(1)
    x, dh = rng.normal(size=(T, B, D)), rng.normal(size=(T, B, H))
    x_leaf = torch.tensor(x, requires_grad=True)
    outputs = []
    for p in params:
        net = torch.nn.RNN(p.W_xh.shape[1], H).double()
        for own, array in zip(
            [net.weight_ih_l0, net.weight_hh_l0, net.bias_ih_l0],
            arrays_of(p),
            strict=True,
        ):
            own.data = torch.tensor(array)
        net.bias_hh_l0.data.zero_()
        below = sum(outputs) if outputs else x_leaf
        outputs.append(net(below)[0])
    (torch.tensor(dh) * sum(outputs)).sum().backward()
    h = deep_residual(layers, x)
    np.testing.assert_allclose(h, sum(outputs).detach(), **EXACT)
    slope = numerical_grad(lambda: np.sum(dh * deep_residual(layers, x)), x)
    assert relative_error(slope, x_leaf.grad.numpy()) < 1e-6


def test_residual_layers_that_say_nothing_change_nothing():
    _, layers = rnn_layers(1)
    x = np.random.default_rng(1).normal(size=(T, B, D))
    silent = [lambda h, lengths: 0 * h] * 7
    assert np.array_equal(
        deep_residual(layers + silent, x), layers[0](x, None)
    )
    assert not deep(layers + silent, x).any()


def test_every_layer_of_a_residual_stack_is_told_the_lengths():
    x = np.random.default_rng(1).normal(size=(T, B, D))
    h = deep_residual([reverse_valid, reverse_valid], x, LENGTHS)
    assert np.array_equal(h, reverse_valid(x, LENGTHS) + x)


def test_one_layer_is_the_layer_with_or_without_residuals():
    _, layers = rnn_layers(1)
    x = np.random.default_rng(1).normal(size=(T, B, D))
    want = layers[0](x, LENGTHS)
    assert np.array_equal(deep(layers, x, LENGTHS), want)
    assert np.array_equal(deep_residual(layers, x, LENGTHS), want)


def corner_gradient(T, L, w):
    """dh_T at the top in x_1, all weights w, in a net at rest: tanh' = 1."""
    inner = RNNParams(np.full((1, 1), w), np.full((1, 1), w), np.zeros(1))
    lowest = RNNParams(np.ones((1, 1)), inner.W_hh, inner.b_h)
    x, caches = np.zeros((T, 1, 1)), []
    for p in [lowest] + [inner] * (L - 1):
        caches.append((p, rnn_forward(p, x, np.zeros((1, 1)))[1]))
    dh = np.zeros_like(x)
    dh[-1] = 1
    for p, cache in reversed(caches):
        dh, _, _ = rnn_backward(p, dh, cache)
    return dh[0].item()


@pytest.mark.parametrize(("T", "L"), [(1, 1), (1, 5), (9, 1), (4, 3)])
def test_gradient_of_a_linear_stack_is_a_sum_over_paths(T, L):
    edges = (T - 1) + (L - 1)
    assert corner_gradient(T, L, 1.0) == comb(edges, L - 1)
    want = comb(edges, L - 1) * 0.5**edges
    assert corner_gradient(T, L, 0.5) == pytest.approx(want, rel=1e-12)


def test_100_steps_and_4_layers_have_171700_paths_of_102_edges_each():
    assert corner_gradient(100, 4, 1.0) == 171_700
    want = 171_700 * 0.5**102
    assert corner_gradient(100, 4, 0.5) == pytest.approx(want, rel=1e-12)
    longest = np.zeros((100, 4), int)  # by dynamic programming
    for t, n in np.ndindex(100, 4):
        before = [longest[t - 1, n] + 1] if t else []
        before += [longest[t, n - 1] + 1] if n else []
        longest[t, n] = max(before, default=0)
    assert longest[-1, -1] == 102


def tied_readers():
    """One LSTM for both directions, zeros before the first step."""
    p = init_lstm(np.random.default_rng(0), D, H)
    p.b_h += 0.5  # padding of zeros alone would move the state

    def read(x, lengths):
        zero = np.zeros((x.shape[1], H))
        return lstm_forward(p, x, zero, zero, lengths)[0]

    return read, read


def test_palindrome_reads_the_same_both_ways_unless_padding_is_read():
    x = np.random.default_rng(1).normal(size=(4, 2, D))
    x[1, 0] = x[0, 0]  # a palindrome of length 2, zeros after it
    x[2:, 0] = 0
    x[2:, 1] = x[1::-1, 1]  # and one of length 4
    h = bidirectional(*tied_readers(), x, [2, 4])
    assert np.array_equal(h[-1, :, :H], h[0, :, H:])
    unpacked = bidirectional(*tied_readers(), x)
    apart = np.abs(unpacked[-1, :, :H] - unpacked[0, :, H:]).max(axis=1)
    assert apart[0] > 0.1 and apart[1] == 0


def test_only_the_backward_half_is_spoilt_by_reading_padding():
    x = np.random.default_rng(1).normal(size=(5, 2, D))
    x[2:, 1] = 0
    alone = bidirectional(*tied_readers(), x[:2, 1:])
    padded = bidirectional(*tied_readers(), x)[:2, 1:]
    packed = bidirectional(*tied_readers(), x, [5, 2])[:2, 1:]
    np.testing.assert_allclose(packed, alone, **EXACT)
    np.testing.assert_allclose(padded[..., :H], alone[..., :H], **EXACT)
    assert np.abs(padded - alone)[..., H:].max() > 1e-3


def test_outputs_before_a_changed_token_stay_unless_the_net_reads_both_ways():
    read, _ = tied_readers()
    x = np.random.default_rng(1).normal(size=(T, 1, D))
    causal = depends_on(lambda x: read(x, None), x)
    assert np.array_equal(causal, np.tri(T, dtype=bool))
    assert not causal[:4, 4].any()  # token 5 and outputs 1 to 4
    assert depends_on(partial(bidirectional, read, read), x).all()

    other = x.copy()
    other[4] += 1
    moved = bidirectional(read, read, other) - bidirectional(read, read, x)
    assert not moved[:4, :, :H].any()
    assert np.abs(moved[:4, :, H:]).max() > 0.01


def test_real_steps_do_not_depend_on_padding():
    read, _ = tied_readers()
    x = np.random.default_rng(1).normal(size=(T, 1, D))
    both = partial(bidirectional, read, read, lengths=[4])
    found = depends_on(both, x)
    assert found[:4, :4].all() and not found[:, 4:].any()


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_dependence_of_a_linear_map_is_its_matrix(data):
    S, T, B, D = (data.draw(st.integers(1, 5)) for _ in range(4))
    bits = st.lists(st.booleans(), min_size=S * T, max_size=S * T)
    wanted = np.array(data.draw(bits)).reshape(S, T)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    M = np.where(wanted, rng.uniform(1, 2, (S, T)), 0)
    x = rng.normal(size=(T, B, D))
    f = partial(np.einsum, "st,tbd->sbd", M)
    assert np.array_equal(depends_on(f, x), wanted)
    assert np.array_equal(depends_on(f, np.float32(x)), wanted)


def test_dependence_sees_through_what_ignores_a_shift():
    def centred(x):
        return x - x.mean(axis=-1, keepdims=True)

    # whole numbers: a shift of all four would leave no rounding behind
    x = np.random.default_rng(0).integers(-9, 9, (T, D)).astype(float)
    assert np.array_equal(depends_on(centred, x), np.eye(T, dtype=bool))


def test_dependence_of_a_function_of_steps_alone_is_the_diagonal():
    x = np.linspace(-1, 1, T)  # one number a step
    assert np.array_equal(depends_on(np.tanh, x), np.eye(T, dtype=bool))
    total = depends_on(lambda x: x.sum(keepdims=True), x)
    assert total.shape == (1, T) and total.all()


def test_float32_in_gives_float32_out():
    p, x, states, dstates = map_params(np.float32, list(make_case()))
    found, cache = over_time(lstm_step, p, x, states, LENGTHS)
    back = over_time_backward(lstm_step_backward, p, dstates, cache)
    assert {a.dtype for a in arrays_of([found, *back])} == {np.dtype("f4")}


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    p, x, (h_0, c_0), (dh, dc) = make_case()
    forward = partial(over_time, lstm_step, p)
    _, cache = forward(x, (h_0, c_0))
    backward = partial(over_time_backward, lstm_step_backward, p)
    read, _ = tied_readers()
    narrow = [lambda x, lengths: x, lambda x, lengths: x[..., :1]]
    bad = [
        (lambda: forward(x[0], (h_0, c_0)), r"x .*\(T, B, D\), got \(3, 4\)"),
        (lambda: forward(x > 0, (h_0, c_0)), "x .*float.*got.*bool"),
        (lambda: forward(x[:0], (h_0, c_0)), "T must be .*at least 1, got 0"),
        (lambda: forward(x, (h_0[:2], c_0)), r"states\[0\] .*got \(2, 5\)"),
        (lambda: forward(x, (h_0, 0.0)), r"states\[1\] .*got a float"),
        (lambda: forward(x, (h_0, c_0[:, :1])), "same shape"),
        (lambda: forward(x, (h_0, c_0), [6, 0, 1]), r"lengths .*\[6, 0, 1\]"),
        (lambda: backward((dh, dc[1:]), cache), r"dstates\[1\] .*\(5, 3, 5\)"),
        (lambda: backward((dh[..., :1], dc), cache), r"dstates\[0\] .*3, 1\)"),
        (lambda: reverse_valid(np.ones((3, 2, 1)), [1, 9]), r"lengths .*9\]"),
        (lambda: bidirectional(read, read, x, [7, 1, 1]), "from 1 to T = 6"),
        (lambda: deep_residual(narrow, x), r"output .*4\), got \(6, 3, 1\)"),
        (lambda: depends_on(np.tanh, np.arange(3)), "x .*float.*got.*int64"),
        (lambda: depends_on(np.tanh, [0.5]), "x .*got a list"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def call_over_time():
    p, x, states, _ = make_case()
    fixed = {"step": lstm_step, "p": p, "x": x, "states": states}
    return {**fixed, "lengths": LENGTHS}


def call_over_time_backward():
    p, x, states, dstates = make_case()
    _, cache = over_time(lstm_step, p, x, states, LENGTHS)
    fixed = {"step_backward": lstm_step_backward, "p": p}
    return {**fixed, "dstates": dstates, "cache": cache}


def call_layers():
    """Layers without weights, which keep the dtype of what they read."""
    layers = [reverse_valid, lambda x, lengths: np.cumsum(x, axis=0)]
    return {"layers": layers, "x": make_case()[1], "lengths": LENGTHS}


def running_sum(x, lengths):
    return np.cumsum(x, axis=0)


CALLS = {
    over_time: call_over_time,
    over_time_backward: call_over_time_backward,
    reverse_valid: lambda: {"x": make_case()[1], "lengths": LENGTHS},
    bidirectional: lambda: {
        "read_right": running_sum,
        "read_left": running_sum,
        "x": make_case()[1],
        "lengths": LENGTHS,
    },
    deep: call_layers,
    deep_residual: call_layers,
    # one step is seen only where it is positive
    depends_on: lambda: {
        "f": lambda x: np.maximum(x, 0),
        "x": np.array([-1.0, 1.0, -1.0]),
    },
}
OTHER = {
    (over_time, "step"): lambda: (
        lambda p, x_t, h_prev, c_prev: (
            h_prev + 1,
            c_prev,
            None,
        )
    ),
    (over_time_backward, "step_backward"): lambda: (
        lambda p, dh_t, dc_t, cache: (cache[0], dh_t, dc_t, p)
    ),
    (bidirectional, "read_right"): lambda: lambda x, lengths: x,
    (bidirectional, "read_left"): lambda: lambda x, lengths: x,
    (deep, "layers"): lambda: [running_sum],
    (deep_residual, "layers"): lambda: [running_sum],
    (depends_on, "f"): lambda: lambda x: np.cumsum(x),
    (depends_on, "x"): lambda: np.array([-1.0, -1.0, 1.0]),
}
