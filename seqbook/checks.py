"""What functions ask of their inputs, as errors that name the argument.

Chapter: docs/en/notation.md. Shapes are written as in the docstrings: a
letter is a free size, a number is one that another argument has fixed.
"""

import numpy as np


def check_array(name: str, array, *shape):
    """ValueError unless array is a float array of this shape.

    check_array("J", J, "T", "H", "H", 4): four axes, the last one four wide
    and two equal, because a letter means one size wherever it stands.
    """
    want = f"{name} must be a float array of shape {_spell(shape)}"
    if not isinstance(array, np.ndarray | np.floating):
        raise ValueError(f"{want}, got a {type(array).__name__}")
    typed = np.issubdtype(array.dtype, np.floating)
    if not (typed and _fits(array, shape)):
        raise ValueError(f"{want}, got {array.shape} of {array.dtype}")


def _fits(array, shape):
    """Whether array.shape is shape; equal letters are equal sizes."""
    sizes = dict(zip(shape, array.shape, strict=False))
    return array.shape == tuple(
        sizes.get(size) if isinstance(size, str) else size for size in shape
    )


def _spell(shape):
    """("T", "B", 4) -> "(T, B, 4)"; a single axis keeps its comma."""
    return f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"


def check_integers(name: str, array, *shape, low: int = 0, high=None):
    """-> array as int64. ValueError unless it has integers of this shape.

    The shape is written as for check_array. low is the least that may stand
    there and high the largest; None means that there is no largest.
    """
    given = np.asarray(array)
    top = "up" if high is None else f"to {high}"
    want = f"{name} must be integers from {low} {top} of shape {_spell(shape)}"
    typed = given.dtype.kind in "iu" or given.size == 0  # [] is float64
    if not (typed and _fits(given, shape)):
        raise ValueError(f"{want}, got {given.shape} of {given.dtype}")
    if given.size:
        least, most = given.min(), given.max()
        if least < low or high is not None and most > high:
            raise ValueError(f"{want}, got {least} to {most}")
    return given.astype(np.int64)


def check_mask(mask, axes: str, shape: tuple):
    """-> mask as an array; None is True everywhere.

    ValueError unless it has booleans of this shape, whose axes are named as
    in the docstrings: "(S, B)".
    """
    given = np.ones(shape, bool) if mask is None else np.asarray(mask)
    if given.shape != shape or given.dtype != bool:
        want = f"mask must be {axes} = {shape} booleans"
        raise ValueError(f"{want}, got {given.shape} of {given.dtype}")
    return given


def check_positive(**sizes):
    """ValueError unless every named size is an integer of at least 1."""
    for name, size in sizes.items():
        if not isinstance(size, int | np.integer) or size < 1:
            raise ValueError(
                f"{name} must be an integer of at least 1, got {size!r}"
            )


def check_counts(counts):
    """ValueError unless no count is below 0, and one is above."""
    low, high = np.min(counts, initial=0), np.max(counts, initial=0)
    if not (low >= 0 and high > 0):
        want = "counts must be at least 0 and not all 0"
        raise ValueError(f"{want}, got {low} to {high}")


def check_share(**shares):
    """ValueError unless every named number is from 0 to 1."""
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise ValueError(f"{name} must be from 0 to 1, got {share}")


def valid_steps(lengths, T: int, B: int):
    """lengths (B,) int or None -> (T, B) bool, True where a step is real.

    ValueError unless lengths are B integers from 1 to T; None means T.
    """
    if lengths is None:
        return np.ones((T, B), bool)
    given = np.asarray(lengths)
    want = f"lengths must be B = {B} integers from 1 to T = {T}"
    if given.shape != (B,) or not np.issubdtype(given.dtype, np.integer):
        raise ValueError(f"{want}, got {given.shape} of {given.dtype}")
    if B and not (given.min() >= 1 and given.max() <= T):
        raise ValueError(f"{want}, got {given.tolist()}")
    return np.arange(T)[:, None] < given


def check_cell(p, blocks: int, x, lengths, **states):
    """Params, x (T, B, D), lengths (B,) or None, states (B, H), by name.

    -> x with zeros in the padding, valid (T, B, 1) bool. A cell has
    `blocks` row blocks: 1 (RNN), 3 (GRU), 4 (LSTM). ValueError names what
    does not fit: a rank, a width, an integer dtype, a length, T = 0.
    """
    check_array("W_hh", p.W_hh, f"{blocks}H" if blocks > 1 else "H", "H")
    rows, H = p.W_hh.shape
    if rows != blocks * H:
        check_array("W_hh", p.W_hh, blocks * H, H)
    check_array("W_xh", p.W_xh, rows, "D")
    for name, bias in vars(p).items():
        if name.startswith("b_"):
            check_array(name, bias, rows)
    check_array("x", x, "T", "B", p.W_xh.shape[1])
    T, B, _ = x.shape
    if T == 0:
        raise ValueError(f"x must hold at least one step, got {x.shape}")
    for name, state in states.items():
        check_array(name, state, B, H)
    valid = valid_steps(lengths, T, B)[..., None]
    return x if lengths is None else np.where(valid, x, 0), valid
