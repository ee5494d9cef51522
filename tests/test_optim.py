import numpy as np
import pytest
import torch

from seqbook.optim import (
    adam_init,
    adam_step,
    momentum_init,
    momentum_step,
    sgd_step,
)
from seqbook.params import arrays_of, map_params
from seqbook.rnn import init_rnn

STEPS = 7


def make_case():
    """Nested params; gradients of all scales, one per step; torch leaves."""
    rng = np.random.default_rng(0)
    p = [init_rnn(rng, 2, 3), rng.normal(size=(4, 3))]
    grads = [
        map_params(lambda a: rng.normal(size=a.shape) ** 5, p)
        for _ in range(STEPS)
    ]
    return (
        p,
        grads,
        [torch.nn.Parameter(torch.tensor(a)) for a in arrays_of(p)],
    )


def torch_step(optimizer, leaves, grads):
    for leaf, grad in zip(leaves, arrays_of(grads), strict=True):
        leaf.grad = torch.tensor(grad)
    optimizer.step()


def assert_same(p, leaves):
    for array, leaf in zip(arrays_of(p), leaves, strict=True):
        np.testing.assert_allclose(array, leaf.detach(), 1e-12, 1e-12)


def test_sgd_equals_torch():
    p, all_grads, leaves = make_case()
    optimizer = torch.optim.SGD(leaves, lr=0.1)
    for grads in all_grads:
        p = sgd_step(p, grads, 0.1)
        torch_step(optimizer, leaves, grads)
        assert_same(p, leaves)


def test_momentum_equals_torch():
    p, all_grads, leaves = make_case()
    optimizer = torch.optim.SGD(leaves, lr=0.1, momentum=0.8)
    velocity = momentum_init(p)
    for grads in all_grads:
        p, velocity = momentum_step(p, grads, velocity, 0.1, 0.8)
        torch_step(optimizer, leaves, grads)
        assert_same(p, leaves)


@pytest.mark.parametrize("eps", [1e-8, 0.1])
def test_adam_equals_torch(eps):
    p, all_grads, leaves = make_case()
    options = {"betas": (0.7, 0.95), "eps": eps}
    optimizer = torch.optim.Adam(leaves, lr=0.1, **options)
    state = adam_init(p)
    for grads in all_grads:
        p, state = adam_step(p, grads, state, 0.1, *options["betas"], eps)
        torch_step(optimizer, leaves, grads)
        assert_same(p, leaves)


def test_defaults_are_those_of_torch():
    p, all_grads, leaves = make_case()
    optimizer = torch.optim.Adam(leaves)
    p, _ = adam_step(p, all_grads[0], adam_init(p))
    torch_step(optimizer, leaves, all_grads[0])
    assert_same(p, leaves)


def test_first_step_of_adam_is_the_learning_rate_whatever_the_gradient():
    p = [np.zeros(3)]
    got, _ = adam_step(p, [np.array([1e-3, -1.0, 1e3])], adam_init(p), lr=0.1)
    np.testing.assert_allclose(got[0], [-0.1, 0.1, -0.1], rtol=1e-4)


def test_what_goes_in_is_not_changed():
    p, (grads, *_), _ = make_case()
    state, kept = adam_init(p), [a.copy() for a in arrays_of(p)]
    adam_step(p, grads, state)
    momentum_step(p, grads, momentum_init(p), 0.1)
    assert all(map(np.array_equal, arrays_of(p), kept))
    assert state.t == 0 and not any(a.any() for a in arrays_of(state.m))


def test_float32_params_stay_float32():
    p, (grads, *_), _ = make_case()
    p, grads = (map_params(np.float32, tree) for tree in (p, grads))
    p, state = adam_step(p, grads, adam_init(p))
    found = arrays_of([sgd_step(p, grads, 0.1), p, state.m, state.v])
    assert {a.dtype for a in found} == {np.dtype(np.float32)}
