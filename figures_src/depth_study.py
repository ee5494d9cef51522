"""How many updates a stack needs, against its depth, with and without +.

For docs/deep_bidirectional.md. A study: `make studies` runs it, and figure()
and results() read what it wrote. The task is the look-ahead tagging of
seqbook.grammars, answered two steps late by a stack that reads one way; one
layer solves it, so depth has nothing to win here and can only be in the way.
Every stack gets its own learning rate, the best of three on other seeds.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, one_hot

from bookproof.run.studies import load_study
from figures_src import palette
from figures_src.palette import colour, size
from seqbook.grammars import tagging
from seqbook.torch_models import seeded

T, K, H, B, LIMIT, GOAL, CLIP = 12, 2, 16, 32, 1000, 0.99, 1.0
DEPTHS = 1, 2, 4, 6, 8, 10, 12
RATES = 1e-3, 3e-3, 1e-2
SEEDS = {"reported": [0, 1, 2, 3, 4], "tuning": [100, 101, 102]}
STACKS = {  # name: cell, does each layer from the second on add?
    "LSTM": (nn.LSTM, False),
    "LSTM residual": (nn.LSTM, True),
    "RNN": (nn.RNN, False),
    "RNN residual": (nn.RNN, True),
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


def run(name, depth, rate, seed):
    """Train one stack until it is right -> a dictionary of what happened."""
    cell, residual = STACKS[name]
    net = seeded(seed, lambda: Stack(cell, depth, residual))
    rng = np.random.default_rng(seed)
    adam = torch.optim.Adam(net.parameters(), rate)

    def draw(size):
        words, tags, mask = tagging(rng, size, T, K)
        real = tags[mask].reshape(T, size)
        return torch.from_numpy(words), torch.from_numpy(real)

    started, right = time.process_time(), 0.0
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
        "seed": seed,
        "solved": right >= GOAL,
        "updates": update,
        "accuracy": round(right, 4),
        "seconds": round(time.process_time() - started, 2),
    }


def merit(runs):
    """What a learning rate is chosen by: solved most often, then soonest."""
    return sum(r["solved"] for r in runs), -sum(r["updates"] for r in runs)


def study(tell):
    """-> {stack: {depth: learning rate, runs of it, runs of the search}}."""
    torch.set_num_threads(1)
    found = {name: {} for name in STACKS}
    for name, depth in ((n, d) for n in STACKS for d in DEPTHS):
        if depth == 1 and STACKS[name][1]:
            continue  # one layer has nothing to add to
        search = {
            rate: [run(name, depth, rate, seed) for seed in SEEDS["tuning"]]
            for rate in RATES
        }
        rate = max(search, key=lambda rate: merit(search[rate]))
        runs = [run(name, depth, rate, seed) for seed in SEEDS["reported"]]
        found[name][depth] = {"rate": rate, "runs": runs, "search": search}
        tell(f"{name}, {depth} layers, rate {rate}: {runs}")
    return found


def results():
    """{stack: {depth: solved, of, updates of the solved, accuracies}}."""
    stacks = load_study("depth_study")["results"]
    return {
        name: {
            int(depth): {
                "solved": sum(r["solved"] for r in row["runs"]),
                "of": len(row["runs"]),
                "updates": [r["updates"] for r in row["runs"] if r["solved"]],
                "accuracy": [r["accuracy"] for r in row["runs"]],
                "rate": row["rate"],
            }
            for depth, row in rows.items()
        }
        for name, rows in stacks.items()
    }


NEVER = 1600  # where a stack that did not learn is drawn
LOOKS = {  # quantity whose colour and dash it has, marker, shift, label at
    "LSTM": ("c", "s", -0.12, (5.6, 330)),
    "LSTM residual": ("keep", "o", 0.12, (8.6, 46)),
}


def figure():
    """LSTM and residual LSTM: every seed, a line through the medians."""
    fig, ax = plt.subplots(figsize=size())
    found = load_study("depth_study")["results"]
    for name, (quantity, marker, shift, label) in LOOKS.items():
        look = palette.line(quantity)
        depths = [int(d) for d in found[name]]
        runs = [found[name][str(d)]["runs"] for d in depths]
        at = np.array(
            [[r["updates"] if r["solved"] else NEVER for r in row]
             for row in runs]
        )  # fmt: skip
        middle = np.median(at, axis=1)
        ax.plot(depths, np.where(middle < NEVER, middle, np.nan), **look)
        for depth, updates in zip(depths, at, strict=True):
            x = depth + shift + np.linspace(-0.12, 0.12, len(updates))
            ax.plot(x, updates, marker, color=look["color"], ms=4, mew=0,
                    alpha=0.6)  # fmt: skip
        words = "layer on layer" if name == "LSTM" else "each layer adds"
        ax.text(*label, words, color=look["color"], ha="right")
    ax.axhspan(1250, 2100, color=colour("x"), alpha=0.12, lw=0)
    ticks = {30: "30", 100: "100", 300: "300", 1000: "1000", NEVER: "never"}
    ax.set(yscale="log", ylim=(30, 2100), xlabel="layers", xticks=DEPTHS)
    ax.set_yticks(list(ticks), ticks.values())
    ax.set_yticks([], minor=True)
    ax.set(ylabel="updates (log scale)")
    return fig
