"""SGD and Adam for any parameter dataclass, and learning-rate schedules.

Chapters: docs/en/bptt.md, docs/en/training.md. Source: Kingma & Ba 2015,
arXiv:1412.6980, algorithm 1; momentum as in torch.optim.SGD, where the
learning rate stands outside the velocity. State goes in and comes out;
nothing is changed. Schedules count updates t = 1, 2, ...; torch counts from 0.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from seqbook.checks import check_positive
from seqbook.params import map_params


def sgd_step(p, grads, lr: float):
    """Params, grads of the same dataclass -> params after one step."""
    return map_params(lambda w, dw: w - lr * dw, p, grads)


def momentum_init(p):
    """Params -> velocity, zeros in the same dataclass."""
    return map_params(np.zeros_like, p)


def momentum_step(p, grads, velocity, lr: float, momentum: float = 0.9):
    """Params, grads, velocity -> params, velocity after one step."""
    velocity = map_params(lambda v, dw: momentum * v + dw, velocity, grads)
    return sgd_step(p, velocity, lr), velocity


@dataclass
class AdamState:
    """Running means of the gradient and of its square; steps taken."""

    m: Any  # the dataclass of the parameters
    v: Any
    t: int


def adam_init(p):
    """Params -> AdamState before the first step."""
    m, v = (map_params(np.zeros_like, p) for _ in range(2))
    return AdamState(m, v, 0)


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


def adamw_step(
    p,
    grads,
    state: AdamState,
    lr: float = 1e-3,
    weight_decay: float = 1e-2,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
):
    """As adam_step, params first shrunk by lr * weight_decay -> the same.

    The decay stays out of m and v, whatever the gradient. Loshchilov &
    Hutter 2019 keep lr out of it as well; here, as in torch, it is in.
    """
    shrunk = map_params(lambda w: w - lr * weight_decay * w, p)
    return adam_step(shrunk, grads, state, lr, beta1, beta2, eps)


def warmup_cosine(t: int, peak: float, warmup: int, total: int) -> float:
    """Update t -> learning rate: up a line, then down half a cosine.

    peak at t = warmup, 0 from t = total on. ValueError if warmup >= total.
    """
    check_positive(t=t, warmup=warmup, total=total)
    if warmup >= total:
        raise ValueError(f"total must exceed warmup = {warmup}, got {total}")
    done = min(max(t - warmup, 0) / (total - warmup), 1)
    down = (1 + math.cos(math.pi * done)) / 2
    return peak * min(t / warmup, down)  # (training.1)


def warmup_inverse_sqrt(t: int, peak: float, warmup: int) -> float:
    """Update t -> learning rate: up a line, then down as 1 / sqrt(t).

    Vaswani et al. 2017, equation 3, is this with peak 1 / sqrt(d warmup).
    """
    check_positive(t=t, warmup=warmup)
    return peak * min(t / warmup, math.sqrt(warmup / t))


def step_decay(t: int, lr: float, start: int, every: int, factor: float):
    """Update t -> learning rate: lr up to t = start, then times factor.

    Once for the `every` updates after start, twice for the next, and so on.
    """
    check_positive(t=t, start=start, every=every)
    return lr * factor ** -(min(start - t, 0) // every)  # rounded up
