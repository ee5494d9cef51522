"""The adding problem: a long plateau, then a fall.

Add the two marked numbers of a sequence of fifty; whoever has learned
nothing reaches a squared error of 1/6.
"""

import numpy as np
import torch
from torch import nn

from bookproof.run.records import crossed
from seqbook.tasks import adding
from seqbook.torch_models import seeded, set_forget_bias

T, H, B, LR, CLIP, LIMIT, GOAL = 50, 64, 64, 2e-3, 1.0, 3000, 0.01
EVERY = 50  # iterations whose losses are averaged
ENDS = 10  # steps at either end whose gradients are compared
SEEDS = [0, 1, 2, 3, 4]
GROUPS = {  # group: what is trained
    "zero": ["RNN", "IRNN", "LSTM", "GRU"],
    "learned": ["LSTM", "GRU"],  # with a learned h_0
    "started": ["LSTM", "RNN"],  # with b_f = 1, with an orthogonal W_hh
}


def jobs(done):
    for group, cells in GROUPS.items():
        yield from crossed(group=group, cell=cells, seed=SEEDS)


def run(group, cell, seed):
    """Train one model -> its losses and its reach, every EVERY iterations.

    Losses are means since the last time, the reach is that of one batch.
    """
    model = seeded(seed, lambda: start(cell, group))
    adam = torch.optim.Adam(model.parameters(), LR)
    rng, losses, reaches = np.random.default_rng(seed), [], []
    while len(losses) < LIMIT and not np.mean(losses[-100:] or 1) < GOAL:
        x, target = (torch.from_numpy(a).float() for a in adding(rng, B, T))
        x.requires_grad_(len(losses) % EVERY == EVERY - 1)
        loss = torch.mean((model(x) - target) ** 2)
        adam.zero_grad()
        loss.backward()
        if x.requires_grad:
            reaches.append(float(f"{reach(x.grad):.3g}"))
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        adam.step()
        losses.append(loss.item())
    means = [
        np.mean(losses[k : k + EVERY]) for k in range(0, len(losses), EVERY)
    ]
    return {
        "iterations": len(losses),
        "solved": bool(np.mean(losses[-100:]) < GOAL),
        "losses": [float(f"{mean:.3g}") for mean in means],
        "reach": reaches,
    }


class Adder(nn.Module):
    """x (T, B, 2) -> (B,), read from the last state."""

    def __init__(self, kind, learned):
        super().__init__()
        cells = {"RNN": nn.RNN, "LSTM": nn.LSTM, "GRU": nn.GRU}
        if kind == "IRNN":
            self.cell = nn.RNN(2, H, nonlinearity="relu")
            nn.init.eye_(self.cell.weight_hh_l0)
            nn.init.zeros_(self.cell.bias_ih_l0)
            nn.init.zeros_(self.cell.bias_hh_l0)
        else:
            self.cell = cells[kind](2, H)
        self.readout = nn.Linear(H, 1)
        self.h_0 = nn.Parameter(torch.zeros(1, 1, H)) if learned else None

    def forward(self, x):
        first = None
        if self.h_0 is not None:
            first = self.h_0.expand(1, x.shape[1], H).contiguous()
            if isinstance(self.cell, nn.LSTM):
                first = first, torch.zeros_like(first)
        h, _ = self.cell(x, first)
        return self.readout(h[-1])[:, 0]


def reach(gradient):
    """Of the inputs (T, B, 2) -> length at the first ENDS steps / the last."""
    return float(gradient[:ENDS].norm() / gradient[-ENDS:].norm())


def start(kind, group):
    model = Adder(kind, group == "learned")
    if group == "started" and kind == "LSTM":
        set_forget_bias(model.cell, 1.0)
    elif group == "started":
        nn.init.orthogonal_(model.cell.weight_hh_l0)
    return model
