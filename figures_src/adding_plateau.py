"""The adding problem: a long plateau, then a fall. For docs/en/training.md.

A study: `make studies` runs it. Add the two marked numbers of a sequence of
fifty; whoever has learned nothing reaches a squared error of 1/6.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn

from bookproof.run.studies import load_study
from figures_src import palette
from seqbook.tasks import adding, adding_baseline
from seqbook.torch_models import seeded, set_forget_bias
from seqbook.torch_training import stalled

T, H, B, LR, CLIP, LIMIT, GOAL = 50, 64, 64, 2e-3, 1.0, 3000, 0.01
EVERY = 50  # iterations whose losses are averaged
ENDS = 10  # steps at either end whose gradients are compared
SEEDS = [0, 1, 2, 3, 4]
CELLS = {  # group: what is trained
    "zero": ("RNN", "IRNN", "LSTM", "GRU"),
    "learned": ("LSTM", "GRU"),  # with a learned h_0
    "started": ("LSTM", "RNN"),  # with b_f = 1, with an orthogonal W_hh
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


def run(kind, seed, group="zero"):
    """Train one model -> its losses and its reach, every EVERY iterations.

    Losses are means since the last time, the reach is that of one batch.
    """
    model = seeded(seed, lambda: start(kind, group))
    adam = torch.optim.Adam(model.parameters(), LR)
    rng, losses, reaches = np.random.default_rng(seed), [], []
    started = time.process_time()
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
        "seed": seed,
        "iterations": len(losses),
        "solved": bool(np.mean(losses[-100:]) < GOAL),
        "seconds": round(time.process_time() - started, 1),
        "losses": [float(f"{mean:.3g}") for mean in means],
        "reach": reaches,
    }


def study(tell):
    """-> {group: {cell: runs}}."""
    torch.set_num_threads(1)
    found = {}
    for group, kinds in CELLS.items():
        found[group] = {}
        for kind in kinds:
            found[group][kind] = []
            for seed in SEEDS:
                this = run(kind, seed, group)
                found[group][kind].append(this)
                took, seconds = this["iterations"], this["seconds"]
                tell(f"{group}, {kind}, seed {seed}: {took} in {seconds} s")
    return found


def results():
    """{group: {cell: summary}} of the last study; groups as in CELLS.

    A summary has, one entry a seed: iterations, solved, losses (mean
    squared error) and reach, both every EVERY iterations; how many
    iterations went by until a mean was below 0.9 of the baseline (plateau)
    and until the reach was above 0.01 (reaches); and where stopping after
    five means without a new best would have ended the run: impatient
    (without knowing the baseline) and patient (with it). None is never.
    """
    found = load_study("adding_plateau")["results"]
    return {
        group: {kind: summary(runs) for kind, runs in cells.items()}
        for group, cells in found.items()
    }


def summary(runs):
    learned = 0.9 * adding_baseline()
    rows = {
        "iterations": [run["iterations"] for run in runs],
        "solved": [run["solved"] for run in runs],
        "losses": [run["losses"] for run in runs],
        "reach": [run["reach"] for run in runs],
        "plateau": [
            moment(run["losses"], lambda seen: seen[-1] < learned)
            for run in runs
        ],
        "reaches": [
            moment(run["reach"], lambda seen: seen[-1] > 0.01) for run in runs
        ],
    }
    for name, baseline in ("impatient", np.inf), ("patient", learned):
        rows[name] = [
            moment(run["losses"], lambda seen, b=baseline: stalled(seen, b, 5))
            for run in runs
        ]
    return rows


def moment(series, holds):
    """Iterations done when holds(the series so far) first, or None."""
    for n in range(1, len(series) + 1):
        if holds(series[:n]):
            return n * EVERY
    return None


LOOKS = {"RNN": "h", "IRNN": "candidate", "LSTM": "c", "GRU": "write"}
PLACES = {  # of a label: beside its errors, beside its reach
    "RNN": ((2350, 0.178), (2500, 3e-12)),
    "IRNN": ((25, 0.007), (120, 6)),
    "LSTM": ((1480, 0.09), (1420, 0.02)),
    "GRU": ((540, 0.055), (170, 2e-5)),
}


def figure():
    """Squared error, and reach, against iterations: each seed."""
    found = results()["zero"]
    fig, (above, below) = plt.subplots(
        2, 1, figsize=palette.size(5.2), sharex=True
    )
    for kind, quantity in LOOKS.items():
        look = {**palette.line(quantity), "linewidth": 1.1, "alpha": 0.75}
        for ax, key, place in zip(
            (above, below), ("losses", "reach"), PLACES[kind], strict=True
        ):
            for series in found[kind][key]:
                t = EVERY * np.arange(1, len(series) + 1)
                ax.plot(t, series, **look)
            ax.annotate(kind, place, color=palette.colour(quantity))
    muted = {"color": palette.colour("muted"), "ls": ":", "lw": 1}
    above.axhline(adding_baseline(), **muted)
    above.set(ylabel="mean squared error", ylim=(0, 0.21), xlim=(0, LIMIT))
    below.axhline(1, **muted)
    below.set(xlabel="iterations", ylabel="reach (log axis)", yscale="log")
    return fig
