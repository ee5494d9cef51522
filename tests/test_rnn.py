import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seqbook.conventions import to_torch
from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.params import arrays_of, map_params
from seqbook.rnn import (
    RNNParams,
    init_rnn,
    rnn_backward,
    rnn_backward_by_step,
    rnn_backward_checkpointed,
    rnn_backward_chunks,
    rnn_backward_window,
    rnn_deltas,
    rnn_forward,
    rnn_step,
    rnn_step_backward,
)

T, B, D, H = 6, 3, 4, 5  # all different, so a swapped axis cannot pass
LENGTHS = np.array([6, 1, 4])
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms


def make_case(T=T, B=B, scale=0.5):
    """Params, x (T, B, D), h_0 (B, H), dh (T, B, H), all random."""
    rng = np.random.default_rng(0)
    shapes = (H, D), (H, H), H
    p = RNNParams(*(scale * rng.normal(size=shape) for shape in shapes))
    sizes = (T, B, D), (B, H), (T, B, H)
    return p, *(rng.normal(size=size) for size in sizes)


def by_name(dx, dh_0, grads):
    return {"x": dx, "h_0": dh_0, **vars(grads)}


def assert_same(got, want, rtol=1e-12):
    for a, b in zip(arrays_of(list(got)), arrays_of(list(want)), strict=True):
        np.testing.assert_allclose(a, b, rtol, 1e-12)


@pytest.mark.parametrize("scale", [0.5, 3.0], ids=["open", "saturated"])
def test_step_backward_matches_central_differences(scale):
    p, x, h_0, dh = make_case(scale=scale)
    _, cache = rnn_step(p, x[0], h_0)
    got = by_name(*rnn_step_backward(p, dh[0], cache))
    arrays = {"x": x[0], "h_0": h_0, **vars(p)}
    for name, array in arrays.items():
        want = numerical_grad(
            lambda: np.sum(dh[0] * rnn_step(p, x[0], h_0)[0]), array
        )
        assert relative_error(got[name], want) < 1e-6, name


@pytest.mark.parametrize("scale", [0.5, 3.0], ids=["open", "saturated"])
@pytest.mark.parametrize("lengths", [None, LENGTHS], ids=["full", "ragged"])
def test_backward_matches_central_differences(scale, lengths):
    p, x, h_0, dh = make_case(scale=scale)
    _, cache = rnn_forward(p, x, h_0, lengths)
    got = by_name(*rnn_backward(p, dh, cache))
    for name, array in {"x": x, "h_0": h_0, **vars(p)}.items():
        want = numerical_grad(
            lambda: np.sum(dh * rnn_forward(p, x, h_0, lengths)[0]), array
        )
        assert relative_error(got[name], want) < 1e-6, name


def run_torch(p, x, h_0, dh, dh_T, lengths):
    """-> h, h_T and gradients of sum(dh h) + sum(dh_T h_T), from nn.RNN."""
    net = torch.nn.RNN(D, H).double()
    net.load_state_dict({n: torch.tensor(a) for n, a in to_torch(p).items()})
    with torch.no_grad():  # both biases random, their sum ours
        net.bias_hh_l0.normal_(generator=torch.Generator().manual_seed(0))
        net.bias_ih_l0 -= net.bias_hh_l0
    x, h_0 = (torch.tensor(a, requires_grad=True) for a in (x, h_0))
    packed = pack_padded_sequence(x, lengths, enforce_sorted=False)
    out, h_T = net(packed, h_0[None])
    h, _ = pad_packed_sequence(out)
    loss = (torch.tensor(dh) * h).sum() + (torch.tensor(dh_T) * h_T[0]).sum()
    loss.backward()
    grads = RNNParams(
        net.weight_ih_l0.grad, net.weight_hh_l0.grad, net.bias_hh_l0.grad
    )
    return h.detach(), h_T[0].detach(), (x.grad, h_0.grad, grads)


@pytest.mark.parametrize("lengths", [[T] * B, LENGTHS], ids=["full", "ragged"])
def test_forward_and_gradients_equal_torch(lengths):
    p, x, h_0, dh = make_case()
    dh_T = np.random.default_rng(1).normal(size=h_0.shape)
    mask = (np.arange(T)[:, None] < np.array(lengths))[..., None]
    want_h, want_T, want = run_torch(p, x, h_0, dh * mask, dh_T, lengths)

    h, cache = rnn_forward(p, x, h_0, lengths)
    np.testing.assert_allclose(h * mask, want_h, **EXACT)
    np.testing.assert_allclose(h[-1], want_T, **EXACT)
    dh = dh * mask
    dh[-1] += dh_T  # h[-1] is the last state of every sequence
    assert_same(rnn_backward(p, dh, cache), want)


def test_loop_equals_steps():
    p, x, h_0, _ = make_case()
    h, _ = rnn_forward(p, x, h_0)
    h_t = h_0
    for t in range(T):
        h_t, _ = rnn_step(p, x[t], h_t)
        np.testing.assert_allclose(h[t], h_t, **EXACT)


def test_value_of_one_step_known_by_hand():
    p = RNNParams(np.array([[1.0]]), np.array([[2.0]]), np.array([3.0]))
    h_t, _ = rnn_step(p, np.array([[4.0]]), np.array([[-3.0]]))
    assert h_t.item() == np.tanh(4 - 6 + 3)


def test_ended_sequence_holds_its_last_state():
    p, x, h_0, _ = make_case()
    h, _ = rnn_forward(p, x, h_0, LENGTHS)
    for b, length in enumerate(LENGTHS):
        assert (h[length - 1 :, b] == h[length - 1, b]).all()


@pytest.mark.parametrize("padding", [1e9, np.inf, np.nan])
def test_nothing_in_the_padding_changes_anything(padding):
    p, x, h_0, dh = make_case()
    want, cache = rnn_forward(p, x, h_0, LENGTHS)
    want_grads = rnn_backward(p, dh, cache)
    mask = np.arange(T)[:, None] < LENGTHS
    x[~mask] = padding
    h, cache = rnn_forward(p, x, h_0, LENGTHS)
    grads = rnn_backward(p, dh, cache)
    assert np.array_equal(h, want)
    for a, b in zip(arrays_of(grads), arrays_of(want_grads), strict=True):
        assert np.array_equal(a, b)
    assert not grads[0][~mask].any()  # dx: exactly zero there


def test_sequence_alone_equals_itself_in_company():
    p, x, h_0, dh = make_case()
    h, cache = rnn_forward(p, x, h_0, LENGTHS)
    dx, dh_0, _ = rnn_backward(p, dh, cache)
    for b, n in enumerate(LENGTHS):
        one = slice(b, b + 1)
        alone, cache = rnn_forward(p, x[:n, one], h_0[one])
        np.testing.assert_allclose(h[:n, one], alone, **EXACT)
        dh_b = dh[:n, one].copy()
        dh_b[-1] = dh[n - 1 :, one].sum(axis=0)  # on the held state too
        dx_b, dh_0_b, _ = rnn_backward(p, dh_b, cache)
        np.testing.assert_allclose(dx[:n, one], dx_b, **EXACT)
        np.testing.assert_allclose(dh_0[one], dh_0_b, **EXACT)


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_gradient_is_the_slope_for_any_shape_and_lengths(data):
    T, B, D, H = (data.draw(st.integers(1, 5)) for _ in range(4))
    one_length = st.integers(1, T)
    lengths = data.draw(st.lists(one_length, min_size=B, max_size=B))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    p = init_rnn(rng, D, H)
    x, h_0 = rng.normal(size=(T, B, D)), rng.normal(size=(B, H))
    dh = rng.normal(size=(T, B, H))
    way = map_params(lambda a: rng.normal(size=a.shape), [x, h_0, p])

    def loss(step):
        x_s, h_s, p_s = map_params(lambda a, d: a + step * d, [x, h_0, p], way)
        return np.sum(dh * rnn_forward(p_s, x_s, h_s, lengths)[0])

    _, cache = rnn_forward(p, x, h_0, lengths)
    grads = list(rnn_backward(p, dh, cache))
    pairs = zip(arrays_of(grads), arrays_of(way), strict=True)
    slope = sum(np.sum(g * d) for g, d in pairs)
    want = (loss(1e-6) - loss(-1e-6)) / 2e-6
    assert abs(slope - want) < 1e-7 * (1 + abs(want))


def test_shared_gradient_is_the_sum_over_unshared_copies():
    p, x, h_0, dh = make_case()
    copies = [map_params(np.copy, p) for _ in range(T)]

    def loss():
        h_t, total = h_0, 0.0
        for t in range(T):
            h_t, _ = rnn_step(copies[t], x[t], h_t)
            total += np.sum(dh[t] * h_t)
        return total

    _, cache = rnn_forward(p, x, h_0)
    by_step = rnn_backward_by_step(p, dh, cache)
    for t in range(T):
        for name, array in vars(copies[t]).items():
            want = numerical_grad(loss, array)
            got = getattr(by_step, name)[t]
            assert relative_error(got, want) < 1e-6, (name, t)
    total = map_params(lambda g: g.sum(axis=0), by_step)
    assert_same([total], [rnn_backward(p, dh, cache)[2]])


def test_one_term_of_the_sum_is_not_the_gradient():
    p, x, h_0, dh = make_case()
    _, cache = rnn_forward(p, x, h_0)
    total = rnn_backward(p, dh, cache)[2].W_hh
    for term in rnn_backward_by_step(p, dh, cache).W_hh:
        assert relative_error(term, total) > 0.1


def test_recursion_without_the_slope_of_tanh_is_wrong():
    p, x, h_0, dh = make_case()
    h, cache = rnn_forward(p, x, h_0)
    da, _ = rnn_deltas(p, dh, cache)
    right, wrong = 0, 0
    for t in reversed(range(T)):
        right = dh[t] + (da[t + 1] @ p.W_hh if t + 1 < T else 0)
        wrong = dh[t] + (wrong @ p.W_hh if t + 1 < T else 0)
    np.testing.assert_allclose(da[0], right * (1 - h[0] ** 2), **EXACT)
    assert relative_error(wrong, right) > 0.1


def torch_truncated(p, x, h_0, dh, boundaries):
    """Gradients with the state detached before each step in boundaries."""
    leaves = [torch.tensor(a, requires_grad=True) for a in arrays_of([x, h_0])]
    weights = [torch.tensor(a, requires_grad=True) for a in arrays_of(p)]
    (x_leaf, h_leaf), (W_xh, W_hh, b_h) = leaves, weights
    h_t, loss = h_leaf, 0
    for t in range(len(x)):
        if t in boundaries:
            h_t = h_t.detach()
        h_t = torch.tanh(x_leaf[t] @ W_xh.T + h_t @ W_hh.T + b_h)
        loss = loss + (torch.tensor(dh[t]) * h_t).sum()
    loss.backward()
    return [leaf.grad for leaf in leaves + weights]


@pytest.mark.parametrize("k", [1, 2, 4, 6, 9])
def test_chunks_equal_torch_with_detach_at_their_boundaries(k):
    p, x, h_0, dh = make_case()
    _, cache = rnn_forward(p, x, h_0)
    want = torch_truncated(p, x, h_0, dh, range(k, T, k))
    assert_same(rnn_backward_chunks(p, dh, cache, k), want)


def test_loss_of_the_second_chunk_does_not_reach_the_first():
    p, x, h_0, dh = make_case()
    dh[:3] = 0
    _, cache = rnn_forward(p, x, h_0)
    dx, dh_0, _ = rnn_backward_chunks(p, dh, cache, 3)
    assert not dx[:3].any() and not dh_0.any()
    assert rnn_backward(p, dh, cache)[0][:3].any()  # the full gradient does


@pytest.mark.parametrize("k", [1, 2, 4, 6, 9])
def test_window_equals_each_loss_cut_k_steps_back_in_torch(k):
    p, x, h_0, dh = make_case()
    _, cache = rnn_forward(p, x, h_0)
    want = 0
    for t in range(T):
        one = np.zeros_like(dh)
        one[t] = dh[t]
        parts = torch_truncated(p, x, h_0, one, {t - k + 1} - {0})
        parts = [np.zeros(1) if g is None else g.numpy() for g in parts]
        want = (
            parts
            if t == 0
            else [a + b for a, b in zip(want, parts, strict=True)]
        )
    assert_same(rnn_backward_window(p, dh, cache, k), want)


def test_truncation_to_everything_is_the_full_gradient_with_lengths_too():
    p, x, h_0, dh = make_case()
    _, cache = rnn_forward(p, x, h_0, LENGTHS)
    want = rnn_backward(p, dh, cache)
    assert_same(rnn_backward_chunks(p, dh, cache, T), want)
    assert_same(rnn_backward_window(p, dh, cache, T), want)


@pytest.mark.parametrize("every", [1, 2, 4, 6, 9])
def test_checkpointing_changes_memory_and_not_the_gradient(every):
    p, x, h_0, dh = make_case()
    _, cache = rnn_forward(p, x, h_0)
    kept = dh.copy()
    got = rnn_backward_checkpointed(p, x, h_0, dh, every)
    assert_same(got, rnn_backward(p, dh, cache))
    assert np.array_equal(dh, kept)


def test_float32_in_gives_float32_out():
    p, x, h_0, dh = map_params(np.float32, list(make_case()))
    h, cache = rnn_forward(p, x, h_0, LENGTHS)
    results = [h, *rnn_backward(p, dh, cache)]
    results += rnn_backward_chunks(p, dh, cache, 2)
    results += rnn_backward_window(p, dh, cache, 2)
    results += rnn_backward_checkpointed(p, x, h_0, dh, 2)
    results += [rnn_backward_by_step(p, dh, cache)]
    assert {a.dtype for a in arrays_of(results)} == {np.dtype(np.float32)}


def test_initial_weights_fill_the_interval_of_torch():
    p = init_rnn(np.random.default_rng(0), 30, 100)
    assert [a.shape for a in arrays_of(p)] == [(100, 30), (100, 100), (100,)]
    for a in arrays_of(p):  # 100 draws at the least: 5 % from both ends
        assert -0.1 <= a.min() < -0.095 and 0.095 < a.max() <= 0.1


@pytest.mark.parametrize("wide", ["p", "x", "h_0"])
def test_one_float64_among_float32_makes_the_states_float64(wide):
    given = dict(zip(("p", "x", "h_0"), make_case(), strict=False))
    for name in given.keys() - {wide}:
        given[name] = map_params(np.float32, given[name])
    assert rnn_forward(**given)[0].dtype == np.float64


def test_gradients_of_a_single_step_are_those_of_the_step():
    p, x, h_0, dh = make_case(T=1)
    h, cache = rnn_forward(p, x, h_0)
    h_t, step = rnn_step(p, x[0], h_0)
    np.testing.assert_allclose(h, h_t[None], **EXACT)
    dx_t, *want = rnn_step_backward(p, dh[0], step)
    for got in (
        rnn_backward(p, dh, cache),
        rnn_backward_chunks(p, dh, cache, 2),
        rnn_backward_window(p, dh, cache, 2),
        rnn_backward_checkpointed(p, x, h_0, dh, 2),
    ):
        assert_same(got, [dx_t[None], *want])


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    p, x, h_0, dh = make_case()
    h, cache = rnn_forward(p, x, h_0)
    square = RNNParams(p.W_xh, p.W_hh[:, 1:], p.b_h)
    short = RNNParams(p.W_xh, p.W_hh, p.b_h[1:])
    bad = [
        (lambda: rnn_forward(p, x[0], h_0), r"x .*\(T, B, 4\), got \(3, 4\)"),
        (lambda: rnn_forward(p, x[..., 1:], h_0), r"x .*got \(6, 3, 3\)"),
        (lambda: rnn_forward(p, x.astype(int), h_0), "x .*float.*got.*int64"),
        (lambda: rnn_forward(p, x.tolist(), h_0), "x .*got a list"),
        (lambda: rnn_forward(p, x[:0], h_0), "x .*at least one step"),
        (lambda: rnn_forward(p, x, h_0[1:]), r"h_0 .*\(3, 5\), got \(2, 5\)"),
        (lambda: rnn_forward(p, x, h_0, [6, 0, 1]), r"lengths .*\[6, 0, 1\]"),
        (lambda: rnn_forward(p, x, h_0, [7, 1, 1]), "lengths .*from 1 to T"),
        (lambda: rnn_forward(p, x, h_0, [6, 1]), r"lengths .*got \(2,\)"),
        (lambda: rnn_forward(p, x, h_0, [1.0] * 3), "lengths .*float64"),
        (lambda: rnn_forward(square, x, h_0), r"W_hh .*got \(5, 4\)"),
        (lambda: rnn_forward(short, x, h_0), r"b_h .*\(5,\), got \(4,\)"),
        (lambda: rnn_backward(p, dh[1:], cache), r"dh .*got \(5, 3, 5\)"),
        (lambda: rnn_backward_by_step(p, dh[0], cache), "dh .*got"),
        (lambda: rnn_backward_chunks(p, dh, cache, 0), "k .*at least 1.*0"),
        (lambda: rnn_backward_window(p, dh, cache, 1.5), "k .*integer.*1.5"),
        (lambda: rnn_backward_window(p, dh[0], cache, 1), "dh .*got"),
        (lambda: rnn_backward_checkpointed(p, x, h_0, dh[1:], 2), "dh .*got"),
        (lambda: rnn_backward_checkpointed(p, x, h_0, dh, -1), "every .*-1"),
        (lambda: rnn_backward_checkpointed(p, x[:0], h_0, dh, 2), "x .*one"),
        (lambda: init_rnn(np.random.default_rng(0), 0, 5), "D .*got 0"),
        (lambda: init_rnn(np.random.default_rng(0), 4, 0), "H .*got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def call(*names):
    """The arguments of these names, from make_case."""

    def make():
        p, x, h_0, dh = make_case()
        known = {"p": p, "x": x, "h_0": h_0, "lengths": LENGTHS, "dh": dh}
        known |= {"x_t": x[0], "h_prev": h_0, "dh_t": dh[0]}
        known |= {"k": 2, "every": 2}
        step = "dh_t" in names
        known["cache"] = (
            rnn_step(p, x[0], h_0) if step else rnn_forward(p, x, h_0, LENGTHS)
        )[1]
        return {name: known[name] for name in names}

    return make


CALLS = {
    init_rnn: lambda: {"rng": np.random.default_rng(0), "D": 2, "H": 3},
    rnn_step: call("p", "x_t", "h_prev"),
    rnn_step_backward: call("p", "dh_t", "cache"),
    rnn_forward: call("p", "x", "h_0", "lengths"),
    rnn_deltas: call("p", "dh", "cache"),
    rnn_backward: call("p", "dh", "cache"),
    rnn_backward_by_step: call("p", "dh", "cache"),
    rnn_backward_chunks: call("p", "dh", "cache", "k"),
    rnn_backward_window: call("p", "dh", "cache", "k"),
    rnn_backward_checkpointed: call("p", "x", "h_0", "dh", "every"),
}
