from math import exp, log1p, log2

import numpy as np
import pytest
import scipy.signal
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from seqbook.functional import sigmoid
from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.params import map_params
from seqbook.ssm import (
    SelectiveParams,
    doubling_rounds,
    fft_convolution,
    linear_recurrence,
    scan,
    scan_backward,
    selection,
    softplus,
    ssm,
    ssm_kernel,
    tree_rounds,
    zero_order_hold,
)

T, B, D, N = 13, 2, 3, 5  # all different, so a swapped axis cannot pass
LENGTHS = [1, 2, 3, 5, 8, 13, 16, 31, 257]  # powers of two and others
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 300 terms

both_plans = pytest.mark.parametrize("plan", [doubling_rounds, tree_rounds])
lengths = pytest.mark.parametrize("T", LENGTHS)
quick = settings(deadline=None, derandomize=True, max_examples=25)


def make_recurrence(T=T, shape=(B, D), seed=0):
    """a, b (T, B, D), h_0 (B, D), dh (T, B, D); a of both signs."""
    rng = np.random.default_rng(seed)
    a = rng.uniform(-1, 1, (T, *shape))
    b, dh = rng.normal(size=(2, T, *shape))
    return a, b, rng.normal(size=shape), dh


def make_complex(T=T):
    """a, b (T, B, D), h_0 (B, D), complex, |a| below 1."""
    rng = np.random.default_rng(1)
    a = rng.uniform(0, 1, (T, B, D)) * np.exp(1j * rng.normal(size=(T, B, D)))
    b = rng.normal(size=(T, B, D)) + 1j * rng.normal(size=(T, B, D))
    return a, b, rng.normal(size=(B, D)) * (1 + 2j)


def make_s4d(kind, seed=0):
    """A_bar, B_bar, C (D, N) of S4D-Lin or S4D-Real, each D its own step."""
    rng = np.random.default_rng(seed)
    n, delta = np.arange(N), rng.uniform(0.02, 0.2, (D, 1))
    C = rng.normal(size=(D, N))
    A = -(n + 1.0)
    if kind == "lin":
        A, C = -0.5 + 1j * np.pi * n, C + 1j * rng.normal(size=(D, N))
    return *zero_order_hold(A, np.ones(N), delta), C


def make_selective(seed=0):
    """SelectiveParams, x (T, B, D), h_0 (B, D, N)."""
    rng = np.random.default_rng(seed)
    A = -rng.uniform(0.5, 2, (D, N))
    W_x = rng.normal(size=(D + 2 * N, D)) / np.sqrt(D)
    p = SelectiveParams(A, W_x, rng.normal(size=D + 2 * N))
    return p, rng.normal(size=(T, B, D)), rng.normal(size=(B, D, N))


def loop_of_scalars(a, b, h_0):
    """h_t = a_t h_{t-1} + b_t as it is written, one number at a time."""
    h = np.empty_like(b)
    for index in np.ndindex(h_0.shape):
        state = h_0[index]
        for t in range(len(a)):
            state = a[(t, *index)] * state + b[(t, *index)]
            h[(t, *index)] = state
    return h


@lengths
def test_loop_is_the_recurrence(T):
    for a, b, h_0 in make_recurrence(T)[:3], make_complex(T):
        want = loop_of_scalars(a, b, h_0)
        np.testing.assert_allclose(linear_recurrence(a, b, h_0), want, **EXACT)


@both_plans
@lengths
def test_scan_equals_the_loop(plan, T):
    for a, b, h_0 in make_recurrence(T)[:3], make_complex(T):
        want = loop_of_scalars(a, b, h_0)
        np.testing.assert_allclose(scan(a, b, h_0, plan), want, **EXACT)


def test_scan_of_257_steps_takes_9_rounds_and_errs_in_the_last_bits():
    a, b, h_0, _ = make_recurrence(257)
    assert len(doubling_rounds(257)) == 9
    error = np.abs(scan(a, b, h_0) - linear_recurrence(a, b, h_0)).max()
    assert error < 5e-15  # some twenty roundings of numbers below 5


@both_plans
@quick
@given(data=st.data())
def test_scan_equals_the_loop_for_any_shape(plan, data):
    T = data.draw(st.integers(1, 40))
    shape = tuple(data.draw(st.lists(st.integers(1, 3), max_size=3)))
    a, b, h_0, _ = make_recurrence(T, shape, data.draw(st.integers(0, 99)))
    h_0 = np.asarray(h_0)
    want = loop_of_scalars(a, b, h_0)
    np.testing.assert_allclose(scan(a, b, h_0, plan), want, **EXACT)
    np.testing.assert_allclose(linear_recurrence(a, b, h_0), want, **EXACT)


@lengths
def test_constant_recurrence_is_a_filter_of_scipy(T):
    _, b, h_0, _ = make_recurrence(T)
    for d, a in enumerate([0.9, -0.5, 0.1]):
        start = (a * h_0[:, d])[None]  # lfilter keeps a h_{t-1}
        want, _ = scipy.signal.lfilter([1], [1, -a], b[..., d], 0, start)
        for solve in linear_recurrence, scan:
            h = solve(np.full_like(b[..., d], a), b[..., d], h_0[:, d])
            np.testing.assert_allclose(h, want, **EXACT)


@both_plans
def test_plan_joins_neighbouring_stretches_until_all_reach_the_start(plan):
    for T in [*range(1, 70), 255, 256, 257]:
        start = np.arange(T)  # position t knows the stretch start[t] .. t
        for left, right in plan(T):
            assert len(right) and len(set(right.tolist())) == len(right)
            assert (start[right] == left + 1).all()  # side by side, no gap
            start[right] = start[left]
        assert not start.any()


def test_doubling_takes_the_fewest_rounds_and_the_tree_the_fewest_pairs():
    def costs(plan):
        return len(plan), sum(len(right) for _, right in plan)

    for T in range(1, 300):
        rounds, pairs = costs(doubling_rounds(T))
        assert 2 ** (rounds - 1) < T <= 2**rounds
        assert pairs == T * rounds - (2**rounds - 1) <= T * rounds
        tree, tree_pairs = costs(tree_rounds(T))
        assert tree <= 2 * log2(T)
        assert T - 1 <= tree_pairs < 2 * T
    assert costs(doubling_rounds(256)) == (8, 8 * 256 - 255)
    assert costs(tree_rounds(256)) == (2 * 8 - 1, 2 * 256 - 2 - 8)
    assert doubling_rounds(1) == tree_rounds(1) == []


def test_limits_of_the_recurrence_known_by_hand():
    _, b, h_0, _ = make_recurrence()
    for solve in linear_recurrence, scan:
        sums = solve(np.ones_like(b), b, h_0)
        np.testing.assert_allclose(sums, h_0 + np.cumsum(b, axis=0), **EXACT)
        assert (solve(np.zeros_like(b), b, h_0) == b).all()
        assert (solve(np.ones_like(b), 0 * b, h_0) == h_0).all()


def test_products_that_underflow_do_no_harm():
    a, b, h_0, _ = make_recurrence(257)
    a = 1e-200 * a
    np.testing.assert_allclose(
        scan(a, b, h_0), linear_recurrence(a, b, h_0), **EXACT
    )


@pytest.mark.parametrize("T", [1, 2, 5, 8])
def test_scan_backward_matches_central_differences(T):
    a, b, h_0, dh = make_recurrence(T)
    got = scan_backward(dh, a, scan(a, b, h_0), h_0)
    for grad, array in zip(got, (a, b, h_0), strict=True):
        want = numerical_grad(lambda: np.sum(dh * scan(a, b, h_0)), array)
        assert relative_error(grad, want) < 1e-7


@lengths
def test_scan_backward_equals_autograd_through_the_loop(T):
    a, b, h_0, dh = make_recurrence(T)
    leaves = [torch.tensor(array, requires_grad=True) for array in (a, b, h_0)]
    state, loss = leaves[2], 0
    for t in range(T):
        state = torch.addcmul(leaves[1][t], leaves[0][t], state)
        loss = loss + (torch.tensor(dh[t]) * state).sum()
    loss.backward()
    got = scan_backward(dh, a, linear_recurrence(a, b, h_0), h_0)
    for grad, leaf in zip(got, leaves, strict=True):
        np.testing.assert_allclose(grad, leaf.grad, **EXACT)


def test_hold_and_euler_of_one_state_differ_as_known():
    A_bar, B_bar = zero_order_hold(-1.0, 1.0, 0.5)
    assert round(float(A_bar), 4) == 0.6065
    assert round(float(B_bar), 4) == 0.3935
    # Mamba's code: delta = 0.5, B = 1, C = 1 from biases alone
    b_x = np.array([np.log(np.expm1(0.5)), 1, 1])
    p = SelectiveParams(np.array([[-1.0]]), np.zeros((3, 1)), b_x)
    A_bar, B_bar, C = selection(p, np.ones((1, 1, 1)))
    assert round(A_bar.item(), 4) == 0.6065
    assert B_bar.item() == pytest.approx(0.5, rel=1e-15)
    y, h = ssm(scan, A_bar, B_bar, C, np.ones((1, 1, 1)), np.zeros((1, 1, 1)))
    assert y.item() == h.item() == B_bar.item()  # x_t enters h_t at once


@pytest.mark.parametrize("kind", ["lin", "real"])
def test_hold_equals_that_of_scipy(kind):
    n = np.arange(N)
    A = -(n + 1.0) if kind == "real" else -0.5 + 1j * np.pi * n
    B_in, delta = np.linspace(1, 2, N), 0.3
    system = np.diag(A), B_in[:, None], np.eye(N), np.zeros((N, 1))
    A_want, B_want, *_ = scipy.signal.cont2discrete(system, delta, "zoh")
    A_bar, B_bar = zero_order_hold(A, B_in, delta)
    np.testing.assert_allclose(A_bar, np.diag(A_want), **EXACT)
    np.testing.assert_allclose(B_bar, B_want[:, 0], **EXACT)
    _, B_euler, *_ = scipy.signal.cont2discrete(system, delta, "euler")
    np.testing.assert_allclose(B_euler[:, 0], delta * B_in, **EXACT)


def test_hold_of_a_pure_integrator_is_its_step_and_the_limit_is_smooth():
    A = np.array([0.0, -1e-300, -1e-12, 1e-12])
    A_bar, B_bar = zero_order_hold(A, np.full(4, 3.0), 0.5)
    np.testing.assert_allclose(A_bar, 1, rtol=1e-11)
    np.testing.assert_allclose(B_bar, 1.5, rtol=1e-11)


def test_gating_is_discretisation():
    z = np.array([-1000, -30, -3.0, 0, 0.5, 4, 30, 1000])
    A_bar, B_bar = zero_order_hold(-1.0, 1.0, softplus(z))
    np.testing.assert_allclose(A_bar, 1 - sigmoid(z), 1e-12, 1e-15)
    np.testing.assert_allclose(B_bar, sigmoid(z), 1e-12, 0)


@pytest.mark.parametrize("kind", ["lin", "real"])
@lengths
def test_recurrence_scan_and_convolution_are_one_map(kind, T):
    A_bar, B_bar, C = make_s4d(kind)
    x = np.random.default_rng(1).normal(size=(T, B, D))
    h_0 = np.zeros((B, D, N), A_bar.dtype)
    K = ssm_kernel(A_bar, B_bar, C, T)
    assert K.shape == (T, D) and K.dtype == np.float64
    want = np.empty_like(x)
    for b, d in np.ndindex(B, D):
        want[:, b, d] = np.convolve(x[:, b, d], K[:, d])[:T]
    by_loop, h_loop = ssm(linear_recurrence, A_bar, B_bar, C, x, h_0)
    by_scan, h_scan = ssm(scan, A_bar, B_bar, C, x, h_0)
    for y in by_loop, by_scan, fft_convolution(K, x):
        np.testing.assert_allclose(y, want, **EXACT)
    np.testing.assert_allclose(h_loop, h_scan, **EXACT)


def test_ssm_equals_the_state_space_simulation_of_scipy():
    A_bar, B_bar, C = make_s4d("real")
    x = np.random.default_rng(1).normal(size=(T, B, D))
    y, h = ssm(scan, A_bar, B_bar, C, x, np.zeros((B, D, N)))
    for b, d in np.ndindex(B, D):
        # scipy reads y_t from the state before x_t: C A h_{t-1} + C B x_t
        A, B_in = np.diag(A_bar[d]), B_bar[d][:, None]
        system = A, B_in, C[d][None] @ A, C[d][None] @ B_in, 1
        _, want, _ = scipy.signal.dlsim(system, x[:, b, d])
        np.testing.assert_allclose(y[:, b, d], want[:, 0], **EXACT)
    np.testing.assert_allclose(y, np.sum(C * h, axis=-1), **EXACT)


def test_kernel_is_the_answer_to_an_impulse():
    A_bar, B_bar, C = make_s4d("lin")
    x, h_0 = np.zeros((T, 1, D)), np.zeros((1, D, N), complex)
    x[0] = 1
    y, _ = ssm(linear_recurrence, A_bar, B_bar, C, x, h_0)
    np.testing.assert_allclose(
        ssm_kernel(A_bar, B_bar, C, T), y[:, 0], **EXACT
    )
    no_memory = ssm_kernel(0 * A_bar, B_bar, C, T)
    assert not no_memory[1:].any() and no_memory[0].all()


def test_end_of_a_convolution_does_not_come_round_to_its_start():
    K, x = np.ones((T, D)), np.zeros((T, B, D))
    x[-1] = 1
    y = fft_convolution(K, x)
    np.testing.assert_allclose(y[:-1], 0, atol=1e-15)
    np.testing.assert_allclose(y[-1], 1, **EXACT)


def test_ssm_continues_from_where_it_stopped():
    p, x, h_0 = make_selective()
    A_bar, B_bar, C = selection(p, x)
    y, h = ssm(scan, A_bar, B_bar, C, x, h_0)
    first, h_5 = ssm(scan, A_bar[:5], B_bar[:5], C[:5], x[:5], h_0)
    rest, _ = ssm(scan, A_bar[5:], B_bar[5:], C[5:], x[5:], h_5[-1])
    np.testing.assert_allclose(np.concatenate([first, rest]), y, **EXACT)


def test_selective_ssm_equals_its_equations_one_number_at_a_time():
    p, x, h_0 = make_selective()
    want, state = np.empty_like(x), h_0.copy()
    for t, b in np.ndindex(T, B):
        a = [
            x[t, b] @ row + bias
            for row, bias in zip(p.W_x, p.b_x, strict=True)
        ]
        B_t, C_t = a[D : D + N], a[D + N :]
        for d in range(D):
            delta = log1p(exp(a[d]))
            for n in range(N):
                kept = exp(delta * p.A[d, n]) * state[b, d, n]
                state[b, d, n] = kept + delta * B_t[n] * x[t, b, d]
            want[t, b, d] = sum(C_t * state[b, d])
    for recurrence in linear_recurrence, scan:
        y, h = ssm(recurrence, *selection(p, x), x, h_0)
        np.testing.assert_allclose(y, want, **EXACT)
        np.testing.assert_allclose(h[-1], state, **EXACT)


def test_selection_moves_the_step_and_not_A():
    p, x, _ = make_selective()
    A_bar, B_bar, C = selection(p, x)
    assert A_bar.shape == B_bar.shape == (T, B, D, N)
    delta = np.log(A_bar) / p.A
    np.testing.assert_allclose(delta, delta[..., :1] + 0 * delta, **EXACT)
    assert delta.std(axis=0).min() > 0.05 and C.std(axis=0).min() > 0.05


def test_step_of_zero_skips_an_input_and_a_long_one_forgets():
    p, x, h_0 = make_selective()
    p.W_x[:D] = 0
    p.b_x[:D] = -1000  # delta = 0: the state stands still
    _, h = ssm(scan, *selection(p, x), x, h_0)
    assert (h == h_0).all()
    p.b_x[:D] = 1000  # delta = 1000: only the last input is left
    A_bar, B_bar, _ = selection(p, x)
    _, h = ssm(scan, *selection(p, x), x, h_0)
    assert A_bar.max() < 1e-200
    np.testing.assert_allclose(h, B_bar * x[..., None], **EXACT)


def test_softplus_is_stable_smooth_and_slopes_like_the_sigmoid():
    z = np.array([-1000, -745, -40.0, -1, 0, 1, 40, 1000])
    assert softplus(z)[[0, 4, 7]].tolist() == [0, np.log(2), 1000]
    assert softplus(z)[2] == pytest.approx(exp(-40), rel=1e-15)
    want = torch.nn.functional.softplus(torch.tensor(z[3:6]))
    np.testing.assert_allclose(softplus(z[3:6]), want, **EXACT)
    slope = numerical_grad(lambda: np.sum(softplus(z)), z)
    np.testing.assert_allclose(slope, sigmoid(z), 1e-6, 1e-9)
    np.testing.assert_allclose(np.exp(-softplus(z)), 1 - sigmoid(z), 0, 5e-16)


def test_float32_in_gives_float32_out():
    to_32 = np.float32
    a, b, h_0, dh = map(to_32, make_recurrence())
    A_bar, B_bar, C = map(to_32, make_s4d("real"))
    p, x, start = map_params(to_32, list(make_selective()))
    K = ssm_kernel(A_bar, B_bar, C, T)
    found = [linear_recurrence(a, b, h_0), scan(a, b, h_0), softplus(a), K]
    found += scan_backward(dh, a, b, h_0)
    found += zero_order_hold(-a, b, np.abs(dh))
    found += [*selection(p, x), *ssm(scan, *selection(p, x), x, start)]
    found += [fft_convolution(K, x)]
    assert {array.dtype for array in found} == {np.dtype(np.float32)}
    K = ssm_kernel(*map(np.complex64, make_s4d("lin")), T)
    assert K.dtype == np.float32


def test_nothing_given_is_changed():
    a, b, h_0, dh = make_recurrence()
    kept = [array.copy() for array in (a, b, h_0, dh)]
    scan_backward(dh, a, scan(a, b, h_0), h_0)
    for array, copy in zip((a, b, h_0, dh), kept, strict=True):
        assert np.array_equal(array, copy)


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    a, b, h_0, dh = make_recurrence()
    p, x, _ = make_selective()
    K = np.ones((T, D))
    wide = SelectiveParams(p.A, p.W_x[1:], p.b_x)
    long = SelectiveParams(p.A, p.W_x, p.b_x[1:])
    bad = [
        (
            lambda: linear_recurrence(a, b[1:], h_0),
            r"b .*13.*got \(12, 2, 3\)",
        ),
        (lambda: scan(a, b, h_0[1:]), r"h_0 must be \(2, 3\), got \(1, 3\)"),
        (lambda: scan(a[:0], b[:0], h_0), "T must be .*at least 1, got 0"),
        (lambda: scan_backward(dh[1:], a, b, h_0), r"dh .*got \(12, 2, 3\)"),
        (lambda: doubling_rounds(0), "T must be .*at least 1, got 0"),
        (lambda: tree_rounds(1.5), "T must be an integer.*got 1.5"),
        (lambda: ssm_kernel(p.A, p.A, p.A, 0), "T must be .*got 0"),
        (lambda: fft_convolution(K[1:], x), r"K .*\(13, 3\), got \(12, 3\)"),
        (lambda: fft_convolution(K, x[0]), r"x .*\(T, B, D\), got \(2, 3\)"),
        (lambda: selection(p, x[..., 1:]), r"x .*\(T, B, 3\), got"),
        (lambda: selection(wide, x), r"W_x .*\(13, 3\), got \(12, 3\)"),
        (lambda: selection(long, x), r"b .*\(13,\), got \(12,\)"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def _some(names, **more):
    found = dict(zip(["a", "b", "h_0", "dh"], make_recurrence(5), strict=True))
    return {name: found[name] for name in names.split()} | more


def _s4d_call(**more):
    names = "A_bar", "B_bar", "C"
    return dict(zip(names, make_s4d("real"), strict=True)) | more


CALLS = {
    linear_recurrence: lambda: _some("a b h_0"),
    doubling_rounds: lambda: {"T": 5},
    tree_rounds: lambda: {"T": 5},
    scan: lambda: _some("a b h_0", plan=doubling_rounds),
    scan_backward: lambda: {
        **_some("dh a", h=make_recurrence(5)[1]),
        **_some("h_0"),
    },
    zero_order_hold: lambda: {
        "A": -np.linspace(0.5, 2, N),
        "B": np.linspace(1, 2, N),
        "delta": np.linspace(0.1, 0.3, D)[:, None],
    },
    ssm: lambda: {
        "recurrence": linear_recurrence,
        **_s4d_call(x=make_selective()[1], h_0=make_selective()[2]),
    },
    ssm_kernel: lambda: _s4d_call(T=5),
    fft_convolution: lambda: {
        "K": ssm_kernel(*make_s4d("real"), T),
        "x": make_selective()[1],
    },
    softplus: lambda: _some("a"),
    selection: lambda: dict(zip("px", make_selective()[:2], strict=True)),
}
OTHER = {  # the other plans and recurrences differ in rounding alone
    (scan, "plan"): lambda: lambda T: doubling_rounds(T)[:-1],
    (ssm, "recurrence"): lambda: lambda a, b, h_0: b,
}
