"""The adding problem: a long plateau, then a fall. For docs/en/training.md.

A study: `make studies` runs it. Add the two marked numbers of a sequence of
fifty; whoever has learned nothing reaches a squared error of 1/6.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from figures_src import palette
from seqbook.press.studies import load_study
from seqbook.tasks import adding, adding_baseline
from seqbook.torch_models import seeded
from seqbook.torch_training import stalled

T, H, B, LR, CLIP, LIMIT, GOAL = 50, 64, 64, 2e-3, 1.0, 3000, 0.01
EVERY = 50  # iterations whose losses are averaged
SEEDS = [0, 1, 2, 3, 4]
CELLS = "RNN", "IRNN", "LSTM", "GRU"
LEARNED = "LSTM", "GRU"  # run once more with a learned h_0


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


def run(kind, seed, learned=False):
    """Train one model -> its losses, each the mean over EVERY iterations."""
    model = seeded(seed, lambda: Adder(kind, learned))
    adam = torch.optim.Adam(model.parameters(), LR)
    rng, losses = np.random.default_rng(seed), []
    started = time.process_time()
    while len(losses) < LIMIT and not np.mean(losses[-100:] or 1) < GOAL:
        x, target = (torch.from_numpy(a).float() for a in adding(rng, B, T))
        loss = torch.mean((model(x) - target) ** 2)
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        adam.step()
        losses.append(loss.item())
    means = [
        np.mean(losses[k : k + EVERY]) for k in range(0, len(losses), EVERY)
    ]
    return {
        "seed": seed,
        "iterations": len(losses),
        "solved": bool(np.mean(losses[-100:]) < GOAL),
        "seconds": round(time.process_time() - started, 1),
        "losses": [float(f"{mean:.3g}") for mean in means],
    }


def study(tell):
    """-> {cell: runs}, and {cell: runs} with a learned h_0."""
    torch.set_num_threads(1)
    found = {"zero": {}, "learned": {}}
    for group, kinds in zip(found, (CELLS, LEARNED), strict=True):
        for kind in kinds:
            found[group][kind] = []
            for seed in SEEDS:
                this = run(kind, seed, group == "learned")
                found[group][kind].append(this)
                tell(f"{group}, {kind}: { ({**this, 'losses': '...'}) }")
    return found
