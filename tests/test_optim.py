import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.optim.lr_scheduler import (
    CosineAnnealingLR,
    LinearLR,
    MultiStepLR,
    SequentialLR,
    StepLR,
)

from seqbook.optim import (
    AdamState,
    adam_init,
    adam_step,
    adamw_step,
    momentum_init,
    momentum_step,
    sgd_step,
    step_decay,
    warmup_cosine,
    warmup_inverse_sqrt,
)
from seqbook.params import arrays_of, map_params
from seqbook.rnn import RNNParams, init_rnn

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


@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_adamw_equals_torch(decay):
    p, all_grads, leaves = make_case()
    betas, eps = (0.7, 0.95), 1e-3
    optimizer = torch.optim.AdamW(leaves, 0.1, betas, eps, weight_decay=decay)
    state = adam_init(p)
    for grads in all_grads:
        p, state = adamw_step(p, grads, state, 0.1, decay, *betas, eps)
        torch_step(optimizer, leaves, grads)
        assert_same(p, leaves)
    assert state.t == STEPS


def test_defaults_of_adamw_are_those_of_torch():
    p, all_grads, leaves = make_case()
    p, _ = adamw_step(p, all_grads[0], adam_init(p))
    torch_step(torch.optim.AdamW(leaves), leaves, all_grads[0])
    assert_same(p, leaves)


def test_without_a_gradient_adamw_shrinks_and_l2_in_the_gradient_does_not():
    p = [np.array([1.0, 100.0])]
    decayed, _ = adamw_step(p, [np.zeros(2)], adam_init(p), 0.1, 0.5)
    np.testing.assert_allclose(decayed[0], [0.95, 95], rtol=1e-12)
    penalty = [0.5 * w for w in p]  # Adam divides its size away
    moved, _ = adam_step(p, penalty, adam_init(p), 0.1)
    np.testing.assert_allclose(p[0] - moved[0], [0.1, 0.1], rtol=1e-6)


def rates_of_torch(make, steps, lr):
    """Learning rates of the first updates under a torch schedule."""
    leaf = torch.nn.Parameter(torch.zeros(1))
    optimizer = torch.optim.SGD([leaf], lr=lr)
    schedule, rates = make(optimizer), []
    for _ in range(steps):
        rates.append(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
    return rates


# PyTorch 2.4 warns of what its own SequentialLR does.
@pytest.mark.filterwarnings("ignore:The epoch parameter:UserWarning")
@pytest.mark.parametrize(("warmup", "total"), [(5, 12), (2, 3)])
def test_warmup_and_cosine_equal_two_schedules_of_torch(warmup, total):
    def make(optimizer):
        up = LinearLR(optimizer, 1 / warmup, 1, warmup - 1)
        down = CosineAnnealingLR(optimizer, total - warmup)
        return SequentialLR(optimizer, [up, down], [warmup - 1])

    want = rates_of_torch(make, total, lr=0.3)
    got = [warmup_cosine(t, 0.3, warmup, total) for t in range(1, total + 1)]
    np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-16)


def test_warmup_and_cosine_have_their_closed_form_points():
    rates = [warmup_cosine(t, 2.0, 10, 50) for t in (1, 5, 10, 20, 30, 50, 99)]
    third = 1 + math.sqrt(0.5)  # a quarter of the way down
    assert rates == pytest.approx([0.2, 1, 2, third, 1, 0, 0], abs=1e-15)


def test_inverse_square_root_is_the_formula_of_the_transformer():
    d, warmup = 512, 4000
    peak = (d * warmup) ** -0.5
    for t in 1, 100, 4000, 4001, 100_000:
        want = d**-0.5 * min(t**-0.5, t * warmup**-1.5)
        got = warmup_inverse_sqrt(t, peak, warmup)
        assert got == pytest.approx(want, rel=1e-12)
    assert warmup_inverse_sqrt(4 * warmup, 1.0, warmup) == 0.5
    assert warmup_inverse_sqrt(warmup, 0.7, warmup) == 0.7


@settings(deadline=None, derandomize=True, max_examples=25)
@given(st.integers(1, 20), st.integers(1, 30))
def test_warmup_rises_to_its_peak_and_falls_from_there(warmup, rest):
    steps = range(1, warmup + rest + 1)
    cosine = [warmup_cosine(t, 0.3, warmup, warmup + rest) for t in steps]
    for rates in cosine, [warmup_inverse_sqrt(t, 0.3, warmup) for t in steps]:
        assert rates[0] > 0  # counted from 0, the first update would be lost
        assert np.argmax(rates) == warmup - 1
        assert rates[warmup - 1] == pytest.approx(0.3, rel=1e-15)
        assert (np.diff(rates[:warmup]) > 0).all()
        assert (np.diff(rates[warmup - 1 :]) < 0).all()


def test_step_decay_equals_torch():
    steps = range(1, 21)
    got = [step_decay(t, 0.8, 4, 4, 0.3) for t in steps]
    want = rates_of_torch(lambda o: StepLR(o, 4, 0.3), 20, lr=0.8)
    np.testing.assert_allclose(got, want, rtol=1e-12)
    got = [step_decay(t, 0.8, 7, 3, 0.5) for t in steps]
    at = [7, 10, 13, 16, 19]
    want = rates_of_torch(lambda o: MultiStepLR(o, at, 0.5), 20, lr=0.8)
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_halving_every_half_epoch_after_five_of_100_updates():
    # Sutskever et al. 2014, section 3.4: 7.5 epochs from 0.7
    rates = [step_decay(t, 0.7, 500, 50, 0.5) for t in (500, 501, 550, 750)]
    assert rates == pytest.approx([0.7, 0.35, 0.35, 0.7 / 2**5])


def test_errors_name_the_argument_what_it_must_be_and_what_it_is():
    bad = [
        (lambda: warmup_cosine(0, 1.0, 3, 9), "t must be .* least 1, got 0"),
        (lambda: warmup_cosine(1, 1.0, 0, 9), "warmup must be .* got 0"),
        (lambda: warmup_cosine(1, 1.0, 9, 9), "exceed warmup = 9, got 9"),
        (lambda: warmup_inverse_sqrt(0, 1.0, 9), "t must be .* got 0"),
        (lambda: warmup_inverse_sqrt(1, 1.0, 2.5), "warmup .* got 2.5"),
        (lambda: step_decay(0, 1.0, 2, 2, 0.5), "t must be .* got 0"),
        (lambda: step_decay(1, 1.0, 0, 2, 0.5), "start must be .* got 0"),
        (lambda: step_decay(1, 1.0, 2, 0, 0.5), "every must be .* got 0"),
    ]
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def sample(D=2, H=3):
    """Params, and gradients of the same sizes."""
    rng = np.random.default_rng(1)
    shapes = (H, D), (H, H), H
    return (
        RNNParams(*(rng.normal(size=shape) for shape in shapes))
        for _ in range(2)
    )


def sample_state():
    m, v = sample()
    return AdamState(m, map_params(np.square, v), 3)


def adam_call(**options):
    p, grads = sample()
    found = {"p": p, "grads": grads, "state": sample_state(), "lr": 0.1}
    return found | options | {"beta1": 0.7, "beta2": 0.9, "eps": 0.1}


CALLS = {
    sgd_step: lambda: (
        dict(zip(("p", "grads"), sample(), strict=True)) | {"lr": 0.1}
    ),
    momentum_init: lambda: {"p": next(sample())},
    momentum_step: lambda: (
        dict(zip(("p", "grads"), sample(), strict=True))
        | {"velocity": next(sample()), "lr": 0.1, "momentum": 0.8}
    ),
    adam_init: lambda: {"p": next(sample())},
    adam_step: adam_call,
    adamw_step: lambda: adam_call(weight_decay=0.3),
    warmup_cosine: lambda: {"t": 8, "peak": 0.3, "warmup": 5, "total": 20},
    warmup_inverse_sqrt: lambda: {"t": 8, "peak": 0.3, "warmup": 5},
    step_decay: lambda: {
        "t": 9,
        "lr": 0.3,
        "start": 5,
        "every": 4,
        "factor": 0.5,
    },
}
OTHER = {
    (momentum_init, "p"): lambda: next(sample(D=4)),  # zeros of its shapes
    (adam_init, "p"): lambda: next(sample(D=4)),
    (step_decay, "every"): lambda: 2,
    (step_decay, "start"): lambda: 9,
}
