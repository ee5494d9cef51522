"""What truncated backpropagation forbids, and what it does not.

For docs/en/bptt.md. A study: `make studies` runs it, and figure() and
results() read what it wrote. Part one holds one bit over noisy steps: the
gradient is cut every k steps, and where the loss is read decides whether
anything is left to learn from. Part two trains one language model with
three k, on Python's reference manual as help() of Python 3.11.7 prints it.
"""

import hashlib
import math
import time
from collections import Counter

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.lines import Line2D
from torch import nn
from torch.nn.functional import (
    binary_cross_entropy_with_logits,
    cross_entropy,
)

from bookproof.run.studies import load_study
from figures_src import palette
from figures_src.palette import colour, size
from seqbook.text import help_topics
from seqbook.torch_models import seeded, set_forget_bias, set_orthogonal

SEEDS = {
    "hold": [0, 1, 2, 3, 4],
    "luck": list(range(10)),  # of the cases whose outcome hangs on the seed
    "text": [0, 1, 2, 3, 4],
    "tuning": [100],  # of the language models' learning rates
}

# Part one: hold a bit
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
LUCK = "end carried", "control"
HELD = 0.95  # accuracy from which we say that the bit was held
CONTROLS = [case for case in CASES if case.startswith("control")]

# Part two: the language model
TEXT = {"H": 64, "B": 32, "passes": 4, "clip": 1.0}
RATES = 3e-3, 1e-2  # the better one on the tuning seed is used
SCHEDULES = {  # name: k, and characters between two updates
    "k = 5": (5, 5),
    "k = 20": (20, 20),
    "k = 100": (100, 100),
    "k = 5, as many updates": (5, 100),
    "k = 20, as many updates": (20, 100),
}


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


def hold(case, cell, seed):
    """Train one model: one update a batch, its gradient cut every k."""
    started = time.process_time()
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
    return {
        "seed": seed,
        **{str(t): round(fraction, 4) for t, fraction in right.items()},
        "seconds": round(time.process_time() - started, 1),
    }


def manual():
    """-> the text: every topic by name, each paragraph only once.

    Topics quote each other; unrepeated, what is held out stays unseen.
    """
    text = "\n\n".join(help_topics().values())
    parts = {}
    for part in text.split("\n\n"):
        parts.setdefault(" ".join(part.split()), part.strip("\n"))
    return "\n\n".join(filter(None, parts.values()))


def split_ids(text):
    """-> ids (N,) to train on, the last tenth held out, size of the set."""
    alphabet = {c: i for i, c in enumerate(sorted(set(text)))}
    ids = torch.tensor([alphabet[c] for c in text])
    cut = len(ids) * 9 // 10
    return ids[:cut], ids[cut:], len(alphabet)


def unigram_bits(seen, held_out, V):
    """Bits per character of the frequencies seen, one added to each."""
    counts = Counter(seen.tolist())
    total = len(seen) + V
    chances = [(counts[i] + 1) / total for i in held_out.tolist()[1:]]
    return -sum(map(math.log2, chances)) / len(chances)


class CharacterModel(nn.Module):
    """A GRU: ids (T, B), state -> logits (T, B, V), state."""

    def __init__(self, V, H):
        super().__init__()
        self.embedding = nn.Embedding(V, H)
        self.cell = nn.GRU(H, H)
        self.readout = nn.Linear(H, V)

    def forward(self, ids, state):
        h, state = self.cell(self.embedding(ids), state)
        return self.readout(h), state


def streams(ids, B, multiple):
    """ids (N,) -> inputs, targets (S, B): B contiguous pieces of the text."""
    S = (len(ids) - 1) // B // multiple * multiple
    return ids[: S * B].view(B, S).T, ids[1 : S * B + 1].view(B, S).T


def chunk_gradients(model, x, y, k, state):
    """Add to .grad those of the mean loss on x, y (n, B), cut every k.

    -> the state after them, detached.
    """
    for start in range(0, len(x), k):
        logits, state = model(x[start : start + k], state)
        wanted = y[start : start + k].flatten()
        loss = cross_entropy(logits.flatten(0, 1), wanted)
        (loss * k / len(x)).backward()
        state = state.detach()
    return state


@torch.no_grad()
def bits_per_character(model, ids):
    """One stream from the zero state on, its state carried to the end."""
    logits, _ = model(ids[:-1, None], None)
    return cross_entropy(logits[:, 0], ids[1:]).item() / math.log(2)


def language_model(schedule, rate, seed, seen, held_out, V):
    """Train one model -> bits per character of both, updates, seconds."""
    started = time.process_time()
    k, every = SCHEDULES[schedule]
    model = seeded(seed, lambda: CharacterModel(V, TEXT["H"]))
    adam = torch.optim.Adam(model.parameters(), rate, fused=True)
    x, y = streams(seen, TEXT["B"], 100)
    updates, bits = 0, []
    for _ in range(TEXT["passes"]):
        state = None
        for start in range(0, len(x), every):
            here = slice(start, start + every)
            adam.zero_grad()
            state = chunk_gradients(model, x[here], y[here], k, state)
            nn.utils.clip_grad_norm_(model.parameters(), TEXT["clip"])
            adam.step()
            updates += 1
        bits.append(round(bits_per_character(model, held_out), 4))
    return {
        "seed": seed,
        "rate": rate,
        "bits": bits[-1],
        "updates": updates,
        "seconds": round(time.process_time() - started, 1),
        "after_each_pass": bits,
    }


def best_rate(trials):
    """{rate: runs} -> the rate with the fewest bits per character."""
    return min(trials, key=lambda rate: sum(r["bits"] for r in trials[rate]))


def study(tell):
    """-> "hold" {case: {cell: runs}}, "text" {schedule: runs}, and of the
    text its "tuning" {schedule: {rate: runs}} and "corpus".

    On one thread; `tell` is called with a line for every run.
    """
    torch.set_num_threads(1)
    held = {case: {} for case in CASES}
    for case in CASES:
        for cell in CELLS:
            if cell.startswith("RNN") and case not in CONTROLS:
                continue
            seeds = SEEDS["luck" if case in LUCK else "hold"]
            held[case][cell] = [hold(case, cell, seed) for seed in seeds]
            tell(f"{case}, {cell}: {held[case][cell]}")
    text = manual()
    seen, held_out, V = split_ids(text)

    def runs(name, rate, seeds):
        done = []
        for seed in seeds:
            run = language_model(name, rate, seed, seen, held_out, V)
            done.append(run)
            tell(f"{name}: {run}")
        return done

    written, tuning = {}, {}
    for name in SCHEDULES:
        trials = {rate: runs(name, rate, SEEDS["tuning"]) for rate in RATES}
        tuning[name] = trials
        written[name] = runs(name, best_rate(trials), SEEDS["text"])
    corpus = {
        "characters": len(text),
        "trained_on": streams(seen, TEXT["B"], 100)[0].numel(),
        "held_out": len(held_out),
        "different": V,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "unigram_bits": round(unigram_bits(seen, held_out, V), 4),
    }
    return {
        "hold": held,
        "text": written,
        "tuning": tuning,
        "corpus": corpus,
    }


def untrained(cell, seed, steps=(5, T), size=1000):
    """-> {step: how often a linear reader of an untrained state is right}.

    Fitted by least squares on `size` examples, tried on as many others.
    """
    model = seeded(seed, lambda: build(cell))
    generator = torch.Generator().manual_seed(2 * 10**6 + seed)
    x, bits = hold_bit(generator, 2 * size, max(steps))
    signs = (2 * bits - 1)[:, None].double()
    with torch.no_grad():
        h, _ = model["cell"](x)
    fractions = {}
    for t in steps:
        read = torch.nn.functional.pad(h[t - 1], (0, 1), value=1.0).double()
        fit = torch.linalg.lstsq(read[:size], signs[:size]).solution
        right = (read[size:] @ fit) * signs[size:] > 0
        fractions[t] = right.double().mean().item()
    return fractions


def results():
    """Of the last study, for every case a list over the seeds.

    "hold" {case: {cell: {step: accuracies}, and "held": how many reach
    HELD at every step of READ, "of": how many there are}}}; "text"
    {schedule: "bits", "rate", "updates", "seconds"}; "corpus". Measured
    here: "untrained" {cell: {step: accuracies of a linear reader}}.
    """
    found = load_study("truncation_study")["results"]
    held = {}
    for case, cells in found["hold"].items():
        held[case] = {}
        for cell, runs in cells.items():
            columns = {t: [run[str(t)] for run in runs] for t in READ}
            lowest = map(min, zip(*columns.values(), strict=True))
            count = sum(fraction >= HELD for fraction in lowest)
            held[case][cell] = {**columns, "held": count, "of": len(runs)}
    written = {
        name: {
            "bits": [run["bits"] for run in runs],
            "rate": runs[0]["rate"],
            "updates": runs[0]["updates"],
            "seconds": [run["seconds"] for run in runs],
        }
        for name, runs in found["text"].items()
    }
    traces = {}
    for cell in CELLS:
        runs = [untrained(cell, seed) for seed in SEEDS["luck"]]
        traces[cell] = {t: [run[t] for run in runs] for t in runs[0]}
    return {
        "hold": held,
        "text": written,
        "corpus": found["corpus"],
        "untrained": traces,
    }


def figure():
    """One panel a step, one row a case: every seed, and their median.

    Of ten seeds the lower of the two in the middle.
    """
    held = load_study("truncation_study")["results"]["hold"]
    labels = {
        "full": "at the end,\n$k = 50$",
        "end carried": "at the end,\n$k = 5$",
        "end reset": "at the end,\n$k = 5$, reset",
        "dense": "at every step,\n$k = 5$",
        "control": "from step 6,\n$k = 5$",
        "control full": "from step 6,\n$k = 50$",
    }
    looks = {
        "RNN": (colour("h"), "o"),
        "RNN orthogonal": (colour("keep"), "D"),
        "LSTM b_f = 1": (colour("c"), "s"),
        "LSTM b_f = 3": (colour("write"), "^"),
    }
    names = {
        "RNN orthogonal": "RNN, $W_{hh} = Q$",
        "LSTM b_f = 1": "LSTM, $b_f = 1$",
        "LSTM b_f = 3": "LSTM, $b_f = 3$",
    }
    height = 4.2 if palette.narrow else 3.2
    fig, axes = plt.subplots(
        1, len(READ), figsize=size(height), sharey=True, layout="constrained"
    )
    for ax, t in zip(axes, READ, strict=True):
        ax.axvline(0.5, color=colour("muted"), linestyle="--", linewidth=0.8)
        for row, case in enumerate(labels):
            for cell, runs in held[case].items():
                shade, marker = looks[cell]
                y = row + 0.22 * (list(CELLS).index(cell) - 1.5)
                x = [run[str(t)] for run in runs]
                rows = y + np.linspace(-0.07, 0.07, len(x))
                ax.plot(x, rows, marker, color=shade, alpha=0.35, ms=4, mew=0)
                middle = np.quantile(x, 0.5, method="lower")
                ax.vlines(middle, y - 0.11, y + 0.11, color=shade, lw=2.5)
        ax.set(xlim=(-0.04, 1.04), xlabel=f"at step {t}")
        ax.set_xticks([0, 0.5, 1], ["0", "chance", "1"])
        for row in range(1, len(labels)):
            ax.axhline(row - 0.5, color=colour("muted"), lw=0.4, alpha=0.5)
    axes[0].set_ylabel("where the loss is read")
    axes[0].set_yticks(range(len(labels)), labels.values())
    axes[0].invert_yaxis()
    fig.supxlabel("accuracy", fontsize="medium")
    handles = [
        Line2D(
            [], [], color=shade, marker=marker, ls="", label=names.get(n, n)
        )
        for n, (shade, marker) in looks.items()
    ]
    columns = 2 if palette.narrow else 4
    fig.legend(handles=handles, loc="outside upper center", ncols=columns)
    return fig
