import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seqbook.conventions import to_torch
from seqbook.functional import sigmoid
from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.gru import (
    GRUParams,
    GRUResetAfterParams,
    gru_backward,
    gru_forward,
    gru_jacobian,
    gru_reset_after_backward,
    gru_reset_after_forward,
    gru_reset_after_step,
    gru_reset_after_step_backward,
    gru_step,
    gru_step_backward,
    init_gru,
)
from seqbook.params import arrays_of, map_params

T, B, D, H = 6, 3, 4, 5  # all different, so a swapped axis cannot pass
LENGTHS = np.array([6, 1, 4])
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms

BOOK = GRUParams, gru_step, gru_step_backward, gru_forward, gru_backward
AFTER = (
    GRUResetAfterParams,
    gru_reset_after_step,
    gru_reset_after_step_backward,
    gru_reset_after_forward,
    gru_reset_after_backward,
)
both_cells = pytest.mark.parametrize(
    "cell", [BOOK, AFTER], ids=["in", "after"]
)
gates = pytest.mark.parametrize("bias", [0, 7], ids=["open", "saturated"])


def make_case(kind=GRUParams, bias=0):
    """Params, x (T, B, D), h_0 (B, H), dh (T, B, H); bias shifts r and z."""
    rng = np.random.default_rng(0)
    shapes = [(3 * H, D), (3 * H, H), 3 * H, 3 * H][: len(vars_of(kind))]
    p = kind(*(rng.normal(size=shape) for shape in shapes))
    arrays_of(p)[2][:H] += bias  # r near 1, and z near 0 in one unit
    arrays_of(p)[2][H] -= bias
    sizes = (T, B, D), (B, H), (T, B, H)
    return p, *(rng.normal(size=size) for size in sizes)


def vars_of(kind):
    return kind.__dataclass_fields__


def by_name(dx, dh_0, grads):
    return {"x": dx, "h_0": dh_0, **vars(grads)}


def one_unit(h_prev, z, n):
    """The next state of one unit whose z and candidate are given."""
    b_h = np.array([0, np.log(z / (1 - z)), np.arctanh(n)])
    p = GRUParams(np.zeros((3, 1)), np.zeros((3, 1)), b_h)
    return gru_step(p, np.zeros((1, 1)), np.full((1, 1), h_prev))[0].item()


def test_backward_matches_central_differences():
    p, x, h_0, dh = make_case()
    x_t, h_prev, dh_t = x[0], h_0, dh[0]

    def loss():  # a random projection turns h_t into a scalar
        return np.sum(dh_t * gru_step(p, x_t, h_prev)[0])

    _, cache = gru_step(p, x_t, h_prev)
    dx_t, dh_prev, grads = gru_step_backward(p, dh_t, cache)

    got = {"x_t": dx_t, "h_prev": dh_prev, **vars(grads)}
    for name, array in {"x_t": x_t, "h_prev": h_prev, **vars(p)}.items():
        want = numerical_grad(loss, array)  # float64: 1e-7 is within reach
        np.testing.assert_allclose(got[name], want, 1e-7, 1e-8, err_msg=name)


@both_cells
@gates
def test_step_backward_matches_in_every_block(cell, bias):
    kind, step, step_backward, _, _ = cell
    p, x, h_0, dh = make_case(kind, bias)
    _, cache = step(p, x[0], h_0)
    got = by_name(*step_backward(p, dh[0], cache))
    for name, array in {"x": x[0], "h_0": h_0, **vars(p)}.items():
        want = numerical_grad(
            lambda: np.sum(dh[0] * step(p, x[0], h_0)[0]), array
        )
        assert relative_error(got[name], want) < 1e-6, name


@both_cells
@gates
@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["full", "ragged"])
def test_loop_backward_matches_central_differences(cell, bias, lengths):
    kind, _, _, forward, backward = cell
    p, x, h_0, dh = make_case(kind, bias)
    _, cache = forward(p, x, h_0, lengths)
    got = by_name(*backward(p, dh, cache))
    for name, array in {"x": x, "h_0": h_0, **vars(p)}.items():
        want = numerical_grad(
            lambda: np.sum(dh * forward(p, x, h_0, lengths)[0]), array
        )
        assert relative_error(got[name], want) < 1e-6, name


@both_cells
def test_loop_equals_steps(cell):
    kind, step, _, forward, _ = cell
    p, x, h_0, _ = make_case(kind)
    h, _ = forward(p, x, h_0)
    h_t = h_0
    for t in range(T):
        h_t, _ = step(p, x[t], h_t)
        np.testing.assert_allclose(h[t], h_t, **EXACT)


@pytest.mark.parametrize("lengths", [[T] * B, LENGTHS], ids=["full", "ragged"])
def test_reset_after_and_its_gradients_equal_torch(lengths):
    p, x, h_0, dh = make_case(GRUResetAfterParams)
    dh_T = np.random.default_rng(1).normal(size=h_0.shape)
    mask = (np.arange(T)[:, None] < np.array(lengths))[..., None]
    net = torch.nn.GRU(D, H).double()
    net.load_state_dict({n: torch.tensor(a) for n, a in to_torch(p).items()})
    x_leaf, h_leaf = (torch.tensor(a, requires_grad=True) for a in (x, h_0))
    packed = pack_padded_sequence(x_leaf, lengths, enforce_sorted=False)
    out, h_T = net(packed, h_leaf[None])
    want, _ = pad_packed_sequence(out)
    loss = (torch.tensor(dh * mask) * want).sum()
    (loss + (torch.tensor(dh_T) * h_T[0]).sum()).backward()

    h, cache = gru_reset_after_forward(p, x, h_0, lengths)
    np.testing.assert_allclose(h * mask, want.detach(), **EXACT)
    np.testing.assert_allclose(h[-1], h_T[0].detach(), **EXACT)
    dh = dh * mask
    dh[-1] += dh_T  # h[-1] is the last state of every sequence
    dx, dh_0, grads = gru_reset_after_backward(p, dh, cache)
    np.testing.assert_allclose(dx, x_leaf.grad, **EXACT)
    np.testing.assert_allclose(dh_0, h_leaf.grad, **EXACT)
    for name, grad in to_torch(grads).items():
        np.testing.assert_allclose(grad, getattr(net, name).grad, **EXACT)


def test_reset_before_equals_autograd_of_its_equations():
    p, x, h_0, dh = make_case()
    leaves = [torch.tensor(a, requires_grad=True) for a in (x, h_0)]
    weights = [torch.tensor(a, requires_grad=True) for a in arrays_of(p)]
    (x_leaf, h_leaf), (W_xh, W_hh, b_h) = leaves, weights
    h_t, want = h_leaf, []
    for x_t in x_leaf:
        a_x, W = x_t @ W_xh.T + b_h, W_hh.reshape(3, H, H)
        r = torch.sigmoid(a_x[:, :H] + torch.einsum("ij,bj->bi", W[0], h_t))
        z = torch.sigmoid(
            a_x[:, H : 2 * H] + torch.einsum("ij,bj->bi", W[1], h_t)
        )
        n = torch.tanh(
            a_x[:, 2 * H :] + torch.einsum("ij,bj->bi", W[2], r * h_t)
        )
        h_t = torch.lerp(h_t, n, z)
        want.append(h_t)
    (torch.tensor(dh) * torch.stack(want)).sum().backward()

    h, cache = gru_forward(p, x, h_0)
    np.testing.assert_allclose(h, torch.stack(want).detach(), **EXACT)
    got = arrays_of(list(gru_backward(p, dh, cache)))
    for grad, leaf in zip(got, leaves + weights, strict=True):
        np.testing.assert_allclose(grad, leaf.grad, **EXACT)


def test_z_near_one_overwrites_and_z_near_zero_keeps():
    # h = 1, candidate 0, z = 0.9: torch's form would keep 0.9
    assert one_unit(h_prev=1.0, z=0.9, n=0.0) == pytest.approx(0.1)
    assert one_unit(h_prev=1.0, z=0.1, n=0.0) == pytest.approx(0.9)


def test_z_of_zero_copies_the_state():
    p, x, h_0, _ = make_case()
    p.b_h[H : 2 * H] = -1000
    h, _ = gru_forward(p, x, h_0)
    assert (h == h_0).all()


def test_closed_reset_gate_does_not_empty_the_state():
    # r is 0 in effect: the candidate 0 has not seen h; z = 0.1 still keeps
    assert one_unit(h_prev=0.8, z=0.1, n=0.0) == pytest.approx(0.72)


def reset_example(kind, step):
    """The candidate of R = [[0, 1], [1, 0]], h = (1, 2), r = (0, 1)."""
    W_hh = np.zeros((6, 2))
    W_hh[4:] = [[0, 1], [1, 0]]
    bias = np.array([-1000.0, 1000, 1000, 1000, 0, 0])  # r = (0, 1), z = 1
    rest = [np.zeros(6)] * (len(vars_of(kind)) - 3)
    p = kind(np.zeros((6, 1)), W_hh, bias, *rest)
    return step(p, np.zeros((1, 1)), np.array([[1.0, 2.0]]))[0][0]


def test_reset_before_and_after_the_product_give_their_known_values():
    before = reset_example(GRUParams, gru_step)
    after = reset_example(GRUResetAfterParams, gru_reset_after_step)
    np.testing.assert_allclose(before, [0.9640, 0], atol=5e-5)
    np.testing.assert_allclose(after, [0, 0.7616], atol=5e-5)


@both_cells
def test_state_never_leaves_its_bound(cell):
    kind, step, *_ = cell
    p, x, h_0, _ = make_case(kind)
    p = map_params(lambda a: 50 * a, p)
    h_t = 3 * h_0
    for t in range(T):
        bound = np.maximum(np.abs(h_t), 1)
        h_t, _ = step(p, x[t], h_t)
        assert (np.abs(h_t) <= bound).all()


def test_bounded_state_can_have_an_exploding_gradient():
    products = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        p = init_gru(rng, 1, 8)
        p.W_hh *= 12
        h_t, product = rng.normal(size=8) / 10, np.eye(8)
        for _ in range(50):
            product = gru_jacobian(p, np.zeros(1), h_t) @ product
            h_t = gru_step(p, np.zeros((1, 1)), h_t[None])[0][0]
            assert np.abs(h_t).max() <= 1
        products.append(np.linalg.norm(product, 2))
    assert max(products) > 1e3


def test_jacobian_equals_central_differences_and_the_backward():
    p, x, h_0, _ = make_case()
    x_t, h_prev = x[0, 0], h_0[0]
    got = gru_jacobian(p, x_t, h_prev)
    for unit in range(H):  # row by row: the gradient of one unit of h_t
        want = numerical_grad(
            lambda unit=unit: gru_step(p, x_t[None], h_prev[None])[0][0, unit],
            h_prev,
        )
        assert relative_error(got[unit], want) < 1e-7
    _, cache = gru_step(p, np.tile(x_t, (H, 1)), np.tile(h_prev, (H, 1)))
    _, rows, _ = gru_step_backward(p, np.eye(H), cache)
    np.testing.assert_allclose(got, rows, **EXACT)


@both_cells
@pytest.mark.parametrize("padding", [1e9, np.nan])
def test_nothing_in_the_padding_changes_anything(cell, padding):
    kind, _, _, forward, backward = cell
    p, x, h_0, dh = make_case(kind)
    want, cache = forward(p, x, h_0, LENGTHS)
    want_grads = backward(p, dh, cache)
    mask = np.arange(T)[:, None] < LENGTHS
    x[~mask] = padding
    h, cache = forward(p, x, h_0, LENGTHS)
    grads = backward(p, dh, cache)
    assert np.array_equal(h, want)
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
    p = init_gru(rng, D, H)
    sizes = (T, B, D), (B, H), (T, B, H)
    x, h_0, dh = (rng.normal(size=size) for size in sizes)
    h, cache = gru_forward(p, x, h_0, lengths)
    dx, dh_0, _ = gru_backward(p, dh, cache)
    for b, n in enumerate(lengths):
        one = slice(b, b + 1)
        alone, cache = gru_forward(p, x[:n, one], h_0[one])
        np.testing.assert_allclose(h[:n, one], alone, **EXACT)
        np.testing.assert_array_equal(h[-1, b], h[n - 1, b])
        dh_b = dh[:n, one].copy()
        dh_b[-1] = dh[n - 1 :, one].sum(axis=0)  # on the held state too
        dx_b, dh_0_b, _ = gru_backward(p, dh_b, cache)
        np.testing.assert_allclose(dx[:n, one], dx_b, **EXACT)
        np.testing.assert_allclose(dh_0[one], dh_0_b, **EXACT)


@both_cells
def test_float32_in_gives_float32_out(cell):
    kind, _, _, forward, backward = cell
    p, x, h_0, dh = map_params(np.float32, list(make_case(kind)))
    h, cache = forward(p, x, h_0, LENGTHS)
    found = arrays_of([h, *backward(p, dh, cache)])
    assert {a.dtype for a in found} == {np.dtype(np.float32)}


def test_gates_start_half_open_without_weights():
    assert sigmoid(0.0) == 0.5
    p = map_params(np.zeros_like, make_case()[0])
    h_t, _ = gru_step(p, np.ones((1, D)), np.full((1, H), 0.8))
    assert h_t.tolist() == [[0.4] * H]


@both_cells
@pytest.mark.parametrize("wide", ["p", "x", "h_0"])
def test_one_float64_among_float32_makes_the_states_float64(cell, wide):
    kind, _, _, forward, _ = cell
    given = dict(zip(("p", "x", "h_0"), make_case(kind), strict=False))
    for name in given.keys() - {wide}:
        given[name] = map_params(np.float32, given[name])
    assert forward(**given)[0].dtype == np.float64


@both_cells
def test_gradients_of_a_single_step_are_those_of_the_step(cell):
    kind, step, step_backward, forward, backward = cell
    p, x, h_0, dh = make_case(kind)
    h, cache = forward(p, x[:1], h_0)
    h_t, step_cache = step(p, x[0], h_0)
    np.testing.assert_allclose(h, h_t[None], **EXACT)
    dx_t, *want = step_backward(p, dh[0], step_cache)
    got = arrays_of(list(backward(p, dh[:1], cache)))
    for a, b in zip(got, arrays_of([dx_t[None], *want]), strict=True):
        np.testing.assert_allclose(a, b, **EXACT)


def test_initial_weights_fill_the_interval_of_torch():
    p = init_gru(np.random.default_rng(0), 30, 100)
    assert [a.shape for a in arrays_of(p)] == [(300, 30), (300, 100), (300,)]
    for a in arrays_of(p):  # 300 draws at the least: 5 % from both ends
        assert -0.1 <= a.min() < -0.095 and 0.095 < a.max() <= 0.1


@both_cells
def test_errors_name_the_argument_what_it_must_be_and_what_it_is(cell):
    kind, _, _, forward, backward = cell
    p, x, h_0, dh = make_case(kind)
    _, cache = forward(p, x, h_0)
    rows = kind(*(a[:-1] for a in arrays_of(p)))
    bad = [
        (lambda: forward(p, x[0], h_0), r"x .*\(T, B, 4\), got \(3, 4\)"),
        (lambda: forward(p, x[..., 1:], h_0), r"x .*got \(6, 3, 3\)"),
        (lambda: forward(p, x.astype(int), h_0), "x .*float.*got.*int64"),
        (lambda: forward(p, x, h_0[:, 1:]), r"h_0 .*\(3, 5\), got \(3, 4\)"),
        (lambda: forward(p, x, h_0, [6, 0, 1]), r"lengths .*\[6, 0, 1\]"),
        (lambda: forward(rows, x, h_0), r"W_hh .*\(15, 5\), got \(14, 5\)"),
        (lambda: backward(p, dh[:, 1:], cache), r"dh .*got \(6, 2, 5\)"),
        (lambda: gru_jacobian(p, x[0], h_0[0]), r"x_t .*\(4,\), got \(3, 4\)"),
        (lambda: gru_jacobian(p, x[0, 0], h_0), r"h_prev .*\(5,\), got \(3"),
        (lambda: init_gru(np.random.default_rng(0), 0, 5), "D .*got 0"),
        (lambda: init_gru(np.random.default_rng(0), 4, 0), "H .*got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def call(f, *names, kind=GRUParams):
    def make():
        p, x, h_0, dh = make_case(kind)
        known = {"p": p, "x": x, "h_0": h_0, "lengths": LENGTHS, "dh": dh}
        one = {"x_t": x[0], "h_prev": h_0, "dh_t": dh[0]}
        if f is gru_jacobian:
            one = {"x_t": x[0, 0], "h_prev": h_0[0]}
        if "dh_t" in names:
            step = gru_step if kind is GRUParams else gru_reset_after_step
            known["cache"] = step(p, x[0], h_0)[1]
        elif "dh" in names:
            cells = gru_forward, gru_reset_after_forward
            forward = cells[kind is GRUResetAfterParams]
            known["cache"] = forward(p, x, h_0, LENGTHS)[1]
        return {name: {**known, **one}[name] for name in names}

    return {f: make}


AFTER_CALLS = {"kind": GRUResetAfterParams}
CALLS = {
    init_gru: lambda: {"rng": np.random.default_rng(0), "D": 2, "H": 3},
    **call(gru_step, "p", "x_t", "h_prev"),
    **call(gru_step_backward, "p", "dh_t", "cache"),
    **call(gru_forward, "p", "x", "h_0", "lengths"),
    **call(gru_backward, "p", "dh", "cache"),
    **call(gru_jacobian, "p", "x_t", "h_prev"),
    **call(gru_reset_after_step, "p", "x_t", "h_prev", **AFTER_CALLS),
    **call(gru_reset_after_step_backward, "p", "dh_t", "cache", **AFTER_CALLS),
    **call(gru_reset_after_forward, "p", "x", "h_0", "lengths", **AFTER_CALLS),
    **call(gru_reset_after_backward, "p", "dh", "cache", **AFTER_CALLS),
}
