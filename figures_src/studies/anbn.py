"""How far two cells count: a^n b^n, learned up to 30 and asked beyond.

LSTM and GRU of ten units get the same training: at every b they say whether
the word is complete. A word counts as right if all of its answers are; what
is reported is the shortest word that is not.
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as loss_of

from bookproof.run.records import crossed
from seqbook.grammars import anbn
from seqbook.torch_models import seeded

H, B, LONGEST, LIMIT, ASKED = 10, 64, 30, 1500, 150
SEEDS = [0, 1, 2, 3, 4]
CELLS = {"LSTM": nn.LSTM, "GRU": nn.GRU}


def jobs(done):
    return crossed(cell=[*CELLS], seed=SEEDS)


def run(cell, seed):
    model = train(cell, seed)
    ok = right(model, np.arange(1, ASKED + 1))
    fails = np.flatnonzero(~ok)
    return {
        "learned": bool(ok[:LONGEST].all()),
        "first_wrong": int(fails[0]) + 1 if len(fails) else None,
        "held": widest(model),
    }


class Counter(nn.Module):
    """ids (T, B) -> logits (T, B): is the word complete?"""

    def __init__(self, cell):
        super().__init__()
        self.cell, self.readout = cell(2, H), nn.Linear(H, 1)

    def forward(self, ids):
        x = nn.functional.one_hot(ids, 2).float()
        return self.readout(self.cell(x)[0])[..., 0]


def train(cell, seed):
    """-> a Counter after LIMIT updates on words of 1 to LONGEST pairs."""
    model = seeded(seed, lambda: Counter(CELLS[cell]))
    adam = torch.optim.Adam(model.parameters(), 1e-2)
    rng = np.random.default_rng(seed)
    for _ in range(LIMIT):
        words = anbn(rng.integers(1, LONGEST + 1, size=B))
        ids, targets, mask = map(torch.from_numpy, words)
        loss = loss_of(model(ids)[mask], targets[mask].float())
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
    return model


@torch.no_grad()
def right(model, n):
    """n (B,) -> (B,) bool: is every answer to the word a^n b^n right?"""
    ids, targets, mask = map(torch.from_numpy, anbn(n))
    hits = (model(ids) > 0) == (targets > 0)
    return (hits | ~mask).all(dim=0).numpy()


@torch.no_grad()
def widest(model, n=LONGEST):
    """What the unit that moves most holds, at 1 .. 2n of a^n b^n.

    Of an LSTM its cell c_t, of a GRU its state h_t.
    """
    x = nn.functional.one_hot(torch.from_numpy(anbn([n])[0]), 2).float()
    state, held = None, []
    for x_t in x:
        _, state = model.cell(x_t[None], state)
        held.append(state[1] if isinstance(state, tuple) else state)
    held = torch.stack(held).reshape(2 * n, H).numpy()
    unit = np.ptp(held, axis=0).argmax()
    return [round(float(v), 3) for v in held[:, unit]]
