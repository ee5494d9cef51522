"""INT8, INT4 and low-rank copies of a weight matrix, and their error.

Chapter: docs/en/fast_inference.md. Source: Wu et al. 2016, arXiv:1609.08144,
section 6 (INT8, a scale for each row); Eckart & Young 1936 (low rank).
W is near q * scale, off by at most scale / 2. Symmetric: no zero point, so 0
stays 0; 8 bits hold -127..127, 4 bits -7..7; halves round to even, as torch.
"""

import numpy as np

from seqbook.checks import check_array
from seqbook.params import map_params


def quantize_tensor(W, bits: int = 8):
    """W of any shape -> q int8 of the same, scale (1, ..., 1)."""
    check_array("W", W, *np.shape(W))
    return _quantize(W, np.max(np.abs(W), keepdims=True), bits)


def quantize_rows(W, bits: int = 8):
    """W (M, N) -> q int8 (M, N), scale (M, 1): one for each row."""
    check_array("W", W, "M", "N")
    return _quantize(W, np.max(np.abs(W), axis=1, keepdims=True), bits)


def _quantize(W, top, bits):
    if bits not in range(2, 9):
        raise ValueError(f"bits must be an integer from 2 to 8, got {bits!r}")
    if not np.all(np.isfinite(top)):
        raise ValueError("W must be finite, got inf or nan")
    scale = top / (2 ** (bits - 1) - 1)
    scale = scale + (scale < np.finfo(W.dtype).tiny)  # zeros: scale 1, q 0
    return np.rint(W / scale).astype(np.int8), scale


def fake_quantize(p, bits: int):
    """Params of a cell -> floats again, each matrix rounded, biases kept."""
    return map_params(
        lambda W: np.multiply(*quantize_rows(W, bits)) if W.ndim == 2 else W, p
    )


def pack_int4(q):
    """q int8 (M, N) in -8..7 -> uint8 (M, ceil(N / 2)), two to a byte."""
    if q.dtype != np.int8 or q.min() < -8 or q.max() > 7:
        raise ValueError(
            f"q must be int8 in -8..7, got {q.dtype}, {q.min()} to {q.max()}"
        )
    even = np.pad(q, ((0, 0), (0, q.shape[1] % 2))).astype(np.uint8)
    return even[:, ::2] & 15 | even[:, 1::2] << 4  # the first is the low half


def unpack_int4(packed, N: int):
    """uint8 (M, ceil(N / 2)) from pack_int4 -> q int8 (M, N)."""
    if (N + 1) // 2 != packed.shape[1]:
        raise ValueError(f"N must fit {packed.shape[1]} bytes a row, got {N}")
    halves = np.stack([packed & 15, packed >> 4], axis=-1).astype(np.int8)
    return (halves.reshape(len(packed), -1)[:, :N] ^ 8) - 8  # 15 means -1


def low_rank(W, rank: int):
    """W (M, N) -> A (M, rank), B (rank, N); no A @ B is nearer to W."""
    check_array("W", W, "M", "N")
    if rank not in range(1, min(W.shape) + 1):
        raise ValueError(f"rank must be 1 to {min(W.shape)}, got {rank!r}")
    U, s, Vt = np.linalg.svd(W, full_matrices=False)
    return U[:, :rank] * s[:rank], Vt[:rank]
