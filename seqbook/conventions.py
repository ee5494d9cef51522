"""The same weights in the layouts of this book, PyTorch, Keras and ONNX.

Chapter: docs/en/conventions.md. Sources: the documentation of torch.nn, of
keras.layers, and of the ONNX operators RNN, GRU and LSTM. Plain arrays in
and out. What differs: the order of the blocks; which of z and 1 - z keeps
the old state (in the three libraries z does, here 1 - z: the z rows change
sign); the number of biases; rows or columns. Where the reset gate acts
cannot be converted: it makes two cells.
"""

from dataclasses import fields

import numpy as np

from seqbook.checks import check_array
from seqbook.gru import GRUParams, GRUResetAfterParams
from seqbook.lstm import LSTMParams
from seqbook.lstm_variants import LSTMPeepholeParams
from seqbook.rnn import RNNParams

# Blocks by cell and convention; the book's GRUs write z where libraries
# keep, hence the capital Z: a z of the other sign.
BLOCKS = {
    "book": {
        RNNParams: "h",
        LSTMParams: "ifgo",
        LSTMPeepholeParams: "ifgo",
        GRUParams: "rzn",
        GRUResetAfterParams: "rzn",
    },
    "torch": {
        RNNParams: "h",
        LSTMParams: "ifgo",
        GRUResetAfterParams: "rZn",
    },
    "keras": {
        RNNParams: "h",
        LSTMParams: "ifgo",
        GRUParams: "Zrn",  # reset_after=False
        GRUResetAfterParams: "Zrn",  # reset_after=True, the default
    },
    "onnx": {
        RNNParams: "h",
        LSTMParams: "iofg",
        LSTMPeepholeParams: "iofg",
        GRUParams: "Zrn",  # linear_before_reset=0
        GRUResetAfterParams: "Zrn",  # linear_before_reset=1
    },
}


def reorder(array, have: str, want: str):
    """Rows in blocks, "rzn" -> "Zrn": moved, z with its sign changed."""
    blocks = dict(zip(have.lower(), np.split(array, len(have)), strict=True))
    flip = {"z"} if ("Z" in have) != ("Z" in want) else set()
    rows = [-blocks[b] if b in flip else blocks[b] for b in want.lower()]
    return np.concatenate(rows)


def to_torch(p, suffix: str = "_l0"):
    """Params -> arrays by their names in a torch.nn state dict.

    suffix: "_l0" in a layer, "_l1" in the second, "_l0_reverse" in the
    other direction, "" in a cell. The second bias is zero where only the
    sum counts. ValueError if torch has no such cell.
    """
    W_xh, W_hh, b_xh, b_hh = _leave(p, "torch")
    names = "weight_ih", "weight_hh", "bias_ih", "bias_hh"
    arrays = W_xh, W_hh, b_xh, b_hh
    return {n + suffix: a for n, a in zip(names, arrays, strict=True)}


def from_torch(kind: type, weights, suffix: str = "_l0"):
    """A params class, arrays as from to_torch -> params of that class."""
    names = "weight_ih", "weight_hh", "bias_ih", "bias_hh"
    arrays = (_pick(weights, name + suffix) for name in names)
    return _enter(kind, "torch", *arrays)


def to_keras(p):
    """Params -> kernel (D, ..), recurrent_kernel (H, ..), bias by name.

    GRUParams are keras.layers.GRU(reset_after=False), GRUResetAfterParams
    are reset_after=True, whose bias is (2, 3H).
    """
    W_xh, W_hh, b_xh, b_hh = _leave(p, "keras")
    two = isinstance(p, GRUResetAfterParams)
    bias = np.stack([b_xh, b_hh]) if two else b_xh + b_hh
    return {"kernel": W_xh.T, "recurrent_kernel": W_hh.T, "bias": bias}


def from_keras(kind: type, weights):
    """A params class, arrays as from to_keras -> params of that class."""
    kernel = _pick(weights, "kernel").T
    recurrent = _pick(weights, "recurrent_kernel").T
    bias = _pick(weights, "bias")
    if kind is GRUResetAfterParams:
        check_array("bias", bias, 2, len(kernel))
        return _enter(kind, "keras", kernel, recurrent, *bias)
    return _enter(kind, "keras", kernel, recurrent, bias, 0 * bias)


def to_onnx(p):
    """Params -> W (1, .., D), R (1, .., H), B (1, ..), and P with peepholes.

    The first axis is the direction. GRUParams need linear_before_reset=0,
    the default, GRUResetAfterParams 1.
    """
    W_xh, W_hh, b_xh, b_hh = _leave(p, "onnx")
    weights = {"W": W_xh, "R": W_hh, "B": np.concatenate([b_xh, b_hh])}
    if isinstance(p, LSTMPeepholeParams):
        weights["P"] = reorder(p.w_c, "ifo", "iof")
    return {name: array[None] for name, array in weights.items()}


def from_onnx(kind: type, weights, direction: int = 0):
    """A params class, arrays as from to_onnx -> params of that class.

    B may be missing, as in the operators: no bias. direction is 1 for the
    second half of a bidirectional operator.
    """
    W, R = (_pick(weights, name)[direction] for name in "WR")
    if "B" in weights:
        b_xh, b_hh = np.split(weights["B"][direction], 2)
    else:
        b_xh, b_hh = np.zeros((2, len(W)), W.dtype)
    p = _enter(kind, "onnx", W, R, b_xh, b_hh)
    if kind is LSTMPeepholeParams:
        peepholes = _pick(weights, "P")[direction]
        check_array("P", peepholes, 3 * R.shape[1])
        p.w_c = reorder(peepholes, "iof", "ifo")
    return p


CONVENTIONS = {
    "book": (lambda p: vars(p), lambda kind, weights: kind(**weights)),
    "torch": (to_torch, from_torch),
    "keras": (to_keras, from_keras),
    "onnx": (to_onnx, from_onnx),
}


def convert(kind: type, weights, source: str, target: str):
    """A params class, arrays by name -> the arrays of another convention.

    source and target are "book", "torch", "keras" or "onnx". ValueError
    for another name, a missing array, a wrong shape, or a cell that one of
    the two does not have.
    """
    for name in source, target:
        if name not in CONVENTIONS:
            known = ", ".join(CONVENTIONS)
            raise ValueError(
                f"convention must be one of {known}, got {name!r}"
            )
    _, read = CONVENTIONS[source]
    write, _ = CONVENTIONS[target]
    return write(read(kind, weights))


def _leave(p, target):
    """Params -> W_xh, W_hh, b_xh, b_hh with the rows of that convention."""
    have, want = _blocks(type(p), "book"), _blocks(type(p), target)
    if isinstance(p, GRUResetAfterParams):
        biases = p.b_xh, p.b_hh
    else:
        biases = p.b_h, np.zeros_like(p.b_h)
    return [reorder(a, have, want) for a in (p.W_xh, p.W_hh, *biases)]


def _enter(kind, source, W_xh, W_hh, b_xh, b_hh):
    """The way back; two biases are added where only the sum counts."""
    have, want = _blocks(kind, source), _blocks(kind, "book")
    check_array("recurrent weights", W_hh, len(have) * W_hh.shape[-1], "H")
    check_array("input weights", W_xh, len(W_hh), "D")
    for bias in b_xh, b_hh:
        check_array("bias", bias, len(W_hh))
    arrays = [reorder(a, have, want) for a in (W_xh, W_hh, b_xh, b_hh)]
    if kind is GRUResetAfterParams:
        return kind(*arrays)
    W_xh, W_hh, b_xh, b_hh = arrays
    rest = [None] * (len(fields(kind)) - 3)  # peepholes: from_onnx sets them
    return kind(W_xh, W_hh, b_xh + b_hh, *rest)


def _blocks(kind, convention):
    """The row blocks of a cell, or ValueError if there is no such cell."""
    cells = BLOCKS[convention]
    if kind not in cells:
        known = ", ".join(cell.__name__ for cell in cells)
        raise ValueError(
            f"{convention} has no cell for {kind.__name__}, only for {known}"
        )
    return cells[kind]


def _pick(weights, name):
    """weights[name] as an array, or ValueError with the names there are."""
    if name not in weights:
        raise ValueError(f"weights must hold {name!r}, got {list(weights)}")
    return np.asarray(weights[name])
