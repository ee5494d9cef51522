import numpy as np
import pytest
import torch

from seqbook.gradcheck import numerical_grad, relative_error
from seqbook.gradients import (
    backward_norms,
    clip_global_norm,
    clip_values,
    jacobian_product,
    lyapunov_exponent,
    orthogonal,
    rnn_jacobians,
    spectral_norm,
    spectral_radius,
    step_bound,
)
from seqbook.rnn import RNNParams, init_rnn, rnn_backward, rnn_forward

T, D, H = 5, 2, 4


def make_case():
    """Params, x (T, 1, D), h_0 (1, H), h (T, H), J (T, H, H)."""
    rng = np.random.default_rng(0)
    shapes = (H, D), (H, H), H
    p = RNNParams(*(rng.normal(size=shape) / 2 for shape in shapes))
    x, h_0 = rng.normal(size=(T, 1, D)), rng.normal(size=(1, H))
    h = rnn_forward(p, x, h_0)[0][:, 0]
    return p, x, h_0, h, rnn_jacobians(p, h)


def test_jacobian_product_is_the_derivative_of_the_last_state():
    p, x, h_0, _, J = make_case()
    got = jacobian_product(J, T, 0)
    for unit in range(H):
        want = numerical_grad(
            lambda unit=unit: rnn_forward(p, x, h_0)[0][-1, 0, unit],
            h_0,
        )
        assert relative_error(got[unit], want[0]) < 1e-7


def test_ascending_order_is_not_the_derivative():
    *_, J = make_case()
    descending = J[4] @ J[3] @ J[2] @ J[1]
    ascending = J[1] @ J[2] @ J[3] @ J[4]
    np.testing.assert_allclose(jacobian_product(J, 5, 1), descending, 1e-13)
    assert relative_error(ascending, descending) > 0.5


def test_from_a_step_to_itself_there_are_no_factors():
    *_, J = make_case()
    assert np.array_equal(jacobian_product(J, 3, 3), np.eye(H))
    assert np.array_equal(jacobian_product(J, 3, 2), J[2])


def test_backward_norms_are_those_of_the_gradient_at_every_lag():
    p, x, h_0, _, J = make_case()
    v = np.random.default_rng(1).normal(size=H)
    got = backward_norms(J, v)
    want = [np.linalg.norm(jacobian_product(J, T, k).T @ v) for k in range(6)]
    np.testing.assert_allclose(got, want[::-1], 1e-13)
    dh = np.zeros((T, 1, H))
    dh[-1, 0] = v
    _, cache = rnn_forward(p, x, h_0)
    dh_0 = rnn_backward(p, dh, cache)[1]
    np.testing.assert_allclose(got[-1], np.linalg.norm(dh_0), 1e-13)


def test_spectral_norm_above_one_need_not_explode():
    A = np.array([[0.9, 5.0], [0.0, 0.9]])
    assert spectral_norm(A) == pytest.approx(5.157, abs=5e-4)
    assert spectral_radius(A) == pytest.approx(0.9, abs=1e-7)
    norms = [
        spectral_norm(np.linalg.matrix_power(A, k)) for k in range(1, 101)
    ]
    assert np.argmax(norms) + 1 == 9
    assert max(norms) == pytest.approx(19.379, abs=5e-4)
    assert norms[54 - 1] >= 1 > norms[55 - 1]
    assert norms[-1] == pytest.approx(0.0148, abs=5e-5)
    nilpotent = np.array([[0.0, 2.0], [0.0, 0.0]])
    assert spectral_norm(nilpotent) == 2
    assert spectral_radius(nilpotent) == 0
    assert not (nilpotent @ nilpotent).any()


def test_no_jacobian_exceeds_the_bound():
    p, _, _, _, J = make_case()
    assert max(map(spectral_norm, J)) <= step_bound(p.W_hh)
    assert step_bound(p.W_hh, gamma=0.25) == spectral_norm(p.W_hh) / 4


def test_default_weights_stretch_although_their_radius_is_below_one():
    p = init_rnn(np.random.default_rng(0), 1, 256)
    assert spectral_norm(p.W_hh) == pytest.approx(2 / np.sqrt(3), rel=0.05)
    assert spectral_radius(p.W_hh) == pytest.approx(1 / np.sqrt(3), rel=0.1)


def test_orthogonal_keeps_every_length_and_favours_no_sign():
    rng = np.random.default_rng(0)
    Q = orthogonal(rng, 50)
    np.testing.assert_allclose(Q.T @ Q, np.eye(50), atol=1e-14)
    np.testing.assert_allclose(np.abs(np.linalg.eigvals(Q)), 1, 1e-13)
    corner = [orthogonal(rng, 2)[0, 0] > 0 for _ in range(400)]
    assert 150 < sum(corner) < 250  # 200 +- 5 sigma; QR alone gives 0


def test_global_norm_keeps_the_direction_across_arrays():
    grads = [np.array([3.0, 4.0]), np.array([0.3, 0.4])]
    (a, b), norm = clip_global_norm(grads, 1.0)
    assert norm == pytest.approx(5.0249, abs=5e-5)
    np.testing.assert_allclose(a, [0.5970, 0.7960], atol=5e-5)
    np.testing.assert_allclose(b, [0.0597, 0.0796], atol=5e-5)
    np.testing.assert_allclose(a / b, [10, 10], 1e-14)
    one_by_one = [clip_global_norm([g], 1.0)[0][0] for g in grads]
    np.testing.assert_allclose(one_by_one, [[0.6, 0.8], [0.3, 0.4]], 1e-14)
    assert clip_values(grads, 1.0)[0].tolist() == [1, 1]
    assert grads[0].tolist() == [3, 4]  # a copy was clipped


def test_clipped_dataclass_equals_torch_up_to_its_safety_term():
    p = make_case()[0]
    got, norm = clip_global_norm(p, 0.5)
    leaves = [torch.nn.Parameter(torch.tensor(a)) for a in vars(p).values()]
    for leaf in leaves:
        leaf.grad = leaf.detach().clone()
    want = torch.nn.utils.clip_grad_norm_(leaves, 0.5)
    assert norm == pytest.approx(want.item(), rel=1e-14)
    for array, leaf in zip(vars(got).values(), leaves, strict=True):
        np.testing.assert_allclose(array, leaf.grad, 1e-6)  # norm + 1e-6


def test_clipping_leaves_small_and_zero_gradients_alone():
    small = [np.array([0.3, 0.4])]
    got, norm = clip_global_norm(small, 1.0)
    assert np.array_equal(got[0], small[0]) and norm == pytest.approx(0.5)
    got, norm = clip_global_norm([np.zeros(3), np.zeros((0, 2))], 1.0)
    assert not got[0].any() and norm == 0


def test_norm_of_huge_and_tiny_gradients_neither_overflows_nor_vanishes():
    for size in 1e200, 1e-200:
        got, norm = clip_global_norm([np.array([3 * size, 4 * size])], size)
        assert norm == pytest.approx(5 * size)
        np.testing.assert_allclose(got[0], [0.6 * size, 0.8 * size])


@pytest.mark.parametrize("entry", [np.inf, -np.inf, np.nan])
def test_clipping_refuses_what_is_not_finite(entry):
    grads = [np.array([1.0]), np.array([entry, 2.0])]
    for clip in clip_global_norm, clip_values:
        with pytest.raises(ValueError, match="grads must be finite"):
            clip(grads, 1.0)
    with pytest.raises(ValueError, match="max_norm must be positive, got 0"):
        clip_global_norm([np.ones(2)], 0)
    with pytest.raises(ValueError, match="limit must be positive, got nan"):
        clip_values([np.ones(2)], np.nan)


def test_float32_gradients_stay_float32():
    (got,), _ = clip_global_norm([np.float32([3, 4])], 1.0)
    assert got.dtype == np.float32


def test_mean_of_clipped_gradients_has_another_direction():
    batches = [np.array([10.0, 0.0]), np.array([0.0, 1.0])]
    clipped = sum(clip_global_norm([g], 1.0)[0][0] for g in batches)
    true = sum(batches)
    norms = np.linalg.norm(clipped) * np.linalg.norm(true)
    assert clipped @ true / norms == pytest.approx(0.774, abs=5e-4)


def test_lyapunov_exponent_of_a_constant_map_is_the_log_of_its_radius():
    A = np.array([[0.9, 5.0], [0.0, 0.5]])
    J = np.tile(A, (4000, 1, 1))  # norms near 1e-183: rescaled on the way
    got = lyapunov_exponent(J, np.array([1.0, 1.0]))
    assert got == pytest.approx(np.log(0.9), abs=2e-3)  # transient / T
    assert lyapunov_exponent(np.zeros((3, 2, 2)), np.ones(2)) == -np.inf


def test_rescaling_on_the_way_does_not_change_the_exponent():
    *_, J = make_case()
    v = np.random.default_rng(1).normal(size=H)
    growth = np.linalg.norm(jacobian_product(J, T, 0) @ v) / np.linalg.norm(v)
    assert lyapunov_exponent(J, v) == pytest.approx(np.log(growth) / T)


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    p, _, _, h, J = make_case()
    v = np.ones(H)
    bad = [
        (lambda: rnn_jacobians(p, h[0]), r"h .*\(T, 4\), got \(4,\)"),
        (lambda: jacobian_product(J, 1, 2), "k=2, t=1"),
        (lambda: jacobian_product(J, 6, 0), "T = 5, got k=0, t=6"),
        (lambda: jacobian_product(J[0], 1, 0), r"J .*got \(4, 4\)"),
        (lambda: backward_norms(J, v[1:]), r"v .*\(4,\), got \(3,\)"),
        (lambda: lyapunov_exponent(J, 0 * v), "v must not be zero"),
        (lambda: spectral_radius(J[0, 1:]), r"W .*got \(3, 4\)"),
        (lambda: spectral_norm(J), r"W .*got \(5, 4, 4\)"),
        (lambda: orthogonal(np.random.default_rng(0), 0), "n .*got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def call(f_names):
    def make():
        p, _, _, h, J = make_case()
        rng = np.random.default_rng(3)
        v, W = rng.normal(size=H), J[0]
        grads = {"grads": p, "max_norm": 0.5, "limit": 0.3}
        sizes = {"t": 4, "k": 1, "n": 3, "gamma": 0.5, "rng": rng}
        known = {"p": p, "h": h, "J": J, "v": v, "W": W, "W_hh": W}
        return {name: {**known, **grads, **sizes}[name] for name in f_names}

    return make


CALLS = {
    rnn_jacobians: call(["p", "h"]),
    jacobian_product: call(["J", "t", "k"]),
    backward_norms: call(["J", "v"]),
    spectral_norm: call(["W"]),
    spectral_radius: call(["W"]),
    step_bound: call(["W_hh", "gamma"]),
    orthogonal: call(["rng", "n"]),
    clip_global_norm: call(["grads", "max_norm"]),
    clip_values: call(["grads", "limit"]),
    lyapunov_exponent: call(["J", "v"]),
}
OTHER = {
    (rnn_jacobians, "p"): lambda: init_rnn(np.random.default_rng(1), D, H)
}
