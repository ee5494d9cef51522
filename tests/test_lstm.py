import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seqbook.conventions import to_torch
from seqbook.functional import sigmoid
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

T, B, D, H = 5, 4, 2, 3  # all different, so a swapped axis cannot pass
LENGTHS = np.array([5, 1, 3, 2])
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms
gates = pytest.mark.parametrize("block", [None, 0, 1, 2, 3])


def make_case(block=None):
    """Params, x, h_0, c_0, dh (T, B, H), dc_T; one block saturated."""
    rng = np.random.default_rng(0)
    shapes = (4 * H, D), (4 * H, H), 4 * H
    p = LSTMParams(*(rng.normal(size=shape) for shape in shapes))
    if block is not None:
        p.b_h[block * H : (block + 1) * H] += [7, -7, 7]
    sizes = (T, B, D), (B, H), (B, H), (T, B, H), (B, H)
    return p, *(rng.normal(size=size) for size in sizes)


def by_name(dx, dh_0, dc_0, grads):
    return {"x": dx, "h_0": dh_0, "c_0": dc_0, **vars(grads)}


@gates
def test_step_backward_matches_central_differences(block):
    p, x, h_0, c_0, dh, dc_T = make_case(block)

    def loss():
        h_t, c_t, _ = lstm_step(p, x[0], h_0, c_0)
        return np.sum(dh[0] * h_t) + np.sum(dc_T * c_t)

    *_, cache = lstm_step(p, x[0], h_0, c_0)
    got = by_name(*lstm_step_backward(p, dh[0], dc_T, cache))
    arrays = {"x": x[0], "h_0": h_0, "c_0": c_0, **vars(p)}
    for name, array in arrays.items():
        error = relative_error(got[name], numerical_grad(loss, array))
        assert error < 1e-6, name


@gates
@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["full", "ragged"])
def test_backward_matches_central_differences(block, lengths):
    p, x, h_0, c_0, dh, dc_T = make_case(block)

    def loss():
        h, c, _ = lstm_forward(p, x, h_0, c_0, lengths)
        return np.sum(dh * h) + np.sum(dc_T * c[-1])

    *_, cache = lstm_forward(p, x, h_0, c_0, lengths)
    got = by_name(*lstm_backward(p, dh, dc_T, cache))
    for name, array in {"x": x, "h_0": h_0, "c_0": c_0, **vars(p)}.items():
        error = relative_error(got[name], numerical_grad(loss, array))
        assert error < 1e-6, name


@pytest.mark.parametrize("lengths", [[T] * B, LENGTHS], ids=["full", "ragged"])
def test_forward_and_gradients_equal_torch(lengths):
    p, x, h_0, c_0, dh, dc_T = make_case()
    dh_T = np.random.default_rng(1).normal(size=h_0.shape)
    mask = (np.arange(T)[:, None] < np.array(lengths))[..., None]
    net = torch.nn.LSTM(D, H).double()
    net.load_state_dict({n: torch.tensor(a) for n, a in to_torch(p).items()})
    with torch.no_grad():  # both biases random, their sum ours
        net.bias_hh_l0.normal_(generator=torch.Generator().manual_seed(0))
        net.bias_ih_l0 -= net.bias_hh_l0
    leaves = [torch.tensor(a, requires_grad=True) for a in (x, h_0, c_0)]
    packed = pack_padded_sequence(leaves[0], lengths, enforce_sorted=False)
    out, (h_T, c_T) = net(packed, (leaves[1][None], leaves[2][None]))
    want, _ = pad_packed_sequence(out)
    loss = (torch.tensor(dh * mask) * want).sum()
    loss = loss + (torch.tensor(dh_T) * h_T[0]).sum()
    (loss + (torch.tensor(dc_T) * c_T[0]).sum()).backward()

    h, c, cache = lstm_forward(p, x, h_0, c_0, lengths)
    np.testing.assert_allclose(h * mask, want.detach(), **EXACT)
    np.testing.assert_allclose(h[-1], h_T[0].detach(), **EXACT)
    np.testing.assert_allclose(c[-1], c_T[0].detach(), **EXACT)
    dh = dh * mask
    dh[-1] += dh_T  # h[-1] is the last state of every sequence
    got = arrays_of(list(lstm_backward(p, dh, dc_T, cache)))
    weights = net.weight_ih_l0, net.weight_hh_l0, net.bias_hh_l0
    for grad, leaf in zip(got, [*leaves, *weights], strict=True):
        np.testing.assert_allclose(grad, leaf.grad, **EXACT)


def test_loop_equals_steps():
    p, x, h_0, c_0, *_ = make_case()
    h, c, _ = lstm_forward(p, x, h_0, c_0)
    h_t, c_t = h_0, c_0
    for t in range(T):
        h_t, c_t, _ = lstm_step(p, x[t], h_t, c_t)
        np.testing.assert_allclose(h[t], h_t, **EXACT)
        np.testing.assert_allclose(c[t], c_t, **EXACT)


def test_loop_backward_equals_steps_backward():
    p, x, h_0, c_0, dh, dc = make_case()
    *_, cache = lstm_forward(p, x, h_0, c_0)
    want = by_name(*lstm_backward(p, dh, dc, cache))
    caches, h_t, c_t = [], h_0, c_0
    for t in range(T):
        h_t, c_t, step = lstm_step(p, x[t], h_t, c_t)
        caches.append(step)
    dh_t, total = 0, map_params(np.zeros_like, p)
    for t in reversed(range(T)):
        got = lstm_step_backward(p, dh[t] + dh_t, dc, caches[t])
        dx_t, dh_t, dc, grads = got
        np.testing.assert_allclose(dx_t, want["x"][t], **EXACT)
        total = map_params(np.add, total, grads)
    for name, array in {"h_0": dh_t, "c_0": dc, **vars(total)}.items():
        np.testing.assert_allclose(array, want[name], **EXACT)


def gate_case(**biases):
    """One unit, no weights, gate biases given; c_0 = 2, h_0 = 1 -> h, c."""
    b_h = np.array([biases.get(gate, 0.0) for gate in "ifgo"])
    p = LSTMParams(np.zeros((4, 1)), np.zeros((4, 1)), b_h)
    one = np.ones((1, 1))
    h_t, c_t, _ = lstm_step(p, one, one, 2 * one)
    return h_t.item(), c_t.item()


def test_each_gate_does_its_own_work():
    closed, open_ = -1000.0, 1000.0
    assert gate_case(i=closed, f=open_)[1] == 2  # the cell is kept
    assert gate_case(i=closed, f=closed)[1] == 0  # and emptied
    assert gate_case(i=open_, f=closed, g=open_)[1] == 1  # overwritten
    assert gate_case(i=closed, f=open_, o=closed) == (0, 2)  # not shown
    assert gate_case(i=closed, f=open_, o=open_)[0] == np.tanh(2)


def test_forget_bias_is_set_once_and_keeps_73_percent():
    p = init_lstm(np.random.default_rng(0), 128, 256, forget_bias=1.0)
    f = sigmoid(p.b_h[256:512])
    assert (f == f[0]).all() and abs(f[0] - 0.7311) < 5e-5
    assert abs(sigmoid(2.0) - 0.8808) < 5e-5  # what two vectors of 1 give
    assert f[0] ** 50 == pytest.approx(1.58e-7, rel=5e-3)
    assert sigmoid(2.0) ** 50 == pytest.approx(1.75e-3, rel=5e-3)
    rest = np.delete(p.b_h, range(256, 512))
    assert 0.06 < np.abs(rest).max() < 1 / 16  # torch's interval
    assert not init_lstm(np.random.default_rng(0), 2, 3).b_h[3:6].any()


def test_torch_agrees_which_block_is_the_forget_gate():
    p = map_params(np.zeros_like, make_case()[0])
    p.b_h[:] = -1000.0
    p.b_h[H : 2 * H] = 1000.0
    cell = torch.nn.LSTMCell(D, H).double()
    cell.load_state_dict(
        {n: torch.tensor(a) for n, a in to_torch(p, suffix="").items()}
    )
    c_0 = np.random.default_rng(0).normal(size=(B, H))
    x_t, h_0 = np.ones((B, D)), np.ones((B, H))
    state = torch.tensor(h_0), torch.tensor(c_0)
    assert np.array_equal(cell(torch.tensor(x_t), state)[1].detach(), c_0)
    assert np.array_equal(lstm_step(p, x_t, h_0, c_0)[1], c_0)


def test_gradient_of_the_direct_path_is_the_forget_gate():
    p, x, h_0, c_0, *_ = make_case()
    *_, cache = lstm_step(p, x[0], h_0, c_0)
    f = cache[4]
    one = np.ones((B, H))
    dc_prev = lstm_step_backward(p, 0 * one, one, cache)[2]
    assert np.array_equal(dc_prev, f)


def test_over_two_steps_the_direct_path_is_not_the_whole_jacobian():
    p, x, h_0, c_0, *_ = make_case()
    *_, cache = lstm_forward(p, x[:2], h_0, c_0)
    dh, dc_T = np.zeros((2, B, H)), np.ones((B, H))
    dc_0 = lstm_backward(p, dh, dc_T, cache)[2]
    f = cache[3][:, 1]
    assert relative_error(f[0] * f[1], dc_0) > 0.1


@pytest.mark.parametrize("padding", [1e9, np.nan])
def test_nothing_in_the_padding_changes_anything(padding):
    p, x, h_0, c_0, dh, dc_T = make_case()
    want = lstm_forward(p, x, h_0, c_0, LENGTHS)
    want_grads = lstm_backward(p, dh, dc_T, want[2])
    mask = np.arange(T)[:, None] < LENGTHS
    x[~mask] = padding
    got = lstm_forward(p, x, h_0, c_0, LENGTHS)
    grads = lstm_backward(p, dh, dc_T, got[2])
    assert np.array_equal(got[0], want[0])
    assert np.array_equal(got[1], want[1])
    for a, b in zip(arrays_of(grads), arrays_of(want_grads), strict=True):
        assert np.array_equal(a, b)
    assert not grads[0][~mask].any()  # dx: exactly zero there


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_sequence_alone_equals_itself_in_company(data):
    T, B, D, H = (data.draw(st.integers(1, 5)) for _ in range(4))
    one_length = st.integers(1, T)
    lengths = data.draw(st.lists(one_length, min_size=B, max_size=B))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    p = init_lstm(rng, D, H, forget_bias=1.0)
    sizes = (T, B, D), (B, H), (B, H), (T, B, H), (B, H)
    x, h_0, c_0, dh, dc_T = (rng.normal(size=size) for size in sizes)
    h, c, cache = lstm_forward(p, x, h_0, c_0, lengths)
    dx, dh_0, dc_0, _ = lstm_backward(p, dh, dc_T, cache)
    for b, n in enumerate(lengths):
        one = slice(b, b + 1)
        h_b, c_b, cache = lstm_forward(p, x[:n, one], h_0[one], c_0[one])
        np.testing.assert_allclose(h[:n, one], h_b, **EXACT)
        np.testing.assert_allclose(c[-1, one], c_b[-1], **EXACT)
        dh_b = dh[:n, one].copy()
        dh_b[-1] = dh[n - 1 :, one].sum(axis=0)  # on the held state too
        alone = lstm_backward(p, dh_b, dc_T[one], cache)
        np.testing.assert_allclose(dx[:n, one], alone[0], **EXACT)
        np.testing.assert_allclose(dh_0[one], alone[1], **EXACT)
        np.testing.assert_allclose(dc_0[one], alone[2], **EXACT)


def counter(dtype):
    """One unit that adds 1 at input (1, 0) and takes 1 off at (0, 1)."""
    W_xh = np.zeros((4, 2))
    W_xh[2] = 30, -30
    b_h = np.array([30, 30, 0, 30])
    p = LSTMParams(W_xh, np.zeros((4, 1)), b_h)
    return map_params(lambda a: a.astype(dtype), p)


def count(dtype, letters):
    """Cell states (T,) of the counter over a string of a's and b's."""
    x = np.array([[[s == "a", s == "b"]] for s in letters], dtype)
    zero = np.zeros((1, 1), dtype)
    return lstm_forward(counter(dtype), x, zero, zero)[1].ravel()


def test_saturated_cell_counts_exactly():
    # in float32 sigmoid(30) and tanh(30) are 1; in float64 1e-13 is missing
    assert count(np.float32, "a" * 1000)[-1] == 1000
    assert count(np.float32, "a" * 1000 + "b" * 1000)[-1] == 0
    assert count(np.float32, "a" * 1001 + "b" * 1000)[-1] == 1
    (hundred,) = np.flatnonzero(count(np.float32, "a" * 200) == 100)
    assert hundred + 1 == 100  # at step 100 and at no other
    assert count(np.float64, "a" * 1000)[-1] == pytest.approx(1000, rel=1e-9)


def test_float32_in_gives_float32_out():
    p, x, h_0, c_0, dh, dc_T = map_params(np.float32, list(make_case()))
    h, c, cache = lstm_forward(p, x, h_0, c_0, LENGTHS)
    found = arrays_of([h, c, *lstm_backward(p, dh, dc_T, cache)])
    assert {a.dtype for a in found} == {np.dtype(np.float32)}


@pytest.mark.parametrize("wide", ["p", "x", "h_0", "c_0"])
def test_one_float64_among_float32_makes_the_states_float64(wide):
    names = "p", "x", "h_0", "c_0"
    given = dict(zip(names, make_case(), strict=False))
    for name in given.keys() - {wide}:
        given[name] = map_params(np.float32, given[name])
    h, c, _ = lstm_forward(**given)
    assert h.dtype == c.dtype == np.float64


def test_gradients_of_a_single_step_are_those_of_the_step():
    p, x, h_0, c_0, dh, dc_T = make_case()
    h, c, cache = lstm_forward(p, x[:1], h_0, c_0)
    h_t, c_t, step = lstm_step(p, x[0], h_0, c_0)
    dx_t, *want = lstm_step_backward(p, dh[0], dc_T, step)
    got = arrays_of([h, c, *lstm_backward(p, dh[:1], dc_T, cache)])
    want = arrays_of([h_t[None], c_t[None], dx_t[None], *want])
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, **EXACT)


def test_initial_weights_fill_the_interval_of_torch():
    p = init_lstm(np.random.default_rng(0), 30, 100)
    assert [a.shape for a in arrays_of(p)] == [(400, 30), (400, 100), (400,)]
    for a in arrays_of(p):  # 300 draws at the least: 5 % from both ends
        assert -0.1 <= a.min() < -0.095 and 0.095 < a.max() <= 0.1


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    p, x, h_0, c_0, dh, dc_T = make_case()
    *_, cache = lstm_forward(p, x, h_0, c_0)
    rows = LSTMParams(*(a[:-1] for a in arrays_of(p)))
    bad = [
        (lambda: lstm_forward(p, x[0], h_0, c_0), r"x .*got \(4, 2\)"),
        (lambda: lstm_forward(p, x > 0, h_0, c_0), "x .*float.*got.*bool"),
        (lambda: lstm_forward(p, x, h_0[0], c_0), r"h_0 .*\(4, 3\), got"),
        (lambda: lstm_forward(p, x, h_0, c_0[1:]), r"c_0 .*got \(3, 3\)"),
        (lambda: lstm_forward(p, x, h_0, c_0, [9] * 4), r"lengths .*\[9, 9"),
        (lambda: lstm_forward(rows, x, h_0, c_0), r"W_hh .*got \(11, 3\)"),
        (lambda: lstm_backward(p, dh[0], dc_T, cache), r"dh .*got \(4, 3\)"),
        (lambda: lstm_backward(p, dh, 0.0, cache), "dc_T .*got a float"),
        (lambda: init_lstm(np.random.default_rng(0), 0, 3), "D .*got 0"),
        (lambda: init_lstm(np.random.default_rng(0), 2, -1), "H .*got -1"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def call(*names):
    """The arguments of these names, from make_case."""

    def make():
        p, x, h_0, c_0, dh, dc_T = make_case()
        known = {"p": p, "x": x, "h_0": h_0, "c_0": c_0, "lengths": LENGTHS}
        known |= {"x_t": x[0], "h_prev": h_0, "c_prev": c_0}
        known |= {"dh": dh, "dc_T": dc_T, "dh_t": dh[0], "dc_t": dc_T}
        loop = "dh" in names
        known["cache"] = (
            lstm_forward(p, x, h_0, c_0, LENGTHS)
            if loop
            else lstm_step(p, x[0], h_0, c_0)
        )[2]
        return {name: known[name] for name in names}

    return make


CALLS = {
    init_lstm: lambda: {
        "rng": np.random.default_rng(0),
        "D": 2,
        "H": 3,
        "forget_bias": 1.0,
    },
    lstm_step: call("p", "x_t", "h_prev", "c_prev"),
    lstm_step_backward: call("p", "dh_t", "dc_t", "cache"),
    lstm_forward: call("p", "x", "h_0", "c_0", "lengths"),
    lstm_backward: call("p", "dh", "dc_T", "cache"),
}
