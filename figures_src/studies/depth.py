"""How many updates a stack needs, against its depth, with and without +.

The task is the look-ahead tagging of seqbook.grammars, answered two steps
late by a stack that reads one way; one layer solves it, so depth has nothing
to win here and can only be in the way. Every stack gets its own learning
rate, the best of three on other seeds.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, one_hot

from bookproof.run.records import crossed, select
from seqbook.grammars import tagging
from seqbook.torch_models import seeded

T, K, H, B, LIMIT, GOAL, CLIP = 12, 2, 16, 32, 1000, 0.99, 1.0
DEPTHS = [1, 2, 4, 6, 8, 10, 12]
RATES = [1e-3, 3e-3, 1e-2]
SEEDS, TUNING = [0, 1, 2, 3, 4], [100, 101, 102]
STACKS = {  # name: cell, does each layer from the second on add?
    "LSTM": (nn.LSTM, False),
    "LSTM residual": (nn.LSTM, True),
    "RNN": (nn.RNN, False),
    "RNN residual": (nn.RNN, True),
}


def depths(stack):
    """Those of a stack: one layer has nothing to add to."""
    return DEPTHS[1:] if STACKS[stack][1] else DEPTHS


def jobs(done):
    for stack in STACKS:
        for row in crossed(stack=stack, depth=depths(stack)):
            yield from crossed(**row, rate=RATES, seed=TUNING)
            yield from crossed(**row, rate=tuned(done, **row), seed=SEEDS)


def run(stack, depth, rate, seed):
    """Train one stack until it is right."""
    cell, residual = STACKS[stack]
    net = seeded(seed, lambda: Stack(cell, depth, residual))
    rng = np.random.default_rng(seed)
    adam = torch.optim.Adam(net.parameters(), rate)

    def draw(size):
        words, tags, mask = tagging(rng, size, T, K)
        real = tags[mask].reshape(T, size)
        return torch.from_numpy(words), torch.from_numpy(real)

    right = 0.0
    for update in range(1, LIMIT + 1):
        words, tags = draw(B)
        adam.zero_grad()
        cross_entropy(net(words).flatten(0, 1), tags.flatten()).backward()
        nn.utils.clip_grad_norm_(net.parameters(), CLIP)
        adam.step()
        if update % 10 == 0:
            words, tags = draw(256)
            with torch.no_grad():
                guess = net(words).argmax(dim=-1)
            right = float((guess == tags).float().mean())
            if right >= GOAL:
                break
    return {
        "solved": right >= GOAL,
        "updates": update,
        "accuracy": round(right, 4),
    }


class Stack(nn.Module):
    """Words (T + K, B) -> logits (T, B, 2), each K steps after its word."""

    def __init__(self, cell, depth, residual):
        super().__init__()
        widths = [4] + [H] * (depth - 1)
        self.layers = nn.ModuleList(cell(width, H) for width in widths)
        self.readout = nn.Linear(H, 2)
        self.residual = residual

    def forward(self, words):
        lowest, *others = self.layers
        h = lowest(one_hot(words, 4).float())[0]
        for layer in others:
            change = layer(h)[0]
            h = h + change if self.residual else change
        return self.readout(h[K:])


def tuned(done, stack, depth):
    """-> [rate solved most often, then soonest], [] before all are tried."""

    def merit(rate):
        tries = trials[rate]
        updates = sum(run["updates"] for run in tries)
        return sum(run["solved"] for run in tries), -updates

    row = {"stack": stack, "depth": depth, "seed": TUNING}
    trials = {rate: select(done, **row, rate=rate) for rate in RATES}
    complete = all(len(tries) == len(TUNING) for tries in trials.values())
    return [max(trials, key=merit)] if complete else []
