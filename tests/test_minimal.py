import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.functional import sigmoid
from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.minimal import (
    MinimalParams,
    mingru_backward,
    mingru_forward,
    mingru_step,
    minlstm_backward,
    minlstm_forward,
)
from seqbook.params import arrays_of, map_params
from seqbook.ssm import linear_recurrence, softplus, zero_order_hold

T, B, D, H = 7, 3, 4, 5  # all different, so a swapped axis cannot pass
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms

MINGRU = 2, mingru_forward, mingru_backward
MINLSTM = 3, minlstm_forward, minlstm_backward
both_cells = pytest.mark.parametrize(
    "cell", [MINGRU, MINLSTM], ids=["gru", "lstm"]
)
gates = pytest.mark.parametrize("bias", [0, 7], ids=["open", "saturated"])


def make_case(blocks=2, bias=0, T=T, seed=0):
    """Params, x (T, B, D), h_0 (B, H), dh (T, B, H).

    bias opens the first block and closes it in one unit, its second block
    of gates (of a minLSTM) the other way round.
    """
    rng = np.random.default_rng(seed)
    p = MinimalParams(
        rng.normal(size=(blocks * H, D)), rng.normal(size=blocks * H)
    )
    gate_rows = p.b_h[: (blocks - 1) * H].reshape(blocks - 1, H)
    gate_rows += bias * np.array([1, -1])[: blocks - 1, None]
    gate_rows[:, 0] -= 2 * bias * np.array([1, -1])[: blocks - 1]
    sizes = (T, B, D), (B, H), (T, B, H)
    return p, *(rng.normal(size=size) for size in sizes)


def naive_gates(p, x):
    """z (T, B, H) and the candidate of either cell, as in the paper."""
    a = np.einsum("tbd,hd->tbh", x, p.W_xh) + p.b_h
    if len(p.b_h) == 2 * H:
        return 1 / (1 + np.exp(-a[..., :H])), a[..., H:]
    f, i = (1 / (1 + np.exp(-a[..., n * H : (n + 1) * H])) for n in (0, 1))
    return i / (f + i), a[..., 2 * H :]


def naive_states(p, x, h_0):
    z, n = naive_gates(p, x)
    h, state = [], h_0
    for t in range(len(x)):
        state = (1 - z[t]) * state + z[t] * n[t]
        h.append(state)
    return np.array(h)


def by_name(dx, dh_0, grads):
    return {"x": dx, "h_0": dh_0, **vars(grads)}


@both_cells
@gates
@pytest.mark.parametrize("T", [1, 2, 7, 8, 257])
def test_scan_equals_the_loop(cell, bias, T):
    blocks, forward, _ = cell
    p, x, h_0, _ = make_case(blocks, bias, T)
    h, _ = forward(p, x, h_0)
    np.testing.assert_allclose(h, naive_states(p, x, h_0), **EXACT)


def test_mingru_scan_equals_its_steps():
    p, x, h_0, _ = make_case()
    h, _ = mingru_forward(p, x, h_0)
    h_t = h_0
    for t in range(T):
        h_t = mingru_step(p, x[t], h_t)
        np.testing.assert_allclose(h[t], h_t, **EXACT)


@both_cells
@gates
@pytest.mark.parametrize("T", [1, 6])
def test_backward_matches_central_differences(cell, bias, T):
    blocks, forward, backward = cell
    p, x, h_0, dh = make_case(blocks, bias, T)
    _, cache = forward(p, x, h_0)
    got = by_name(*backward(p, dh, cache))
    for name, array in {"x": x, "h_0": h_0, **vars(p)}.items():
        want = numerical_grad(
            lambda: np.sum(dh * forward(p, x, h_0)[0]), array
        )
        assert relative_error(got[name], want) < 1e-6, name


@both_cells
@gates
def test_states_and_gradients_equal_autograd_of_the_paper(cell, bias):
    blocks, forward, backward = cell
    p, x, h_0, dh = make_case(blocks, bias)
    leaves = [torch.tensor(a, requires_grad=True) for a in (x, h_0)]
    weights = [torch.tensor(a, requires_grad=True) for a in arrays_of(p)]
    a = torch.nn.functional.linear(leaves[0], *weights)
    gate, n = torch.sigmoid(a[..., :-H]), a[..., -H:]
    z = (
        gate
        if blocks == 2
        else gate[..., H:] / (gate[..., :H] + gate[..., H:])
    )
    state, want = leaves[1], []
    for t in range(T):
        state = torch.lerp(state, n[t], z[t])
        want.append(state)
    (torch.tensor(dh) * torch.stack(want)).sum().backward()

    h, cache = forward(p, x, h_0)
    np.testing.assert_allclose(h, torch.stack(want).detach(), **EXACT)
    got = arrays_of(list(backward(p, dh, cache)))
    for grad, leaf in zip(got, leaves + weights, strict=True):
        np.testing.assert_allclose(grad, leaf.grad, **EXACT)


def test_gating_is_discretisation():
    # A = -1, B = 1 and delta = softplus(z): the held state is the gated one
    p, x, h_0, _ = make_case()
    a_z, n = np.split(x @ p.W_xh.T + p.b_h, 2, axis=-1)
    A_bar, B_bar = zero_order_hold(-1.0, 1.0, softplus(a_z))
    np.testing.assert_allclose(A_bar, 1 - sigmoid(a_z), 1e-12, 1e-15)
    np.testing.assert_allclose(B_bar, sigmoid(a_z), **EXACT)
    want = linear_recurrence(A_bar, B_bar * n, h_0)
    np.testing.assert_allclose(mingru_forward(p, x, h_0)[0], want, **EXACT)


@both_cells
def test_scan_of_logarithms_agrees_where_candidates_are_positive(cell):
    blocks, forward, _ = cell
    p, x, h_0, _ = make_case(blocks)
    p.W_xh[-H:] = 0
    p.b_h[-H:] = np.linspace(0.5, 2, H)
    h_0 = np.abs(h_0)
    z, n = map(torch.tensor, naive_gates(p, x))
    kept = torch.cumsum(torch.log1p(-z), dim=0)
    start = torch.log(torch.tensor(h_0))[None]
    written = torch.cat([start, torch.log(z * n) - kept])
    want = torch.exp(kept + torch.logcumsumexp(written, dim=0)[1:])
    np.testing.assert_allclose(forward(p, x, h_0)[0], want, **EXACT)


def one_unit(h_prev, z, n):
    """The next state of one minGRU unit with this gate and candidate."""
    b_h = np.array([np.log(z / (1 - z)), n])
    p = MinimalParams(np.zeros((2, 1)), b_h)
    return mingru_step(p, np.zeros((1, 1)), np.full((1, 1), h_prev)).item()


def test_z_near_one_overwrites_and_z_near_zero_keeps():
    assert one_unit(h_prev=1.0, z=0.9, n=0.0) == pytest.approx(0.1)
    assert one_unit(h_prev=1.0, z=0.1, n=0.0) == pytest.approx(0.9)


def test_closed_gate_copies_and_open_gate_overwrites():
    p, x, h_0, _ = make_case()
    p.b_h[:H] = -1000
    assert (mingru_forward(p, x, h_0)[0] == h_0).all()
    p.b_h[:H] = 1000
    want = x @ p.W_xh[H:].T + p.b_h[H:]
    np.testing.assert_allclose(mingru_forward(p, x, h_0)[0], want, **EXACT)


@pytest.mark.parametrize(
    ("f", "i", "z"),
    [(-1000, -1000, 0.5), (1000, 1000, 0.5), (1000, -1000, 0)]
    + [(-1000, 1000, 1), (-1000, -1001, sigmoid(-1.0)), (-800, 3, 1)],
)
def test_two_gates_share_one_even_where_both_are_closed(f, i, z):
    p = MinimalParams(np.zeros((3, 1)), np.array([f, i, 2.0]))
    x, h_0 = np.zeros((1, 1, 1)), np.full((1, 1), -3.0)
    h, cache = minlstm_forward(p, x, h_0)
    assert h.item() == pytest.approx((1 - z) * -3 + z * 2, rel=1e-12)
    dx, dh_0, grads = minlstm_backward(p, np.ones((1, 1, 1)), cache)
    assert dh_0.item() == pytest.approx(1 - z, rel=1e-12)
    assert np.isfinite(grads.b_h).all()


def test_state_never_leaves_the_range_of_start_and_candidates():
    p, x, h_0, _ = make_case()
    n = x @ p.W_xh[H:].T + p.b_h[H:]
    bound = np.maximum(np.abs(h_0).max(), np.abs(n).max())
    assert np.abs(mingru_forward(p, x, h_0)[0]).max() <= bound


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_gradient_is_the_slope_for_any_shape(data):
    blocks, forward, backward = data.draw(st.sampled_from([MINGRU, MINLSTM]))
    T, B, D, H = (data.draw(st.integers(1, 5)) for _ in range(4))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    p = MinimalParams(
        rng.normal(size=(blocks * H, D)), rng.normal(size=blocks * H)
    )
    x, h_0 = rng.normal(size=(T, B, D)), rng.normal(size=(B, H))
    dh = rng.normal(size=(T, B, H))
    way = map_params(lambda a: rng.normal(size=a.shape), [x, h_0, p])

    def loss(step):
        x_s, h_s, p_s = map_params(lambda a, d: a + step * d, [x, h_0, p], way)
        return np.sum(dh * forward(p_s, x_s, h_s)[0])

    _, cache = forward(p, x, h_0)
    pairs = zip(
        arrays_of(list(backward(p, dh, cache))), arrays_of(way), strict=True
    )
    slope = sum(np.sum(g * d) for g, d in pairs)
    want = (loss(1e-6) - loss(-1e-6)) / 2e-6
    assert abs(slope - want) < 1e-7 * (1 + abs(want))


@both_cells
def test_gates_at_a_thousand_give_finite_states_and_gradients(cell):
    blocks, forward, backward = cell
    p, x, h_0, dh = make_case(blocks)
    p.W_xh[:-H] *= 1000
    h, cache = forward(p, x, h_0)
    for array in arrays_of([h, *backward(p, dh, cache)]):
        assert np.isfinite(array).all()


@both_cells
def test_float32_in_gives_float32_out(cell):
    blocks, forward, backward = cell
    p, x, h_0, dh = map_params(np.float32, list(make_case(blocks)))
    h, cache = forward(p, x, h_0)
    found = arrays_of([h, *backward(p, dh, cache)])
    if blocks == 2:
        found.append(mingru_step(p, x[0], h_0))
    assert {a.dtype for a in found} == {np.dtype(np.float32)}


@both_cells
def test_errors_name_the_argument_what_it_must_be_and_what_it_is(cell):
    blocks, forward, backward = cell
    p, x, h_0, dh = make_case(blocks)
    _, cache = forward(p, x, h_0)
    rows = MinimalParams(p.W_xh[1:], p.b_h)
    short = MinimalParams(p.W_xh, p.b_h[1:])
    n = blocks * H
    bad = [
        (lambda: forward(p, x[0], h_0), r"x .*\(T, 3, 4\), got \(3, 4\)"),
        (lambda: forward(p, x[..., 1:], h_0), r"x .*got \(7, 3, 3\)"),
        (lambda: forward(p, x.astype(int), h_0), "x .*float.*got.*int64"),
        (lambda: forward(p, x[:0], h_0), "T must be .*at least 1, got 0"),
        (lambda: forward(p, x, h_0[0]), r"h_0 .*\(B, H\), got \(5,\)"),
        (lambda: forward(p, x, h_0[:, 1:]), rf"W_xh .*{4 * blocks}, D"),
        (lambda: forward(rows, x, h_0), rf"W_xh .*got \({n - 1}, 4\)"),
        (lambda: forward(short, x, h_0), rf"b .*\({n},\), got \({n - 1},\)"),
        (lambda: backward(p, dh[1:], cache), r"dh .*got \(6, 3, 5\)"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def _forward_call(blocks):
    p, x, h_0, _ = make_case(blocks, T=3)
    return {"p": p, "x": x, "h_0": h_0}


def _backward_call(blocks, forward):
    p, x, h_0, dh = make_case(blocks, T=3)
    return {"p": p, "dh": dh, "cache": forward(p, x, h_0)[1]}


def _step_call():
    p, x, h_0, _ = make_case()
    return {"p": p, "x_t": x[0], "h_prev": h_0}


CALLS = {
    mingru_step: _step_call,
    mingru_forward: lambda: _forward_call(2),
    mingru_backward: lambda: _backward_call(2, mingru_forward),
    minlstm_forward: lambda: _forward_call(3),
    minlstm_backward: lambda: _backward_call(3, minlstm_forward),
}
OTHER = {}
