"""SGD and Adam for any parameter dataclass.

Chapter: docs/en/bptt.md. Source: Kingma & Ba 2015, arXiv:1412.6980,
algorithm 1; momentum as in torch.optim.SGD, where the learning rate stands
outside the velocity. State goes in and comes out; nothing is changed.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from seqbook.params import map_params


# --8<-- [start:sgd_step]
def sgd_step(p, grads, lr: float):
    """Params, grads of the same dataclass -> params after one step."""
    return map_params(lambda w, dw: w - lr * dw, p, grads)
    # --8<-- [end:sgd_step]


# --8<-- [start:momentum_init]
def momentum_init(p):
    """Params -> velocity, zeros in the same dataclass."""
    return map_params(np.zeros_like, p)
    # --8<-- [end:momentum_init]


# --8<-- [start:momentum_step]
def momentum_step(p, grads, velocity, lr: float, momentum: float = 0.9):
    """Params, grads, velocity -> params, velocity after one step."""
    velocity = map_params(lambda v, dw: momentum * v + dw, velocity, grads)
    return sgd_step(p, velocity, lr), velocity
    # --8<-- [end:momentum_step]


# --8<-- [start:AdamState]
@dataclass
class AdamState:
    """Running means of the gradient and of its square; steps taken."""

    m: Any  # the dataclass of the parameters
    v: Any
    t: int
    # --8<-- [end:AdamState]


# --8<-- [start:adam_init]
def adam_init(p):
    """Params -> AdamState before the first step."""
    m, v = (map_params(np.zeros_like, p) for _ in range(2))
    return AdamState(m, v, 0)
    # --8<-- [end:adam_init]


# --8<-- [start:adam_step]
def adam_step(
    p,
    grads,
    state: AdamState,
    lr: float = 1e-3,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
):
    """Params, grads, AdamState -> params, AdamState after one step."""
    t = state.t + 1
    m = map_params(lambda m, g: beta1 * m + (1 - beta1) * g, state.m, grads)
    v = map_params(lambda v, g: beta2 * v + (1 - beta2) * g**2, state.v, grads)

    def move(w, m, v):
        m_hat = m / (1 - beta1**t)  # the means start at zero: undo the bias
        v_hat = v / (1 - beta2**t)
        return w - lr * m_hat / (np.sqrt(v_hat) + eps)

    return map_params(move, p, m, v), AdamState(m, v, t)
    # --8<-- [end:adam_step]
