"""Who can tag a word that the word two steps later decides.

For docs/en/deep_bidirectional.md: six nets of the same cell, trained alike. A
net that reads chunks of C steps and R ahead sees the deciding word of the
first C + R - k words of each chunk; the tags of the others it has to guess.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, one_hot

from seqbook.grammars import tagging, tagging_baseline
from seqbook.torch_models import seeded

T, K, C, H, B, UPDATES, RATE = 12, 2, 4, 16, 32, 200, 1e-2
SEEDS, TESTED = range(5), 2000
NETS = {  # name: what it reads; a number is the look-ahead of its chunks
    "one way": "right",
    "chunks of 4, 0 ahead": 0,
    "chunks of 4, 1 ahead": 1,
    "chunks of 4, 2 ahead": 2,
    "both ways": "both",
    "one way, answers 2 later": "late",
}


class Tagger(nn.Module):
    """Words (T + K, B) -> logits (T, B, V), one for each of T words."""

    def __init__(self, reads, V=2):
        super().__init__()
        self.reads = reads
        self.right = nn.RNN(4, H)
        self.left = None if reads in ("right", "late") else nn.RNN(4, H)
        self.readout = nn.Linear(H if self.left is None else 2 * H, V)

    def forward(self, words):
        x = one_hot(words, 4).float()
        h, _ = self.right(x)
        if self.left:
            h = torch.cat([h[:T], self.read_left(x)[:T]], dim=-1)
        return self.readout(h[K:] if self.reads == "late" else h[:T])

    def read_left(self, x):
        """From the end of everything, or of each chunk and what is ahead."""
        if self.reads == "both":
            return self.left(x.flip(0))[0].flip(0)
        windows = [x[t : t + C + self.reads] for t in range(0, T, C)]
        turned = torch.cat(windows, dim=1).flip(0)  # side by side
        h = self.left(turned)[0].flip(0)[:C]
        return torch.cat(h.split(x.shape[1], dim=1))


def trained(net, seed, targets_of):
    """Train a net -> logits (T, n, V), targets (T, n) of fresh words.

    targets_of(words, tags), both (T + K, n), -> what to say, (T, n).
    """
    rng = np.random.default_rng(seed)
    adam = torch.optim.Adam(net.parameters(), RATE)

    def draw(size):
        words, tags, _ = tagging(rng, size, T, K)
        both = torch.from_numpy(words), torch.from_numpy(tags)
        return net(both[0]), targets_of(*both)

    for _ in range(UPDATES):
        logits, targets = draw(B)
        adam.zero_grad()
        cross_entropy(logits.flatten(0, 1), targets.flatten()).backward()
        adam.step()
    with torch.no_grad():
        return draw(TESTED)


def accuracy_of(reads, seed):
    """Fraction of tags that one net gets right."""
    net = seeded(seed, lambda: Tagger(reads))
    logits, tags = trained(net, seed, lambda words, tags: tags[:T])
    return float((logits.argmax(dim=-1) == tags).float().mean())


def next_word_loss(reads, seed):
    """Nats a word of a net that is asked for the word after each one."""
    net = seeded(seed, lambda: Tagger(reads, V=4))
    found = trained(net, seed, lambda words, tags: words[1 : T + 1])
    return float(cross_entropy(*(a.flatten(0, 1) for a in found)))


def best_of(reads):
    """Accuracy that no tagger which reads so can beat."""
    guessed, _ = tagging_baseline()
    if reads == "right":
        return guessed
    seen = 1.0 if reads in ("both", "late") else (C + reads - K) / C
    return seen + (1 - seen) * guessed


@cache
def results():
    """ "tags": {net: accuracies, the best possible}, "next word": {net: nats}.

    The words are drawn at random: nobody can know the next one.
    """
    torch.set_num_threads(1)
    return {
        "tags": {
            name: {
                "accuracy": [accuracy_of(reads, seed) for seed in SEEDS],
                "best": best_of(reads),
            }
            for name, reads in NETS.items()
        },
        "next word": {
            name: [next_word_loss(NETS[name], seed) for seed in SEEDS]
            for name in ("one way", "both ways")
        },
    }


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(2.9))
    for y, net in enumerate(results()["tags"].values()):
        best, found = net["best"], net["accuracy"]
        ax.vlines(best, y - 0.36, y + 0.36, color=look.colour("ink"), lw=1.2)
        spread = y + np.linspace(-0.22, 0.22, len(found))
        dots = {"color": look.colour("h"), "ms": 4.5, "mew": 0, "alpha": 0.75}
        ax.plot(found, spread, "o", **dots)
    names, ticks = list(NETS), np.arange(0.75, 1.01, 0.05)
    if look.narrow:
        names = [name.replace(", ", ",\n") for name in names]
        ticks = [0.75, 0.875, 1]
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlim=(0.7, 1.02), xlabel="tags right", xticks=ticks)
    ax.grid(axis="x")
    return fig
