"""What truncated backpropagation costs: one language model, three k.

The text is Python's reference manual as help() of Python 3.11.7 prints it.
Each schedule gets its own learning rate, the better of two on another seed.
"""

import hashlib
import math
from collections import Counter

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from bookproof.run.records import crossed, select
from seqbook.text import help_topics
from seqbook.torch_models import seeded

H, B, PASSES, CLIP = 64, 32, 4, 1.0
RATES = [3e-3, 1e-2]
SEEDS, TUNING = [0, 1, 2, 3, 4], [100]
SCHEDULES = {  # name: k, and characters between two updates
    "k = 5": (5, 5),
    "k = 20": (20, 20),
    "k = 100": (100, 100),
    "k = 5, as many updates": (5, 100),
    "k = 20, as many updates": (20, 100),
}


def jobs(done):
    yield {"row": "corpus", "rate": None, "seed": None}
    for row in SCHEDULES:
        yield from crossed(row=row, rate=RATES, seed=TUNING)
        yield from crossed(row=row, rate=tuned(done, row), seed=SEEDS)


def run(row, rate, seed):
    """Train one model -> bits per character of what is held out, updates."""
    text = manual()
    seen, held_out, V = split_ids(text)
    if row == "corpus":
        return corpus(text, seen, held_out, V)
    k, every = SCHEDULES[row]
    model = seeded(seed, lambda: CharacterModel(V, H))
    adam = torch.optim.Adam(model.parameters(), rate, fused=True)
    x, y = streams(seen, B, 100)
    updates, bits = 0, []
    for _ in range(PASSES):
        state = None
        for start in range(0, len(x), every):
            here = slice(start, start + every)
            adam.zero_grad()
            state = chunk_gradients(model, x[here], y[here], k, state)
            nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            adam.step()
            updates += 1
        bits.append(round(bits_per_character(model, held_out), 4))
    return {"bits": bits[-1], "updates": updates, "after_each_pass": bits}


def tuned(done, row):
    """-> [rate with the fewest bits], [] before all are tried."""

    def merit(rate):
        return sum(run["bits"] for run in trials[rate])

    trials = {
        rate: select(done, row=row, rate=rate, seed=TUNING) for rate in RATES
    }
    complete = all(len(tries) == len(TUNING) for tries in trials.values())
    return [min(trials, key=merit)] if complete else []


# --- The text ---------------------------------------------------------------


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


def corpus(text, seen, held_out, V):
    """What the text is that the models read, and what it costs to guess."""
    return {
        "characters": len(text),
        "trained_on": streams(seen, B, 100)[0].numel(),
        "held_out": len(held_out),
        "different": V,
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "unigram_bits": round(unigram_bits(seen, held_out, V), 4),
    }


# --- The model --------------------------------------------------------------


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
