"""The node tests of the ONNX operator LinearAttention, on our matrix states.

They come with the onnx package. Its heads go into our batch, its scale into
q; a key head that several query heads share is repeated. The tests are four
steps long, so random longer ones follow, judged by the reference evaluator.
"""

import warnings

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from seqbook.linear_attention import (
    delta_chunks,
    delta_step,
    gated_chunks,
    gated_delta_step,
    gated_step,
    linear_chunks,
    linear_step,
    matrix_loop,
)

RULES = {
    "linear": (linear_step, linear_chunks),
    "gated": (gated_step, gated_chunks),
    "delta": (delta_step, delta_chunks),
    "gated_delta": (gated_delta_step, None),
}
INPUTS = ["query", "key", "value", "past_state", "decay", "beta"]
GIVEN = ["key", "value", "decay", "beta"]


def collect():
    """The node tests that consist of one LinearAttention operator."""
    with warnings.catch_warnings():  # other operators' cases divide by zero
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        cases = collect_testcases()
    return [
        case
        for case in cases
        if len(case.model.graph.node) == 1
        and case.model.graph.node[0].op_type == "LinearAttention"
    ]


CASES = collect()


def attributes(node):
    """q_num_heads, kv_num_heads, update_rule and scale, defaults filled in."""
    found = {"update_rule": b"gated_delta", "scale": 0.0}
    found |= {
        a.name: onnx.helper.get_attribute_value(a) for a in node.attribute
    }
    return found | {"update_rule": found["update_rule"].decode()}


def to_ours(array, heads, q_heads):
    """(B, T, heads * width) -> (T, B * q_heads, width)."""
    B, T, _ = array.shape
    array = array.reshape(B, T, heads, -1).astype(np.float32)
    array = np.repeat(array, q_heads // heads, axis=2)
    return array.swapaxes(0, 1).reshape(T, B * q_heads, -1)


def run_node(node, inputs, size=None):
    """The operator -> [output, present_state]; in chunks if size is given."""
    options = attributes(node)
    q_heads, heads = options["q_num_heads"], options["kv_num_heads"]
    B, T, _ = inputs["query"].shape
    q = to_ours(inputs["query"], q_heads, q_heads)
    arrays = []  # key, value, then the gates of the rule, as step wants them
    for name in [name for name in GIVEN if name in inputs]:
        one_for_all = name == "beta" and inputs[name].shape[2] == 1
        n = 1 if one_for_all else heads
        arrays.append(to_ours(inputs[name], n, q_heads))
    N, D = q.shape[2], arrays[1].shape[2]
    past = inputs.get("past_state", np.zeros((B, heads, N, D), np.float32))
    S_0 = np.repeat(past, q_heads // heads, axis=1).reshape(-1, N, D)
    q = q * np.float32(options["scale"] or N**-0.5)
    step, chunks = RULES[options["update_rule"]]
    if size is None:
        o, S = matrix_loop(step, q, tuple(arrays), S_0)
    else:
        o, S = chunks(q, *arrays, S_0, size)
    output = o.reshape(T, B, q_heads * D).swapaxes(0, 1)
    state = S.reshape(B, q_heads, N, D)[:, :: q_heads // heads]
    return [array.astype(inputs["query"].dtype) for array in (output, state)]


def sizes_for(node):
    """None for the loop, then the sizes of chunks, if the rule has them."""
    chunks = RULES[attributes(node)["update_rule"]][1]
    return [None, 1, 3, 64] if chunks else [None]


def test_the_standard_has_14_node_tests_for_this_operator():
    assert len({case.name for case in CASES}) == len(CASES) == 14


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_node_test_passes(case):
    node = case.model.graph.node[0]
    for arrays, wanted in case.data_sets:
        named = [name for name in node.input if name]
        inputs = dict(zip(named, arrays, strict=True))
        for size in sizes_for(node):
            got = run_node(node, inputs, size)
            for array, want in zip(got, wanted, strict=True):
                assert array.dtype == want.dtype
                np.testing.assert_allclose(array, want, case.rtol, case.atol)


@pytest.mark.parametrize("decay_width", [1, 5], ids=["scalar", "rows"])
@pytest.mark.parametrize("rule", RULES)
def test_longer_sequences_agree_with_the_reference_evaluator(
    rule, decay_width
):
    T, B, heads, N, D = 40, 2, 3, 5, 4
    rng = np.random.default_rng(0)
    keys = rng.normal(size=(B, T, heads, N))
    keys /= np.linalg.norm(keys, axis=-1, keepdims=True)
    inputs = {
        "query": rng.normal(size=(B, T, 2 * heads * N)),
        "key": keys.reshape(B, T, -1),
        "value": rng.normal(size=(B, T, heads * D)),
        "past_state": rng.normal(size=(B, heads, N, D)),
        "decay": -rng.uniform(0, 1, (B, T, heads * decay_width)),
        "beta": rng.uniform(0, 1, (B, T, heads)),
    }
    unused = {"linear": ["decay", "beta"], "gated": ["beta"]}
    for name in unused.get(rule, ["decay"] if rule == "delta" else []):
        del inputs[name]
    inputs = {n: a.astype(np.float32) for n, a in inputs.items()}
    names = [name if name in inputs else "" for name in INPUTS]
    node = onnx.helper.make_node(
        "LinearAttention",
        names,
        ["output", "present_state"],
        update_rule=rule,
        q_num_heads=2 * heads,
        kv_num_heads=heads,
    )
    wanted = ReferenceEvaluator(node).run(None, inputs)
    for size in sizes_for(node):
        got = run_node(node, inputs, size)
        for array, want in zip(got, wanted, strict=True):
            np.testing.assert_allclose(array, want, 1e-4, 1e-5)
