"""What truncated backpropagation forbids: one bit held over noisy steps.

The gradient is cut every k steps, and where the loss is read decides whether
anything is left to learn from.
"""

import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

from bookproof.run.records import crossed
from seqbook.torch_models import seeded, set_forget_bias, set_orthogonal

T, H, B, ITERATIONS, RATE = 50, 16, 64, 600, 5e-3
NOISE = 0.5  # standard deviation of the steps that only pass the time
READ, TESTED = (50, 200), 2000  # steps at which, and bits on which, we test
CELLS = {  # name: class, and what is set on it; None is torch's default
    "RNN": (nn.RNN, None),
    "RNN orthogonal": (nn.RNN, 1.0),  # W_hh = this times an orthogonal one
    "LSTM b_f = 1": (nn.LSTM, 1.0),
    "LSTM b_f = 3": (nn.LSTM, 3.0),
}
CASES = {  # name: k, first step with a loss (the last one is T), carried
    "full": (50, 50, True),
    "end carried": (5, 50, True),
    "end reset": (5, 50, False),
    "dense": (5, 1, True),
    "control": (5, 6, True),
    "control full": (50, 6, True),
    "control full 11": (50, 11, True),
}
CONTROLS = [case for case in CASES if case.startswith("control")]
LUCK = ["end carried", "control"]  # whose outcome hangs on the seed
SEEDS = [0, 1, 2, 3, 4]
MORE_SEEDS = [*range(10)]  # for those


def jobs(done):
    for case in CASES:
        cells = [
            cell
            for cell in CELLS
            if case in CONTROLS or cell.startswith("LSTM")
        ]
        seeds = MORE_SEEDS if case in LUCK else SEEDS
        yield from crossed(case=case, cell=cells, seed=seeds)


def run(case, cell, seed):
    """One update a batch -> {step: fraction of bits read right there}."""
    model = seeded(seed, lambda: build(cell))
    generator = torch.Generator().manual_seed(seed)
    adam = torch.optim.Adam(model.parameters(), RATE, fused=True)
    for _ in range(ITERATIONS):
        x, bits = hold_bit(generator, B, T)
        adam.zero_grad()
        hold_loss(model, x, bits, *CASES[case]).backward()
        adam.step()
    test = torch.Generator().manual_seed(10**6 + seed)
    right = hold_accuracy(model, *hold_bit(test, TESTED, max(READ)))
    return {str(t): round(fraction, 4) for t, fraction in right.items()}


def hold_bit(generator, B, T):
    """-> x (T, B, 1), bits (B,) in {0, 1}: first -1 or 1, then noise."""
    bits = torch.randint(2, (B,), generator=generator).float()
    x = NOISE * torch.randn(T, B, 1, generator=generator)
    x[0, :, 0] = 2 * bits - 1
    return x, bits


def build(name):
    """A fresh cell of one input and its readout, one logit."""
    kind, memory = CELLS[name]
    cell = kind(1, H)
    if kind is nn.LSTM:
        set_forget_bias(cell, memory)
    elif memory is not None:
        drawn = int(torch.randint(2**31, ()))
        generator = torch.Generator().manual_seed(drawn)
        set_orthogonal(cell, memory, generator)
    return nn.ModuleDict({"cell": cell, "readout": nn.Linear(H, 1)})


def detached(state):
    """State of an RNN, or the pair of an LSTM -> the same, without past."""
    if isinstance(state, tuple):
        return tuple(part.detach() for part in state)
    return state.detach()


def in_chunks(cell, x, k, carried):
    """x (T, B, D) -> h (T, B, H), the gradient cut after every k steps.

    The state goes on, detached, or starts again at zero.
    """
    parts, state = [], None
    for start in range(0, len(x), k):
        h, state = cell(x[start : start + k], state)
        parts.append(h)
        state = detached(state) if carried else None
    return torch.cat(parts)


def hold_loss(model, x, bits, k, first, carried):
    """Mean cross-entropy over steps `first` to T, counted from 1."""
    h = in_chunks(model["cell"], x, k, carried)[first - 1 :]
    logits = model["readout"](h)[..., 0]  # (T - first + 1, B)
    return binary_cross_entropy_with_logits(logits, bits.expand_as(logits))


@torch.no_grad()
def hold_accuracy(model, x, bits):
    """-> {step: fraction of bits read right there}, the state carried."""
    h, _ = model["cell"](x)
    read = {t: model["readout"](h[t - 1])[:, 0] > 0 for t in READ}
    return {
        t: float((r == (bits > 0)).float().mean()) for t, r in read.items()
    }
