"""The counts of the figure and lab, against the graph walked path by path."""

from math import comb

import numpy as np
import pytest
import torch

from figures_src.deep_bidirectional import stacking_bench as bench
from seqbook.conventions import from_torch
from seqbook.rnn import RNNParams, rnn_forward
from seqbook.stack import depends_on

STEPS = 5  # every path can be walked
CHUNKS = [(3, 2), (3, 0), (1, 2), (1, 0), (2, 1), (5, 0), (7, 7)]
CASES = [("right", 3, 2), ("both", 3, 2), *(("chunked", *c) for c in CHUNKS)]
kinds = pytest.mark.parametrize(("kind", "chunk", "ahead"), CASES)


def walk(reads, node):
    """-> every path that ends in node, as a list of nodes, latest first."""
    if node not in reads:
        return [[node]]
    return [
        [node, *path] for before in reads[node] for path in walk(reads, before)
    ]


@pytest.mark.parametrize("L", [1, 2, 3])
@kinds
def test_counts_and_longest_are_those_of_all_paths(kind, chunk, ahead, L):
    reads, outputs = bench.graph(kind, L, chunk, ahead, STEPS)
    want, edges = np.zeros((2, STEPS, STEPS), int)
    edges -= 1
    for t in range(STEPS):
        for path in (p for node in outputs[t] for p in walk(reads, node)):
            s = path[-1][-1]
            want[t, s] += 1
            edges[t, s] = max(edges[t, s], len(path) - 2)  # not into layer 1
            assert len(path) - 2 >= abs(t - s) + L - 1
    assert bench.paths(kind, L, chunk, ahead, STEPS).tolist() == want.tolist()
    got = bench.longest(kind, L, chunk, ahead, STEPS)
    assert got.tolist() == edges.tolist()


@pytest.mark.parametrize("L", bench.LAYERS)
@pytest.mark.parametrize("kind", ["right", "both"])
def test_counts_are_gradients_of_torch_with_all_weights_one(kind, L):
    net = torch.nn.RNN(1, 1, L, bidirectional=kind == "both").double()
    for name, weight in net.named_parameters():
        weight.data.fill_(name.startswith("weight"))
    x = torch.zeros(bench.T, 1, 1, dtype=torch.float64, requires_grad=True)
    for t, want in enumerate(bench.paths(kind, L)):
        (slopes,) = torch.autograd.grad(net(x)[0][t].sum(), x)
        assert slopes.ravel().tolist() == want.tolist()


@pytest.mark.parametrize("L", bench.LAYERS)
def test_counts_have_closed_forms(L):
    T = bench.T
    t, s = np.indices((T, T))
    want = [
        [comb(b - a + L - 1, L - 1) for a in range(b + 1)] for b in t[:, 0]
    ]
    got = bench.paths("right", L)
    assert [row[: b + 1].tolist() for b, row in enumerate(got)] == want
    assert not got[s > t].any()
    want = ((T + 1) ** L - 1) // T + (s == t)
    assert np.array_equal(bench.paths("both", L), want)
    longest = bench.longest("right", L)
    assert np.array_equal(longest, np.where(s <= t, t - s + L - 1, -1))
    assert bench.longest("both", L).max() == T * L - 1


@pytest.mark.parametrize("L", [1, 3])
@kinds
def test_a_net_with_random_weights_sees_what_is_lit(kind, chunk, ahead, L):
    torch.manual_seed(0)
    net = torch.nn.RNN(2, 2, 1).double()
    weights = {k: a.detach().numpy() for k, a in net.state_dict().items()}
    p = from_torch(RNNParams, weights)

    def read(x, h_0=0.0):
        wide = np.concatenate([x, x], axis=-1)[..., :2]
        h, _ = rnn_forward(p, wide, np.zeros((1, 2)) + h_0)
        return h[..., :1] + h[..., 1:] / 3

    x = np.random.default_rng(0).normal(size=(bench.T, 1, 2))
    found = depends_on(
        lambda x: bench.stack(read, kind, L, x, 0.0, chunk, ahead), x
    )
    assert np.array_equal(found, bench.paths(kind, L, chunk, ahead) > 0)
    for t, row in enumerate(found):
        nodes = bench.lit(kind, L, t, chunk, ahead)
        seen = {s for _, _, d, s in nodes if d == "x"}
        assert seen == set(np.flatnonzero(row).tolist())


def test_results_are_the_tables_of_the_lab():
    found = bench.results()
    assert found["paths"]["both"]["3"][4] == [111] * 4 + [112] + [111] * 4
    assert found["paths"]["right"]["2"][4] == [5, 4, 3, 2, 1, 0, 0, 0, 0]
    assert found["paths"]["chunked"]["1"][4] == [1, 1, 1, 1, 2, 1, 1, 1, 0]
    assert found["longest"]["both"]["2"][0][0] == 17
