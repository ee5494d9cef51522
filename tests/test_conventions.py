import numpy as np
import pytest
import torch

from seqbook.conventions import (
    BLOCKS,
    convert,
    from_keras,
    from_onnx,
    from_torch,
    reorder,
    to_keras,
    to_onnx,
    to_torch,
)
from seqbook.functional import sigmoid
from seqbook.gru import (
    GRUParams,
    GRUResetAfterParams,
    gru_reset_after_step,
    gru_step,
)
from seqbook.lstm import LSTMParams, lstm_step
from seqbook.lstm_variants import LSTMPeepholeParams
from seqbook.params import arrays_of
from seqbook.rnn import RNNParams, rnn_step

B, D, H = 3, 4, 5
EXACT = {"rtol": 1e-12, "atol": 1e-12}
ROWS = {RNNParams: 1, LSTMParams: 4, LSTMPeepholeParams: 4}
PAIRS = [(k, c) for c in ("torch", "keras", "onnx") for k in BLOCKS[c]]


def make_params(kind):
    """Every entry random, and no two the same."""
    rng = np.random.default_rng(0)
    n = ROWS.get(kind, 3) * H
    shapes = [(n, D), (n, H), n, n][: len(kind.__dataclass_fields__)]
    if kind is LSTMPeepholeParams:
        shapes[3] = 3 * H
    return kind(*(rng.normal(size=shape) for shape in shapes))


def make_inputs():
    """x_t (B, D), h_prev (B, H), c_prev (B, H)."""
    rng = np.random.default_rng(1)
    return [rng.normal(size=(B, n)) for n in (D, H, H)]


@pytest.mark.parametrize(("kind", "name"), PAIRS)
def test_there_and_back_is_the_same(kind, name):
    weights = vars(make_params(kind))
    foreign = convert(kind, weights, "book", name)
    again = convert(kind, foreign, name, "book")
    for key, array in weights.items():
        np.testing.assert_array_equal(again[key], array, err_msg=key)


@pytest.mark.parametrize(
    ("kind", "cell", "step"),
    [
        (RNNParams, torch.nn.RNNCell, rnn_step),
        (LSTMParams, torch.nn.LSTMCell, lstm_step),
        (GRUResetAfterParams, torch.nn.GRUCell, gru_reset_after_step),
    ],
)
def test_torch_cells_with_two_random_biases_give_the_same_step(
    kind, cell, step
):
    net = cell(D, H).double()
    rng = np.random.default_rng(0)
    weights = {n: rng.normal(size=a.shape) for n, a in net.named_parameters()}
    net.load_state_dict({n: torch.tensor(a) for n, a in weights.items()})
    inputs = make_inputs()[: 3 if kind is LSTMParams else 2]
    x_t, *state = map(torch.tensor, inputs)
    want = net(x_t, tuple(state) if kind is LSTMParams else state[0])
    got = step(from_torch(kind, weights, suffix=""), *inputs)
    want = want if kind is LSTMParams else [want]
    for a, b in zip(got, want, strict=False):  # got ends with the cache
        np.testing.assert_allclose(a, b.detach(), **EXACT)


def keras_step(weights, x_t, h_prev, c_prev=None, reset_after=None):
    """The step in the words of the Keras documentation, blocks and all."""
    W, U, b = (weights[n] for n in ("kernel", "recurrent_kernel", "bias"))
    if W.shape[1] == H:
        return np.tanh(x_t @ W + h_prev @ U + b)
    if W.shape[1] == 4 * H:  # i, f, c, o
        i, f, c, o = np.split(x_t @ W + h_prev @ U + b, 4, axis=1)
        c = sigmoid(f) * c_prev + sigmoid(i) * np.tanh(c)
        return sigmoid(o) * np.tanh(c)
    b_x, b_h = b if reset_after else (b, 0 * b)  # z, r, h
    W_z, W_r, W_h = np.split(W, 3, axis=1)
    U_z, U_r, U_h = np.split(U, 3, axis=1)
    (x_z, x_r, x_h), (h_z, h_r, h_h) = np.split(b_x, 3), np.split(b_h, 3)
    z = sigmoid(x_t @ W_z + x_z + h_prev @ U_z + h_z)
    r = sigmoid(x_t @ W_r + x_r + h_prev @ U_r + h_r)
    if reset_after:
        n = np.tanh(x_t @ W_h + x_h + r * (h_prev @ U_h + h_h))
    else:
        n = np.tanh(x_t @ W_h + x_h + (r * h_prev) @ U_h)
    return z * h_prev + (1 - z) * n


@pytest.mark.parametrize(
    ("kind", "step", "rest"),
    [
        (RNNParams, rnn_step, {}),
        (LSTMParams, lstm_step, {}),
        (GRUParams, gru_step, {"reset_after": False}),
        (GRUResetAfterParams, gru_reset_after_step, {"reset_after": True}),
    ],
)
def test_keras_equations_give_the_same_step(kind, step, rest):
    p = make_params(kind)
    inputs = make_inputs()[: 3 if kind is LSTMParams else 2]
    want = keras_step(to_keras(p), *inputs, **rest)
    np.testing.assert_allclose(step(p, *inputs)[0], want, **EXACT)


def test_blocks_move_and_z_changes_its_sign():
    rows = np.array([1.0, 1, 2, 2, 3, 3])
    assert reorder(rows, "rzn", "Zrn").tolist() == [-2, -2, 1, 1, 3, 3]
    assert reorder(rows, "Zrn", "rzn").tolist() == [2, 2, -1, -1, 3, 3]
    rows = np.arange(4.0)
    assert reorder(rows, "ifgo", "iofg").tolist() == [0, 3, 1, 2]
    assert reorder(rows, "iofg", "ifgo").tolist() == [0, 2, 3, 1]


def test_one_bias_goes_to_the_first_of_two_and_two_are_added():
    p = make_params(LSTMParams)
    weights = to_torch(p)
    assert np.array_equal(weights["bias_ih_l0"], p.b_h)
    assert not weights["bias_hh_l0"].any()
    weights["bias_hh_l0"] = np.ones(4 * H)
    assert np.array_equal(from_torch(LSTMParams, weights).b_h, p.b_h + 1)


def test_torch_weights_reach_onnx_and_keras_without_a_detour():
    p = make_params(GRUResetAfterParams)
    theirs = to_torch(p)
    onnx = convert(GRUResetAfterParams, theirs, "torch", "onnx")
    keras = convert(GRUResetAfterParams, onnx, "onnx", "keras")
    # torch r z n, ONNX z r n, and the same z in both: no sign changes
    want = np.concatenate(
        [theirs["bias_hh_l0"][rows] for rows in np.split(np.arange(3 * H), 3)]
    ).reshape(3, H)[[1, 0, 2]]
    assert np.array_equal(onnx["B"][0, 3 * H :].reshape(3, H), want)
    assert np.array_equal(keras["bias"][1].reshape(3, H), want)


def test_conversion_gives_arrays_of_its_own_for_the_book_too():
    p = make_params(RNNParams)
    to_torch(p)["weight_ih_l0"][:] = 0
    to_onnx(p)["W"][:] = 0
    to_keras(p)["kernel"][:] = 0
    assert all(a.any() for a in arrays_of(p))


def test_float32_stays_float32():
    for kind, name in PAIRS:
        p = make_params(kind)
        weights = {n: np.float32(a) for n, a in vars(p).items()}
        foreign = convert(kind, weights, "book", name)
        back = convert(kind, foreign, name, "book")
        found = [*foreign.values(), *back.values()]
        assert {a.dtype for a in found} == {np.dtype(np.float32)}


def test_gru_of_the_book_does_not_exist_in_torch():
    with pytest.raises(ValueError, match="torch has no cell for GRUParams"):
        to_torch(make_params(GRUParams))
    with pytest.raises(ValueError, match="keras has no .*LSTMPeephole"):
        to_keras(make_params(LSTMPeepholeParams))


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    p = make_params(LSTMParams)
    torch_arrays, keras, onnx = to_torch(p), to_keras(p), to_onnx(p)
    short = {**torch_arrays, "bias_hh_l0": np.zeros(3)}
    wide = {**onnx, "R": onnx["R"][:, :, 1:]}
    whole = {**keras, "kernel": np.ones((D, 4 * H), int)}
    bad = [
        (
            lambda: convert(LSTMParams, vars(p), "book", "jax"),
            "one of book, torch, keras, onnx, got 'jax'",
        ),
        (lambda: from_torch(LSTMParams, keras), "'weight_ih_l0', got"),
        (lambda: from_torch(LSTMParams, short), r"bias .*got \(3,\)"),
        (lambda: from_onnx(LSTMParams, wide), r"recurrent .*\(16, H\), got"),
        (lambda: from_onnx(LSTMPeepholeParams, onnx), "hold 'P', got"),
        (lambda: from_keras(LSTMParams, whole), "input weights .*int64"),
        (lambda: from_keras(GRUResetAfterParams, keras), r"bias .*\(2, 20\)"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def both_ways():
    """Arrays of a layer by torch's names, in two directions."""
    p = make_params(LSTMParams)
    turned = LSTMParams(*(2 * a for a in arrays_of(p)))
    return {**to_torch(p), **to_torch(turned, "_l0_reverse")}


def two_directions():
    p = to_onnx(make_params(GRUParams))
    return {name: np.concatenate([a, 2 * a]) for name, a in p.items()}


def call_convert():
    """Weights that two conventions can read, and that differ in them."""
    p = make_params(LSTMParams)
    turned = LSTMParams(*(2 * a for a in arrays_of(p)))
    weights = {**to_torch(p), **to_onnx(turned)}
    names = {"source": "torch", "target": "onnx"}
    return {"kind": LSTMParams, "weights": weights, **names}


CALLS = {
    reorder: lambda: {
        "array": np.arange(6.0)[:, None],
        "have": "rzn",
        "want": "Zrn",
    },
    to_torch: lambda: {"p": make_params(LSTMParams), "suffix": "_l0"},
    from_torch: lambda: {
        "kind": LSTMParams,
        "weights": both_ways(),
        "suffix": "_l0",
    },
    to_keras: lambda: {"p": make_params(LSTMParams)},
    from_keras: lambda: {
        "kind": LSTMParams,
        "weights": to_keras(make_params(LSTMParams)),
    },
    to_onnx: lambda: {"p": make_params(LSTMPeepholeParams)},
    from_onnx: lambda: {
        "kind": GRUParams,
        "weights": two_directions(),
        "direction": 0,
    },
    convert: call_convert,
}
OTHER = {
    (reorder, "have"): lambda: "znr",
    (reorder, "want"): lambda: "rzn",
    (to_torch, "suffix"): lambda: "_l1",
    (from_torch, "suffix"): lambda: "_l0_reverse",
    (from_torch, "kind"): lambda: RNNParams,  # an error: no square W_hh
    (from_keras, "kind"): lambda: RNNParams,
    (from_onnx, "kind"): lambda: GRUResetAfterParams,
    (convert, "kind"): lambda: RNNParams,
    (convert, "source"): lambda: "onnx",
    (convert, "target"): lambda: "keras",
}
