import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.lstm import LSTMParams, lstm_backward, lstm_forward
from seqbook.lstm_variants import (
    LSTMLayerNormParams,
    LSTMPeepholeParams,
    LSTMProjectionParams,
    LSTMTwoGateParams,
    lstm1997_step,
    lstm1997_step_backward,
    lstm_coupled_step,
    lstm_coupled_step_backward,
    lstm_layer_norm_step,
    lstm_layer_norm_step_backward,
    lstm_peephole_step,
    lstm_peephole_step_backward,
    lstm_projection_step,
    lstm_projection_step_backward,
)
from seqbook.params import arrays_of, map_params
from seqbook.stack import over_time, over_time_backward

T, B, D, H, P = 4, 3, 2, 6, 5  # all different: a swapped axis cannot pass
LENGTHS = np.array([4, 1, 3])
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms

CELLS = {
    "1997": (LSTMTwoGateParams, lstm1997_step, lstm1997_step_backward),
    "coupled": (
        LSTMTwoGateParams,
        lstm_coupled_step,
        lstm_coupled_step_backward,
    ),
    "peephole": (
        LSTMPeepholeParams,
        lstm_peephole_step,
        lstm_peephole_step_backward,
    ),
    "projection": (
        LSTMProjectionParams,
        lstm_projection_step,
        lstm_projection_step_backward,
    ),
    "layer_norm": (
        LSTMLayerNormParams,
        lstm_layer_norm_step,
        lstm_layer_norm_step_backward,
    ),
}
every_cell = pytest.mark.parametrize("name", CELLS)
every_gate = pytest.mark.parametrize(
    ("name", "block"),
    [
        (name, block)
        for name, (kind, *_) in CELLS.items()
        for block in [None, 0, 1, 2, 3][
            : 4 if kind is LSTMTwoGateParams else 5
        ]
    ],
)


def shapes_of(kind, D=D, H=H, P=P):
    """Shapes of the arrays of a cell, and of its states h and c."""
    n = 3 if kind is LSTMTwoGateParams else 4
    width = P if kind is LSTMProjectionParams else H
    rest = {
        LSTMTwoGateParams: [],
        LSTMPeepholeParams: [3 * H],
        LSTMProjectionParams: [(P, H)],
        LSTMLayerNormParams: [4 * H, 4 * H, H, H],
    }
    return [(n * H, D), (n * H, width), n * H, *rest[kind]], width


def make_case(name, block=None, rng=None, T=T, B=B, D=D, H=H, P=P):
    """Params, x, (h_0, c_0), (dh, dc) at all steps; one block saturated."""
    rng = rng or np.random.default_rng(0)
    shapes, width = shapes_of(CELLS[name][0], D, H, P)
    p = CELLS[name][0](*(rng.normal(size=shape) for shape in shapes))
    if block is not None:
        p.b_h[block * H : block * H + 3] += [7, -7, 7]
    x = rng.normal(size=(T, B, D))
    states = rng.normal(size=(B, width)), rng.normal(size=(B, H))
    dstates = [rng.normal(size=(T, *s.shape)) for s in states]
    return p, x, states, dstates


def by_name(dx, dstates, grads):
    return {"x": dx, "h_0": dstates[0], "c_0": dstates[1], **vars(grads)}


@every_gate
def test_step_backward_matches_central_differences(name, block):
    _, step, step_backward = CELLS[name]
    p, x, states, dstates = make_case(name, block)
    dh_t, dc_t = dstates[0][0], dstates[1][0]

    def loss():
        h_t, c_t, _ = step(p, x[0], *states)
        return np.sum(dh_t * h_t) + np.sum(dc_t * c_t)

    *_, cache = step(p, x[0], *states)
    dx_t, *dprev, grads = step_backward(p, dh_t, dc_t, cache)
    got = by_name(dx_t, dprev, grads)
    arrays = by_name(x[0], states, p)
    assert got.keys() == arrays.keys()
    for key, array in arrays.items():
        error = relative_error(got[key], numerical_grad(loss, array))
        assert error < 1e-6, key


@every_cell
@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["full", "ragged"])
def test_loop_backward_matches_central_differences(name, lengths):
    _, step, step_backward = CELLS[name]
    p, x, states, dstates = make_case(name)

    def loss():
        found, _ = over_time(step, p, x, states, lengths)
        return sum(np.sum(d * s) for d, s in zip(dstates, found, strict=True))

    _, cache = over_time(step, p, x, states, lengths)
    got = by_name(*over_time_backward(step_backward, p, dstates, cache))
    for key, array in by_name(x, states, p).items():
        error = relative_error(got[key], numerical_grad(loss, array))
        assert error < 1e-6, key


def torch_step(name, w, x_t, h, c):
    """The equations of the papers, gate by gate, for autograd."""
    linear = torch.nn.functional.linear
    norm = torch.nn.functional.layer_norm
    if name == "layer_norm":
        n = (4 * H,)
        a = norm(linear(h, w["W_hh"]), n, w["gain_h"]) + w["b_h"]
        a = a + norm(linear(x_t, w["W_xh"]), n, w["gain_x"])
    else:
        a = linear(x_t, w["W_xh"], w["b_h"]) + linear(h, w["W_hh"])
    if name in ("1997", "coupled"):
        a_i, a_g, a_o = a.split(H, dim=1)
        i = a_i.sigmoid()
        f = 1 if name == "1997" else 1 - i
    else:
        a_i, a_f, a_g, a_o = a.split(H, dim=1)
        if name == "peephole":
            w_i, w_f, w_o = w["w_c"].split(H)
            a_i, a_f = torch.addcmul(a_i, w_i, c), torch.addcmul(a_f, w_f, c)
        i, f = a_i.sigmoid(), a_f.sigmoid()
    c = f * c + i * a_g.tanh()
    if name == "peephole":
        a_o = torch.addcmul(a_o, w_o, c)
    seen = c
    if name == "layer_norm":
        seen = norm(c, (H,), w["gain_c"], w["b_c"])
    h = a_o.sigmoid() * seen.tanh()
    return (linear(h, w["W_hr"]) if name == "projection" else h), c


@every_cell
def test_states_and_gradients_equal_autograd_of_the_equations(name):
    _, step, step_backward = CELLS[name]
    p, x, states, dstates = make_case(name)
    leaves = {
        key: torch.tensor(a, requires_grad=True)
        for key, a in by_name(x, states, p).items()
    }
    h_t, c_t, want = leaves["h_0"], leaves["c_0"], []
    for x_t in leaves["x"]:
        h_t, c_t = torch_step(name, leaves, x_t, h_t, c_t)
        want.append((h_t, c_t))
    want = [torch.stack(s) for s in zip(*want, strict=True)]
    pairs = zip(dstates, want, strict=True)
    sum((torch.tensor(d) * s).sum() for d, s in pairs).backward()

    found, cache = over_time(step, p, x, states)
    for got, s in zip(found, want, strict=True):
        np.testing.assert_allclose(got, s.detach(), **EXACT)
    got = by_name(*over_time_backward(step_backward, p, dstates, cache))
    for key, leaf in leaves.items():
        # the norms divide by deviations near 1: a digit more than EXACT
        np.testing.assert_allclose(
            got[key], leaf.grad, 1e-11, 1e-11, err_msg=key
        )


@pytest.mark.parametrize("lengths", [[T] * B, LENGTHS], ids=["full", "ragged"])
def test_projection_and_its_gradients_equal_torch(lengths):
    p, x, (h_0, c_0), (dh, dc) = make_case("projection")
    dc[:-1] = 0  # torch shows the cell of the last step only
    mask = (np.arange(T)[:, None] < np.array(lengths))[..., None]
    net = torch.nn.LSTM(D, H, proj_size=P).double()
    weights = {
        "weight_ih_l0": p.W_xh,
        "weight_hh_l0": p.W_hh,
        "bias_ih_l0": p.b_h - 0.3,
        "bias_hh_l0": np.full(4 * H, 0.3),
        "weight_hr_l0": p.W_hr,
    }
    net.load_state_dict({n: torch.tensor(a) for n, a in weights.items()})
    leaves = [torch.tensor(a, requires_grad=True) for a in (x, h_0, c_0)]
    packed = pack_padded_sequence(leaves[0], lengths, enforce_sorted=False)
    out, (h_T, c_T) = net(packed, (leaves[1][None], leaves[2][None]))
    want, _ = pad_packed_sequence(out)
    loss = (torch.tensor(dh * mask) * want).sum()
    (loss + (torch.tensor(dc[-1]) * c_T[0]).sum()).backward()

    (h, c), cache = over_time(lstm_projection_step, p, x, (h_0, c_0), lengths)
    np.testing.assert_allclose(h * mask, want.detach(), **EXACT)
    np.testing.assert_allclose(h[-1], h_T[0].detach(), **EXACT)
    np.testing.assert_allclose(c[-1], c_T[0].detach(), **EXACT)
    dx, dstates, grads = over_time_backward(
        lstm_projection_step_backward, p, (dh * mask, dc), cache
    )
    got = [dx, *dstates, *arrays_of(grads)]
    names = "weight_ih_l0", "weight_hh_l0", "bias_hh_l0", "weight_hr_l0"
    leaves += [getattr(net, name) for name in names]
    for grad, leaf in zip(got, leaves, strict=True):
        np.testing.assert_allclose(grad, leaf.grad, **EXACT)


def test_projection_has_the_shapes_of_torch():
    net = torch.nn.LSTM(8, 16, proj_size=4).double()
    shapes, width = shapes_of(LSTMProjectionParams, 8, 16, 4)
    assert net.weight_hr_l0.shape == shapes[3] == (4, 16)
    assert net.weight_hh_l0.shape == shapes[1] == (64, 4)
    out, (h_T, c_T) = net(torch.zeros(1, 1, 8).double())
    assert out.shape[-1] == h_T.shape[-1] == width == 4
    assert c_T.shape[-1] == 16


def assert_is_plain(name, p, plain, pick, H=H):
    """The variant p acts as LSTMParams plain; pick(plain grads) = grads."""
    _, step, step_backward = CELLS[name]
    _, x, states, dstates = make_case("1997", H=H)
    dstates[1][:-1] = 0  # lstm_backward takes a gradient at the last cell
    h, c, cache = lstm_forward(plain, x, *states, LENGTHS)
    want = lstm_backward(plain, dstates[0], dstates[1][-1], cache)
    found, cache = over_time(step, p, x, states, LENGTHS)
    np.testing.assert_allclose(found[0], h, **EXACT)
    np.testing.assert_allclose(found[1], c, **EXACT)
    dx, first, grads = over_time_backward(step_backward, p, dstates, cache)
    for got, wanted in zip([dx, *first], want[:3], strict=True):
        np.testing.assert_allclose(got, wanted, **EXACT)
    for key, wanted in pick(vars(want[3])).items():
        np.testing.assert_allclose(getattr(grads, key), wanted, **EXACT)


def plain_lstm():
    rng = np.random.default_rng(5)
    shapes = (4 * H, D), (4 * H, H), 4 * H
    return LSTMParams(*(rng.normal(size=shape) for shape in shapes))


def test_peepholes_of_zero_are_the_plain_cell():
    plain = plain_lstm()
    p = LSTMPeepholeParams(**vars(plain), w_c=np.zeros(3 * H))
    assert_is_plain("peephole", p, plain, lambda grads: grads)


def test_projection_by_the_identity_is_the_plain_cell():
    plain = plain_lstm()
    p = LSTMProjectionParams(**vars(plain), W_hr=np.eye(H))
    assert_is_plain("projection", p, plain, lambda grads: grads)


def test_1997_is_the_plain_cell_with_a_forget_gate_stuck_at_one():
    plain = plain_lstm()
    for array in arrays_of(plain):
        array[H : 2 * H] = 0
    plain.b_h[H : 2 * H] = 1000

    def without_f(arrays):
        return {
            key: np.delete(array, range(H, 2 * H), axis=0)
            for key, array in arrays.items()
        }

    p = LSTMTwoGateParams(**without_f(vars(plain)))
    assert_is_plain("1997", p, plain, without_f)


def test_coupled_is_the_plain_cell_whose_forget_rows_mirror_the_input_rows():
    plain = plain_lstm()
    for array in arrays_of(plain):
        array[H : 2 * H] = -array[:H]  # sigmoid(-a) = 1 - sigmoid(a)

    def tied(arrays, sign):
        """sign 0 drops the copy, -1 adds its gradient to the original's."""
        return {
            key: np.concatenate([a[:H] + sign * a[H : 2 * H], a[2 * H :]])
            for key, a in arrays.items()
        }

    p = LSTMTwoGateParams(**tied(vars(plain), 0))
    assert_is_plain("coupled", p, plain, lambda grads: tied(grads, -1))


def constant_cell(i, g):
    """One unit without weights, blocks i | g | o; o is one half."""
    b_h = np.array([np.log(i / (1 - i)), np.arctanh(g), 0])
    return LSTMTwoGateParams(np.zeros((3, 1)), np.zeros((3, 1)), b_h)


def test_1997_drifts_to_400_in_1000_steps_and_a_forget_gate_settles_at_4():
    zero, x = np.zeros((1, 1)), np.zeros((1000, 1, 1))
    p = constant_cell(i=0.5, g=0.8)
    (h, c), cache = over_time(lstm1997_step, p, x, (zero, zero))
    assert c[-1].item() == pytest.approx(400, rel=1e-12)
    assert h[-1].item() == pytest.approx(0.5, rel=1e-12)
    dh = np.zeros_like(h)
    dh[-1] = 1  # tanh is flat at 400: its slope is 0 in float64
    back = over_time_backward(
        lstm1997_step_backward, p, (dh, np.zeros_like(c)), cache
    )
    assert back[1][1].item() == 0

    b_h = np.insert(p.b_h, 1, np.log(0.9 / 0.1))
    forgets = LSTMParams(np.zeros((4, 1)), np.zeros((4, 1)), b_h)
    _, c, _ = lstm_forward(forgets, x, zero, zero)
    assert c[-1].item() == pytest.approx(4, rel=1e-12)  # i g / (1 - f)


def test_1997_carries_the_error_of_the_cell_unchanged():
    p, x, states, (dh, dc) = make_case("1997")
    p.W_hh[:] = 0  # the carousel alone, without the way through h
    dc[:-1] = 0
    _, cache = over_time(lstm1997_step, p, x, states)
    back = over_time_backward(lstm1997_step_backward, p, (0 * dh, dc), cache)
    assert np.array_equal(back[1][1], dc[-1])


def test_coupled_cell_never_leaves_its_bound():
    p, x, (h_t, c_t), _ = make_case("coupled")
    p = map_params(lambda a: 1000 * a, p)
    c_t = 3 * c_t
    for x_t in x:
        bound = np.maximum(np.abs(c_t), 1)
        h_t, c_t, _ = lstm_coupled_step(p, x_t, h_t, c_t)
        assert (np.abs(c_t) <= bound).all()


def test_coupling_saves_a_quarter_of_the_parameters():
    count = sum(a.size for a in arrays_of(make_case("coupled")[0]))
    assert count == 3 * sum(a.size for a in arrays_of(plain_lstm())) / 4


def test_coupled_input_gate_writes_over_and_closed_keeps():
    zero, one = np.zeros((3, 1)), np.ones((1, 1))
    for a_i, want in [(1000.0, 0.5), (-1000.0, 1.0)]:
        b_h = np.array([a_i, np.arctanh(0.5), 0])
        p = LSTMTwoGateParams(zero, zero, b_h)
        _, c_t, _ = lstm_coupled_step(p, one, one, one)
        assert c_t.item() == pytest.approx(want, rel=1e-15)


def test_input_and_forget_gate_peep_at_the_old_cell_output_at_the_new():
    # one unit, g = 1; i and f read c_prev = 1, o reads c_t = i + f
    zero, bias = np.zeros((4, 1)), np.array([0, 0, 1000.0, 0])
    p = LSTMPeepholeParams(zero, zero, bias, np.array([1.0, 2.0, 3.0]))
    one = np.ones((1, 1))
    h_t, c_t, _ = lstm_peephole_step(p, one, one, one)
    new = 1 / (1 + np.exp(-1)) + 1 / (1 + np.exp(-2))
    assert c_t.item() == pytest.approx(new, rel=1e-14)
    want = np.tanh(new) / (1 + np.exp(-3 * new))
    assert h_t.item() == pytest.approx(want, rel=1e-14)


def test_layer_norm_does_not_see_the_size_of_either_product():
    p, x, states, _ = make_case("layer_norm")
    p.W_xh *= 1e4  # 1e-5 beside the variance is then below rounding
    p.W_hh *= 1e4
    want = lstm_layer_norm_step(p, x[0], *states)
    for name in "W_xh", "W_hh":  # each has a norm of its own
        scaled = LSTMLayerNormParams(**{**vars(p), name: 100 * vars(p)[name]})
        got = lstm_layer_norm_step(scaled, x[0], *states)
        np.testing.assert_allclose(got[0], want[0], 1e-9)
        np.testing.assert_allclose(got[1], want[1], 1e-9)


def test_layer_norm_spans_the_four_blocks_and_not_each():
    p, x, states, _ = make_case("layer_norm")
    shifted = map_params(np.copy, p)
    x_t = np.ones_like(x[0])
    want, *_ = lstm_layer_norm_step(p, x_t, *states)
    shifted.W_xh[:, 0] += 5  # the same for all 4H: no difference
    got, *_ = lstm_layer_norm_step(shifted, x_t, *states)
    np.testing.assert_allclose(got, want, 1e-12, 1e-12)
    shifted.W_xh[:H, 0] += 5  # for one block: it counts
    got, *_ = lstm_layer_norm_step(shifted, x_t, *states)
    assert np.abs(got - want).max() > 0.1


def test_layer_norm_is_where_the_cell_is_read_and_not_in_the_cell():
    p = map_params(np.zeros_like, make_case("layer_norm")[0])
    p.b_h[:] = 1000  # every gate open, candidate 1
    p.gain_c[:], p.b_c[:] = 1, 0.25
    zero, x = np.zeros((B, H)), np.ones((1000, B, D))
    (h, c), _ = over_time(lstm_layer_norm_step, p, x, (zero, zero))
    assert (c[-1] == 1000).all()
    assert (h[-1] == np.tanh(0.25)).all()  # a constant row leaves the bias


@every_cell
@pytest.mark.parametrize("padding", [1e9, np.nan])
def test_nothing_in_the_padding_changes_anything(name, padding):
    _, step, step_backward = CELLS[name]
    p, x, states, dstates = make_case(name)
    want, cache = over_time(step, p, x, states, LENGTHS)
    want_grads = over_time_backward(step_backward, p, dstates, cache)
    mask = np.arange(T)[:, None] < LENGTHS
    x[~mask] = padding
    got, cache = over_time(step, p, x, states, LENGTHS)
    grads = over_time_backward(step_backward, p, dstates, cache)
    pairs = zip(
        arrays_of([got, *grads]), arrays_of([want, *want_grads]), strict=True
    )
    for a, b in pairs:
        assert np.array_equal(a, b)
    assert not grads[0][~mask].any()  # dx: exactly zero there


@every_cell
@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_sequence_alone_equals_itself_in_company(name, data):
    _, step, step_backward = CELLS[name]
    T, B, D, H, P = (data.draw(st.integers(1, 4)) for _ in range(5))
    one_length = st.integers(1, T)
    lengths = data.draw(st.lists(one_length, min_size=B, max_size=B))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    p, x, states, dstates = make_case(name, None, rng, T, B, D, H, P)
    found, cache = over_time(step, p, x, states, lengths)
    dx, first, _ = over_time_backward(step_backward, p, dstates, cache)
    # two units can lie close, and a norm stretches their difference
    close = {"rtol": 1e-9, "atol": 1e-9}
    for b, n in enumerate(lengths):
        one = slice(b, b + 1)
        alone = [s[one] for s in states]
        got, cache = over_time(step, p, x[:n, one], alone)
        for s, s_b in zip(found, got, strict=True):
            np.testing.assert_allclose(s[:n, one], s_b, **close)
            np.testing.assert_array_equal(s[-1, b], s[n - 1, b])
        dstates_b = [d[:n, one].copy() for d in dstates]
        for d_b, d in zip(dstates_b, dstates, strict=True):
            d_b[-1] = d[n - 1 :, one].sum(axis=0)  # on the held state too
        back = over_time_backward(step_backward, p, dstates_b, cache)
        np.testing.assert_allclose(dx[:n, one], back[0], **close)
        for d, d_b in zip(first, back[1], strict=True):
            np.testing.assert_allclose(d[one], d_b, **close)


@every_cell
def test_gates_driven_to_their_ends_leave_everything_finite(name):
    _, step, step_backward = CELLS[name]
    p, x, states, dstates = make_case(name)
    p = map_params(lambda a: 1000 * a, p)
    found, cache = over_time(step, p, 1000 * x, states)
    back = over_time_backward(step_backward, p, dstates, cache)
    assert all(np.isfinite(a).all() for a in arrays_of([found, *back]))


@every_cell
def test_float32_in_gives_float32_out(name):
    _, step, step_backward = CELLS[name]
    p, x, states, dstates = map_params(np.float32, list(make_case(name)))
    found, cache = over_time(step, p, x, states, LENGTHS)
    back = over_time_backward(step_backward, p, dstates, cache)
    assert {a.dtype for a in arrays_of([found, *back])} == {np.dtype("f4")}


def call(name):
    """The calls of one cell's two functions."""
    _, step, step_backward = CELLS[name]

    def forward():
        p, x, (h_0, c_0), _ = make_case(name)
        return {"p": p, "x_t": x[0], "h_prev": h_0, "c_prev": c_0}

    def backward():
        p, x, states, (dh, dc) = make_case(name)
        *_, cache = step(p, x[0], *states)
        return {"p": p, "dh_t": dh[0], "dc_t": dc[0], "cache": cache}

    return {step: forward, step_backward: backward}


CALLS = {f: make for name in CELLS for f, make in call(name).items()}
