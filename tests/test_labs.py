"""The labs: their arithmetic against seqbook, and what is shipped."""

import gzip
import json
import subprocess

import numpy as np
import pytest

from figures_src import derivation_table, gradient_cliff, rz_square
from seqbook.checks import check_array
from seqbook.counting import gru_parameters, lstm_parameters, rnn_parameters
from seqbook.gradients import (
    backward_norms,
    clip_global_norm,
    rnn_jacobians,
)
from seqbook.press import node
from seqbook.press.assets import BUILT
from seqbook.press.sources import ROOT
from tests.labs.page import LABS, built

RTOL = 1e-9


# Arithmetic: JavaScript returns what seqbook returns.


@pytest.fixture(scope="module")
def replay(tmp_path_factory):
    """Run [model, function, *arguments] lists in Node.js."""
    node.install()
    folder = tmp_path_factory.mktemp("replay")
    esbuild = node.MODULES / "esbuild" / "bin" / "esbuild"
    script = folder / "replay.cjs"
    node.run(
        esbuild,
        ROOT / "tests" / "labs" / "replay.js",
        "--bundle",
        "--platform=node",
        "--log-level=warning",
        f"--outfile={script}",
    )

    def run(*calls):
        file = folder / "calls.json"
        file.write_text(json.dumps(calls, allow_nan=False), encoding="utf-8")
        done = node.run(script, file, stdout=subprocess.PIPE, encoding="utf-8")
        return json.loads(done.stdout)

    return run


def cliff_states(g, s):
    Q, noise = gradient_cliff.network(0)
    noise = noise.ravel() / 10
    N = len(Q)
    return [
        "cliff",
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
    return ["cliff", "backwardNorms", *given]


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
        ["cliff", "clipScale", norms.tolist(), 5],
        ["cliff", "total", norms.tolist()],
        ["cliff", "farShare", norms.tolist()],
        ["cliff", "farShare", clipped[0].tolist()],
    )
    np.testing.assert_allclose(scale * norms, clipped[0], rtol=RTOL)
    assert found_total == pytest.approx(total, rel=RTOL)
    assert share == pytest.approx(norms[51:].sum() / norms.sum(), rel=RTOL)
    assert share_after == pytest.approx(share, rel=RTOL)


@pytest.mark.parametrize("h_0", [0.0, 1.0, -1.0, 0.35])
def test_derivation_table(replay, h_0):
    given = [[0.9] * 3, 1, [1, 0, 0], h_0]
    rows, wrong = replay(
        ["derivation", "table", *given],
        ["derivation", "withoutSlope", *given],
    )
    want = derivation_table.table(h_0)
    for mine, theirs in (
        ("h", "h"),
        ("immediate", "immediate"),
        ("chain", "chain"),
        ("term", "terms"),
    ):
        found = [row[mine] for row in rows]
        np.testing.assert_allclose(found, want[theirs], rtol=RTOL, atol=1e-15)
    assert wrong == pytest.approx(want["without_slope"], rel=RTOL)


@pytest.mark.parametrize("moved", [[1], [2], [3], [1, 2, 3]])
@pytest.mark.parametrize("delta", [-0.5, 0, 0.1, 0.5])
def test_derivation_nudges_only_the_copies_named(replay, moved, delta):
    (found,) = replay(
        ["derivation", "nudged", [0.9] * 3, 1, [1, 0, 0], 0.2, moved, delta]
    )
    copies = [0.9 + delta * (k in moved) for k in (1, 2, 3)]
    want = derivation_table.unshared(copies, 0.2)[-1]
    assert found == pytest.approx(want, rel=RTOL)


def test_derivation_by_hand():
    found = derivation_table.table()
    terms = [0, 0.337, 0.452]
    assert found["terms"] == pytest.approx(terms, abs=5e-4)
    assert found["sum"] == pytest.approx(0.789, abs=5e-4)
    assert found["without_slope"] == pytest.approx(1.280, abs=5e-4)
    # One copy's term is the slope of L in that copy alone.
    for k in range(3):
        up, down = (
            [0.9 + e * (i == k) for i in range(3)] for e in (1e-6, -1e-6)
        )
        rise = derivation_table.unshared(up) - derivation_table.unshared(down)
        assert rise[-1] / 2e-6 == pytest.approx(found["terms"][k], abs=1e-8)


@pytest.mark.parametrize(
    "r, z",
    [(0, 0), (1, 0), (0, 1), (1, 1), (0.5, 0.1), (0, 2 / 61), (1, 0.99)],
)
def test_gru_of_the_square(replay, r, z):
    T = 100
    zeros, impulse = [0] * T, [1] + [0] * (T - 1)
    kept, written, slope = replay(
        ["rz", "run", r, z, 0.9, 1, zeros, 1],
        ["rz", "run", r, z, 0.9, 1, impulse, 0],
        ["rz", "slope", r, z, 0.9],
    )
    near = {"rtol": RTOL, "atol": 1e-300}
    np.testing.assert_allclose(kept, rz_square.kept(r, z, T), **near)
    np.testing.assert_allclose(written, rz_square.written(r, z, T), **near)
    assert slope == pytest.approx(rz_square.slope(r, z), rel=RTOL)


def test_square_names_its_corners():
    points = rz_square.results()["points"]
    assert points["copy"]["after_100"] == 1
    assert points["memoryless"]["after_20"] == 0
    assert points["Elman"]["slope"] == pytest.approx(0.9)
    assert points["average"]["slope"] == pytest.approx(59 / 61)


def test_parameter_counts(replay):
    cells = {
        "RNN": rnn_parameters,
        "GRU": gru_parameters,
        "LSTM": lstm_parameters,
    }
    sizes = [(1, 1, 1), (128, 256, 1), (128, 256, 2), (512, 1024, 2)]
    calls = [(cell, *size) for cell in cells for size in sizes]
    found = replay(*(["rz", "parameters", *call] for call in calls))
    assert found == [cells[cell](*size) for cell, *size in calls]
    assert found[1] == 98_560 and found[5] == 295_680 and found[9] == 394_240


def test_numbers_as_the_book_writes_them(replay):
    values = {
        "scientific": [
            (0, "0"),
            (1, "1"),
            (0.9**100, "2.7×10⁻⁵"),
            (1.1**100, "1.4×10⁴"),
            (-0.0046, "−4.6×10⁻³"),
            (0.86, "0.86"),
            (0.01, "0.01"),
            (1e-205, "1.0×10⁻²⁰⁵"),
            (999.9, "1.0×10³"),
            (123.4, "120"),
        ],
        "percent": [(0.0046, "0.46 %"), (1, "100 %"), (1e-12, "1.0×10⁻¹⁰ %")],
        "grouped": [(98560, "98,560"), (7, "7"), (8392704, "8,392,704")],
    }
    calls = [
        ["format", name, value]
        for name, pairs in values.items()
        for value, _ in pairs
    ]
    want = [text for pairs in values.values() for _, text in pairs]
    assert replay(*calls) == want


# What is shipped.


@pytest.fixture(scope="module")
def shipped():
    built()
    return BUILT / "labs"


@pytest.mark.parametrize("name", LABS)
def test_bundle_is_small_and_classic(shipped, name):
    text = (shipped / f"{name}.js").read_bytes()
    assert len(gzip.compress(text, 9)) <= 60_000
    assert not text.lstrip().startswith((b"import", b"export"))
    assert b"fetch(" not in text and b"http://www.w3.org/2000/svg" in text
