"""What the figures of docs/en/carousel.md claim of their own constructions."""

import numpy as np
import pytest
import torch

from figures_src.carousel import carousel, jacobian_direct_total
from figures_src.studies import chrono
from seqbook.lstm import init_lstm, lstm_jacobian, lstm_step

seeds = pytest.mark.parametrize("seed", range(3))


@seeds
@pytest.mark.parametrize("f", carousel.GATES)
def test_held_gates_are_f_whatever_comes(f, seed):
    lstm, _, x = carousel.network(seed)
    p = carousel.held(lstm, f, 3.0)
    h, c = np.random.default_rng(seed).normal(size=(2, 1, carousel.H))
    gates = lstm_step(p, x[:1], h, c)[2][4]
    np.testing.assert_allclose(gates, f, 1e-14)


@seeds
@pytest.mark.parametrize("f", carousel.GATES)
def test_without_recurrent_weights_all_roads_are_the_direct_one(f, seed):
    got = carousel.total(seed, f, 0.0)
    np.testing.assert_allclose(got, carousel.direct(f), 1e-12)


@pytest.mark.parametrize("block", range(4))
def test_a_deaf_gate_computes_the_same_and_passes_nothing_back(block):
    D, H = jacobian_direct_total.D, jacobian_direct_total.H
    rng = np.random.default_rng(0)
    p, x_t = init_lstm(rng, D, H), rng.normal(size=D)
    h, c = rng.normal(size=(2, H))
    deaf = jacobian_direct_total.deaf(p, block, h)
    for want, got in zip(
        lstm_step(p, x_t[None], h[None], c[None])[:2],
        lstm_step(deaf, x_t[None], h[None], c[None])[:2],
        strict=True,
    ):
        np.testing.assert_allclose(got, want, 1e-13, 1e-15)
    whole = lstm_jacobian(p, x_t, h, c)
    left = [
        whole - lstm_jacobian(jacobian_direct_total.deaf(p, k, h), x_t, h, c)
        for k in range(4)
    ]
    np.testing.assert_allclose(sum(left)[:, :H], whole[:, :H], 1e-9, 1e-12)
    assert np.abs(left[block][:, :H]).max() > 1e-3
    assert np.abs(left[block][:, H:]).max() < 1e-12  # not the direct path


@pytest.mark.parametrize("start", chrono.STARTS)
def test_gates_start_where_the_name_says(start):
    longest, spread, tied = chrono.STARTS[start]
    cell = chrono.build(start, 1, 0).cell
    i, f, *_ = torch.sigmoid(cell.bias_ih_l0 + cell.bias_hh_l0).split(32)
    scales = (1 / (1 - f)).detach().numpy()
    if longest is None:
        np.testing.assert_allclose(scales, 1 + np.e, 1e-5)
    elif spread:
        assert 2 <= scales.min() < scales.max() <= longest
        assert scales.max() > 0.8 * longest
    else:
        np.testing.assert_allclose(scales, longest, 1e-4)
    assert torch.allclose(i, 1 - f, atol=1e-6) == tied


def test_two_lags_hide_one_symbol_at_each_end():
    ids, targets = chrono.two_lags(np.random.default_rng(0), 500)
    assert ids.shape == (chrono.T, 500)
    near = ids[chrono.T - chrono.NEAR] - 4
    assert np.array_equal(targets, 4 * ids[0] + near)
    assert set(targets) == set(range(16))
    rest = np.delete(ids, [0, chrono.T - chrono.NEAR], axis=0)
    assert set(rest.ravel()) == {8, 9, 10, 11}
