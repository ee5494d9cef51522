"""How far two cells count: a^n b^n, learned up to 30 and asked beyond.

For docs/lstm.md. A study: `make studies` runs it, and figure() and results()
read what it wrote. LSTM and GRU of ten units get the same training: at every
b they say whether the word is complete. A word counts as right if all of its
answers are; what is reported is the shortest word that is not.
"""

import time

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits as loss_of

from bookproof.run.studies import load_study
from figures_src import palette
from figures_src.palette import colour, line
from seqbook.grammars import anbn
from seqbook.torch_models import seeded

H, B, LONGEST, LIMIT, ASKED = 10, 64, 30, 1500, 150
SEEDS = [0, 1, 2, 3, 4]
CELLS = {"LSTM": nn.LSTM, "GRU": nn.GRU}


class Counter(nn.Module):
    """ids (T, B) -> logits (T, B): is the word complete?"""

    def __init__(self, cell):
        super().__init__()
        self.cell, self.readout = cell(2, H), nn.Linear(H, 1)

    def forward(self, ids):
        x = nn.functional.one_hot(ids, 2).float()
        return self.readout(self.cell(x)[0])[..., 0]


def train(kind, seed):
    """-> a Counter after LIMIT updates on words of 1 to LONGEST pairs."""
    model = seeded(seed, lambda: Counter(CELLS[kind]))
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


def run(kind, seed):
    started = time.process_time()
    model = train(kind, seed)
    ok = right(model, np.arange(1, ASKED + 1))
    fails = np.flatnonzero(~ok)
    return {
        "seed": seed,
        "learned": bool(ok[:LONGEST].all()),
        "first_wrong": int(fails[0]) + 1 if len(fails) else None,
        "held": widest(model),
        "seconds": round(time.process_time() - started, 1),
    }


def study(tell):
    """-> {cell: its runs}; `tell` is called with a line for every run."""
    torch.set_num_threads(1)
    found = {}
    for kind in CELLS:
        found[kind] = []
        for seed in SEEDS:
            found[kind].append(run(kind, seed))
            done = found[kind][-1] | {"held": "..."}
            tell(f"{kind}: {done}")
    return found


def results():
    """{cell: per seed, learned up to 30 and first wrong n; range held}."""
    runs = load_study("anbn_study")["results"]
    return {
        kind: {
            "learned": [r["learned"] for r in of],
            "first_wrong": [r["first_wrong"] or ASKED + 1 for r in of],
            "range": [float(np.ptp(r["held"])) for r in of],
        }
        for kind, of in runs.items()
    }


LOOKS = {"LSTM": ("c", "s"), "GRU": ("write", "^")}  # quantity, marker


def figure():
    """Above what the widest unit holds, below the first word that fails."""
    runs = load_study("anbn_study")["results"]
    wide = {"width_ratios": [1.5, 1]}
    shape = (1, 2) if not palette.narrow else (2, 1)
    fig, (held, wrong) = plt.subplots(
        *shape,
        figsize=palette.size(3.2 if shape == (1, 2) else 6),
        gridspec_kw={} if palette.narrow else wide,
    )
    for y, (kind, (quantity, marker)) in enumerate(LOOKS.items()):
        for row in runs[kind]:
            faint = {"linewidth": 1.0, "alpha": 0.6}
            upward = np.array(row["held"]) * np.sign(row["held"][LONGEST - 1])
            t = np.arange(1, 2 * LONGEST + 1)
            held.plot(t, upward, **line(quantity) | faint)
        first = [r["first_wrong"] or ASKED + 1 for r in runs[kind]]
        spread = y + np.linspace(-0.2, 0.2, len(first))
        shade = {"color": colour(quantity)}
        wrong.plot(first, spread, marker, ms=5, alpha=0.7, mew=0, **shade)
        wrong.vlines(np.median(first), y - 0.33, y + 0.33, lw=2, **shade)
    for text, spot, quantity in (
        ("a cell $c$ of each LSTM", (2, 26), "c"),
        ("a state $h$ of each GRU", (8, 2.2), "write"),
    ):
        held.annotate(text, spot, color=colour(quantity), fontsize=9.5)
    held.axvline(LONGEST + 0.5, color=colour("muted"), linewidth=0.8)
    held.set(xlabel="time step $t$, first a, then b", ylabel="held")
    wrong.axvline(LONGEST, color=colour("muted"), linewidth=0.8)
    wrong.set_yticks(range(len(LOOKS)), LOOKS)
    wrong.set(xlabel="first $n$ that goes wrong", ylim=(1.6, -0.6))
    return fig
