import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from seqbook.conventions import to_torch
from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.irnn import init_irnn, relu_rnn_step, relu_rnn_step_backward
from seqbook.params import arrays_of, map_params
from seqbook.rnn import RNNParams
from seqbook.stack import over_time, over_time_backward

T, B, D, H = 6, 3, 4, 5  # all different, so a swapped axis cannot pass
LENGTHS = np.array([6, 1, 4])
EXACT = {"rtol": 1e-12, "atol": 1e-12}  # float64, sums of some 30 terms


def make_case():
    """Params, x (T, B, D), h_0 (B, H), dh (T, B, H), all random."""
    rng = np.random.default_rng(0)
    shapes = (H, D), (H, H), H
    p = RNNParams(*(rng.normal(size=shape) / 2 for shape in shapes))
    sizes = (T, B, D), (B, H), (T, B, H)
    return p, *(rng.normal(size=size) for size in sizes)


def one_unit(h_prev, a_x):
    """The next state of one unit of an IRNN whose input adds a_x."""
    p = RNNParams(np.ones((1, 1)), np.eye(1), np.zeros(1))
    return relu_rnn_step(p, np.array([[a_x]]), np.array([[h_prev]]))[0].item()


def test_step_backward_matches_central_differences():
    p, x, h_0, dh = make_case()
    h_t, cache = relu_rnn_step(p, x[0], h_0)
    assert 0 < np.mean(h_t > 0) < 1  # both sides of the corner occur
    dx_t, dh_prev, grads = relu_rnn_step_backward(p, dh[0], cache)
    got = {"x": dx_t, "h_0": dh_prev, **vars(grads)}
    for name, array in {"x": x[0], "h_0": h_0, **vars(p)}.items():
        want = numerical_grad(
            lambda: np.sum(dh[0] * relu_rnn_step(p, x[0], h_0)[0]), array
        )
        assert relative_error(got[name], want) < 1e-6, name


@pytest.mark.parametrize("lengths", [[T] * B, LENGTHS], ids=["full", "ragged"])
def test_forward_and_gradients_equal_torch(lengths):
    p, x, h_0, dh = make_case()
    dh_T = np.random.default_rng(1).normal(size=h_0.shape)
    mask = (np.arange(T)[:, None] < np.array(lengths))[..., None]
    net = torch.nn.RNN(D, H, nonlinearity="relu").double()
    net.load_state_dict({n: torch.tensor(a) for n, a in to_torch(p).items()})
    x_leaf, h_leaf = (torch.tensor(a, requires_grad=True) for a in (x, h_0))
    packed = pack_padded_sequence(x_leaf, lengths, enforce_sorted=False)
    out, h_T = net(packed, h_leaf[None])
    want, _ = pad_packed_sequence(out)
    loss = (torch.tensor(dh * mask) * want).sum()
    (loss + (torch.tensor(dh_T) * h_T[0]).sum()).backward()

    x[~mask[..., 0]] = 1e9  # never read
    (h,), cache = over_time(relu_rnn_step, p, x, [h_0], lengths)
    np.testing.assert_allclose(h * mask, want.detach(), **EXACT)
    np.testing.assert_allclose(h[-1], h_T[0].detach(), **EXACT)
    dh = dh * mask
    dh[-1] += dh_T  # h[-1] is the last state of every sequence
    dx, (dh_0,), grads = over_time_backward(
        relu_rnn_step_backward, p, [dh], cache
    )
    weights = net.weight_ih_l0, net.weight_hh_l0, net.bias_hh_l0
    got = [dx, dh_0, *arrays_of(grads)]
    for grad, leaf in zip(got, [x_leaf, h_leaf, *weights], strict=True):
        np.testing.assert_allclose(grad, leaf.grad, **EXACT)


def test_corner_has_slope_zero_as_in_torch():
    p = map_params(np.zeros_like, make_case()[0])
    p.W_xh += 1
    x_t, ones = np.zeros((1, D)), np.ones((1, H))
    _, cache = relu_rnn_step(p, x_t, 0 * ones)
    leaf = torch.tensor(x_t, requires_grad=True)
    torch.relu(leaf @ torch.tensor(p.W_xh).T).sum().backward()
    assert np.array_equal(relu_rnn_step_backward(p, ones, cache)[0], leaf.grad)


def test_weights_start_as_in_the_paper():
    p = init_irnn(np.random.default_rng(0), 200, 300)
    assert np.array_equal(p.W_hh, np.eye(300))
    assert p.b_h.shape == (300,) and not p.b_h.any()
    assert p.W_xh.shape == (300, 200)
    # 60 000 draws: mean and deviation are known to about 0.3 %
    assert abs(p.W_xh.mean()) < 2e-5
    assert p.W_xh.std() == pytest.approx(0.001, rel=0.01)


def test_state_adds_its_inputs_while_it_is_positive_and_not_below():
    assert one_unit(0.2, 0.5) == pytest.approx(0.7)
    assert one_unit(0.2, -0.1) == pytest.approx(0.1)
    assert one_unit(0.2, -0.5) == 0  # a sum would be -0.3


def test_without_input_state_and_gradient_last_for_ever():
    p = init_irnn(np.random.default_rng(0), D, H)
    h_0 = np.abs(np.random.default_rng(1).normal(size=(B, H)))
    x, dh = np.zeros((1000, B, D)), np.zeros((1000, B, H))
    dh[-1] = np.random.default_rng(2).normal(size=(B, H))
    (h,), cache = over_time(relu_rnn_step, p, x, [h_0])
    assert np.array_equal(h[-1], h_0)
    _, (dh_0,), _ = over_time_backward(relu_rnn_step_backward, p, [dh], cache)
    assert np.array_equal(dh_0, dh[-1])


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.data())
def test_sequence_alone_equals_itself_in_company(data):
    T, B, D, H = (data.draw(st.integers(1, 5)) for _ in range(4))
    one_length = st.integers(1, T)
    lengths = data.draw(st.lists(one_length, min_size=B, max_size=B))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    p, x = init_irnn(rng, D, H), rng.normal(size=(T, B, D))
    h_0 = rng.normal(size=(B, H))
    (h,), _ = over_time(relu_rnn_step, p, x, [h_0], lengths)
    for b, n in enumerate(lengths):
        one = slice(b, b + 1)
        (alone,), _ = over_time(relu_rnn_step, p, x[:n, one], [h_0[one]])
        np.testing.assert_allclose(h[:n, one], alone, **EXACT)
        np.testing.assert_array_equal(h[-1, b], h[n - 1, b])


def test_float32_in_gives_float32_out():
    p, x, h_0, dh = map_params(np.float32, list(make_case()))
    (h,), cache = over_time(relu_rnn_step, p, x, [h_0], LENGTHS)
    back = over_time_backward(relu_rnn_step_backward, p, [dh], cache)
    assert {a.dtype for a in arrays_of([h, *back])} == {np.dtype(np.float32)}


def test_sizes_must_be_positive():
    for D, H, message in [(0, 5, "D .*got 0"), (4, -1, "H .*got -1")]:
        with pytest.raises(ValueError, match=message):
            init_irnn(np.random.default_rng(0), D, H)


def step_call():
    p, x, h_0, _ = make_case()
    return {"p": p, "x_t": x[0], "h_prev": h_0}


def step_backward_call():
    p, x, h_0, dh = make_case()
    _, cache = relu_rnn_step(p, x[0], h_0)
    return {"p": p, "dh_t": dh[0], "cache": cache}


CALLS = {
    init_irnn: lambda: {"rng": np.random.default_rng(0), "D": 2, "H": 3},
    relu_rnn_step: step_call,
    relu_rnn_step_backward: step_backward_call,
}
