"""Central differences: the referee of every hand-derived gradient.

Chapter: docs/en/bptt.md. Source: Goodfellow et al. 2016, ch. 11.5. With
eps = 1e-6 in float64 the rounding error is about 1e-10 times the loss,
and the truncation error about 1e-12 times its third derivative.
"""

import numpy as np


def numerical_grad(loss, array, eps: float = 1e-6):
    """loss() -> float, array it reads -> d loss / d array, same shape.

    The array is changed in place, one entry at a time, and restored; loss
    takes no argument and must see the change. ValueError unless float64.
    """
    if not isinstance(array, np.ndarray) or array.dtype != np.float64:
        kind = getattr(array, "dtype", type(array).__name__)
        raise ValueError(f"array must be a float64 array, got {kind}")
    grad = np.zeros_like(array)
    for index in np.ndindex(array.shape):
        kept = array[index]
        array[index] = kept + eps
        above = loss()
        array[index] = kept - eps
        below = loss()
        array[index] = kept
        grad[index] = (above - below) / (2 * eps)
    return grad


def relative_error(got, want) -> float:
    """Norm of got - want over the norm of want, for one block of any shape.

    Two zero blocks agree (0.0); a zero `want` and another `got` do not
    (inf). An exact zero against the rounding noise of numerical_grad gives
    1: compare such blocks with an absolute tolerance. ValueError if the
    shapes differ.
    """
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape:
        raise ValueError(f"got must be {want.shape} as want, got {got.shape}")
    error = np.linalg.norm(np.ravel(got - want))
    if error == 0:
        return 0.0
    size = np.linalg.norm(np.ravel(want))
    return float(error / size) if size > 0 else float("inf")
