"""The gradient cliff: drag the scale, then the noise."""

import numpy as np
import pytest

from figures_src.vanishing_gradients import gradient_cliff
from seqbook.checks import check_array
from seqbook.gradients import (
    backward_norms,
    clip_global_norm,
    rnn_jacobians,
)
from tests.labs.page import Case, says, slide

RTOL = 1e-9
SAYS = ("2.7×10⁻⁵", "2.7×10⁻⁵")
KEY = ("Scale g of W", "ArrowRight", "g", "0.91", "0.91")
STATE = ("?g=1.1&s=0.5&T=137&clip=1", "going back 137 steps")
NONSENSE = ("?g=7&s=NaN&T=1e9&clip=maybe", "2.7×10⁻⁵")
CASES = {
    "gradient-cliff": Case("gradient_cliff", SAYS, KEY, STATE, NONSENSE),
    # The small one of the first page has one slider.
    "gradient-cliff-small": Case(
        "gradient_cliff",
        SAYS,
        KEY,
        ("?g=1.1", "1.1¹⁰⁰"),
        ("?g=7", "2.7×10⁻⁵"),
    ),
}


def cliff_states(g, s):
    Q, noise = gradient_cliff.network(0)
    noise = noise.ravel() / 10
    N = len(Q)
    return [
        "gradient-cliff",
        "states",
        Q.ravel().tolist(),
        noise.tolist(),
        [1] * N,
        g,
        s,
    ]


def cliff_norms(h, g, T):
    Q, _ = gradient_cliff.network(0)
    v = np.ones(len(Q)) / np.sqrt(len(Q))
    given = Q.ravel().tolist(), np.asarray(h).tolist(), g, v.tolist(), T
    return ["gradient-cliff", "backwardNorms", *given]


@pytest.mark.parametrize(
    "g, s", [(0.5, 0), (0.5, 1), (0.9, 0), (1, 0), (1.1, 0.5), (2, 0), (2, 1)]
)
def test_cliff_steps_as_seqbook_does(replay, g, s):
    # Step by step: with large g the network is chaotic, and two correct
    # programs part after a hundred steps by way of their last digits.
    (h,) = replay(cliff_states(g, s))
    h = np.array(h)
    assert np.all(np.isfinite(h))
    Q, noise = gradient_cliff.network(0)
    check_array("h", h, *noise.shape)
    before = np.vstack([np.ones(len(Q)), h[:-1]])
    p = gradient_cliff.states(Q, noise, g, s)[1]
    a = (noise / 10) @ p.W_xh.T + before @ p.W_hh.T
    np.testing.assert_allclose(h, np.tanh(a), rtol=RTOL, atol=1e-300)
    for T in 1, 10, 200:
        (norms,) = replay(cliff_norms(h, g, T))
        J = rnn_jacobians(p, h[-T:])
        want = backward_norms(J, np.ones(len(Q)) / np.sqrt(len(Q)))
        np.testing.assert_allclose(norms, want, rtol=RTOL)


@pytest.mark.parametrize(
    "g, s", [(0.5, 1), (0.9, 0), (0.9, 0.37), (1, 0), (1.1, 0.2), (1.1, 1)]
)
def test_cliff_runs_as_the_figure_does(replay, g, s):
    (h,) = replay(cliff_states(g, s))
    (norms,) = replay(cliff_norms(h, g, 200))
    np.testing.assert_allclose(norms, gradient_cliff.norms(0, g, s), rtol=RTOL)


def test_cliff_keeps_the_promise_of_the_first_page():
    assert gradient_cliff.norms(0, 0.9, 0)[100] == pytest.approx(0.9**100)


@pytest.mark.parametrize("g, s", [(0.9, 0), (1.1, 0), (2, 0)])
def test_clipping_scales_and_leaves_the_far_share(replay, g, s):
    norms = gradient_cliff.norms(0, g, s, 100)
    clipped, total = clip_global_norm([norms], 5)
    scale, found_total, share, share_after = replay(
        ["gradient-cliff", "clipScale", norms.tolist(), 5],
        ["gradient-cliff", "total", norms.tolist()],
        ["gradient-cliff", "farShare", norms.tolist()],
        ["gradient-cliff", "farShare", clipped[0].tolist()],
    )
    np.testing.assert_allclose(scale * norms, clipped[0], rtol=RTOL)
    assert found_total == pytest.approx(total, rel=RTOL)
    assert share == pytest.approx(norms[51:].sum() / norms.sum(), rel=RTOL)
    assert share_after == pytest.approx(share, rel=RTOL)


def test_clipping_leaves_the_share(visit):
    page = visit("gradient-cliff", "?g=1.5")
    share = says(page).partition("The far half holds ")[2].partition(" of")[0]
    assert share.endswith("%")
    page.get_by_label("Clip at norm 5").check()
    page.evaluate("nextFrame()")
    assert f"holds {share} of" in says(page)
    assert "clipping multiplies every step by" in says(page)
    slide(page, "Scale g of W", 0.9)
    assert "clipping does nothing" in says(page)


def test_noise_flattens_what_should_explode(visit):
    page = visit("gradient-cliff", "?g=1.1")
    assert "until tanh flattens" in says(page)
    slide(page, "Input noise s", 0.5)
    assert "1.4×10⁴ would let the gradient explode, yet" in says(page)
