"""The node tests of the ONNX standard for RNN, GRU and LSTM, on our cells.

They come with the onnx package. In most of them all weights are alike, so
random ones follow, judged by the reference evaluator of the same package.
"""

import warnings

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from seqbook.conventions import from_onnx, to_onnx
from seqbook.gru import (
    GRUParams,
    GRUResetAfterParams,
    gru_forward,
    gru_reset_after_forward,
)
from seqbook.lstm import LSTMParams, lstm_forward
from seqbook.lstm_variants import LSTMPeepholeParams, lstm_peephole_step
from seqbook.rnn import RNNParams, rnn_forward
from seqbook.stack import over_time, reverse_valid


def collect():
    """The node tests that consist of one RNN, GRU or LSTM operator."""
    with warnings.catch_warnings():  # other operators' cases divide by zero
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        cases = collect_testcases()
    return [
        case
        for case in cases
        if len(case.model.graph.node) == 1
        and case.model.graph.node[0].op_type in ("RNN", "GRU", "LSTM")
    ]


CASES = collect()


def run_cell(node, inputs, direction, x, lengths):
    """One direction -> all states (T, B, H) as a list, h first, then c."""
    attributes = {a.name: a.i for a in node.attribute}
    B, H = x.shape[1], inputs["R"].shape[-1]
    zero = np.zeros((len(inputs["R"]), B, H), x.dtype)
    h_0 = inputs.get("initial_h", zero)[direction]
    c_0 = inputs.get("initial_c", zero)[direction]
    if node.op_type == "RNN":
        p = from_onnx(RNNParams, inputs, direction)
        return [rnn_forward(p, x, h_0, lengths)[0]]
    if node.op_type == "LSTM" and "P" in inputs:
        p = from_onnx(LSTMPeepholeParams, inputs, direction)
        return over_time(lstm_peephole_step, p, x, (h_0, c_0), lengths)[0]
    if node.op_type == "LSTM":
        p = from_onnx(LSTMParams, inputs, direction)
        return list(lstm_forward(p, x, h_0, c_0, lengths)[:2])
    if attributes.get("linear_before_reset", 0):
        p = from_onnx(GRUResetAfterParams, inputs, direction)
        return [gru_reset_after_forward(p, x, h_0, lengths)[0]]
    p = from_onnx(GRUParams, inputs, direction)
    return [gru_forward(p, x, h_0, lengths)[0]]


def run_node(node, inputs):
    """The operator on our cells -> {"Y": .., "Y_h": .., "Y_c": ..}."""
    attributes = {a.name: a for a in node.attribute}
    batch_first = "layout" in attributes and attributes["layout"].i
    x = inputs["X"].swapaxes(0, 1) if batch_first else inputs["X"]
    lengths = inputs.get("sequence_lens")
    way = attributes["direction"].s if "direction" in attributes else b""
    ways = {b"reverse": [True], b"bidirectional": [False, True]}
    states, last = [], []
    for direction, turned in enumerate(ways.get(way, [False])):
        x_d = reverse_valid(x, lengths) if turned else x
        found = run_cell(node, inputs, direction, x_d, lengths)
        last.append([s[-1] for s in found])
        h = found[0]
        states.append(reverse_valid(h, lengths) if turned else h)
    Y = np.stack(states, axis=1)  # (T, directions, B, H)
    finals = [np.stack(s) for s in zip(*last, strict=True)]
    if batch_first:
        Y = Y.transpose(2, 0, 1, 3)
        finals = [s.swapaxes(0, 1) for s in finals]
    return dict(zip(["Y", "Y_h", "Y_c"], [Y, *finals], strict=False))


def test_the_standard_has_18_node_tests_for_these_operators():
    assert len({case.name for case in CASES}) == len(CASES) == 18


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_node_test_passes(case):
    node = case.model.graph.node[0]
    for arrays, wanted in case.data_sets:
        named = [name for name in node.input if name]
        inputs = dict(zip(named, arrays, strict=True))
        got = run_node(node, inputs)
        names = [name for name in node.output if name]
        for name, want in zip(names, wanted, strict=True):
            assert got[name].dtype == want.dtype
            np.testing.assert_allclose(got[name], want, case.rtol, case.atol)


RANDOM = [
    (RNNParams, "RNN", {}),
    (LSTMParams, "LSTM", {}),
    (LSTMPeepholeParams, "LSTM", {}),
    (GRUParams, "GRU", {"linear_before_reset": 0}),
    (GRUResetAfterParams, "GRU", {"linear_before_reset": 1}),
]


@pytest.mark.parametrize(("kind", "operator", "attributes"), RANDOM)
def test_random_weights_and_biases_agree_with_the_reference_evaluator(
    kind, operator, attributes
):
    T, B, D, H = 4, 3, 2, 5
    rng = np.random.default_rng(0)
    n = {"RNN": 1, "GRU": 3, "LSTM": 4}[operator] * H
    shapes = [(n, D), (n, H), n, n][: len(kind.__dataclass_fields__)]
    if kind is LSTMPeepholeParams:
        shapes[3] = 3 * H
    p = kind(*(rng.normal(size=s).astype(np.float32) for s in shapes))
    inputs = {"X": rng.normal(size=(T, B, D)).astype(np.float32)}
    states = ["initial_h", "initial_c"][: 2 if operator == "LSTM" else 1]
    for name in states:
        inputs[name] = rng.normal(size=(1, B, H)).astype(np.float32)
    inputs |= to_onnx(p)

    order = ["X", "W", "R", "B", "sequence_lens", "initial_h", "initial_c"]
    order = order[: 5 + len(states)] + ["P"] * ("P" in inputs)
    names = [name if name in inputs else "" for name in order]
    outputs = ["Y", "Y_h", "Y_c"][: 1 + len(states)]
    node = onnx.helper.make_node(
        operator, names, outputs, hidden_size=H, **attributes
    )
    want = ReferenceEvaluator(node).run(None, inputs)
    got = run_node(node, inputs)
    for name, array in zip(outputs, want, strict=True):
        np.testing.assert_allclose(got[name], array, 1e-5, 1e-6)
