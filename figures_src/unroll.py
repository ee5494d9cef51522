"""A trained RNN reads a review; one word is swapped: how far does it travel?

For docs/en/rnn.md and the lab of the same name. A review names a thing, talks
of something else and ends "it was (un)predictable": praise for a story, blame
for a car. Six tanh units read it word by word, one-hot; the answer is
P(praise) = sigmoid(W_hy h_T + b_y). A study: `make studies` trains five of
them, and figure() and results() read the weights it wrote.

results(), which the lab reads:
    "words"       V words; x_t is one-hot at the word's place in this list
    "groups"      lists of words that may stand for each other; swap within
    "stories", "machines"   praise if a machine is predictable or a story
                  is not; the last word of a review is its verdict
    "sentences"   three reviews as lists of words, of 10, 15 and 25 steps
    "weights"     {"trained", "start", "default"}: {W_xh (H, V), W_hh (H, H),
                  b_h (H,), W_hy (1, H), b_y (1,)}; "start" is where training
                  began, with an orthogonal W_hh, "default" is PyTorch's
                  start and was never trained. h_0 is zero.
    "swap"        {"sentence": 1, "step": 2, "word": "car"}: what figure()
                  shows; steps count from one
    "states"      {weights: one (T, H) list a sentence}, as read
    "swapped"     {weights: (T, H)} of the sentence with that swap
    "praise"      {weights: [as read, swapped]} for that sentence
    "travel"      {"thing", "sibling"}: five lists, one a trained network, of
                  |h_t - h'_t| from the swap on, in sentence 1
    "accuracy"    one a trained network, on reviews of up to 45 words
"""

from dataclasses import dataclass
from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from bookproof.run.studies import load_study
from figures_src import palette
from figures_src.palette import colour, line
from seqbook.functional import (
    linear,
    linear_backward,
    mean_cross_entropy_backward,
    sigmoid,
)
from seqbook.gradients import clip_global_norm, orthogonal
from seqbook.optim import adam_init, adam_step
from seqbook.rnn import RNNParams, init_rnn, rnn_backward, rnn_forward

SEEDS = [0, 1, 2, 3, 4]
H, B, ITERATIONS, RATE = 6, 64, 2000, 1e-2
STORIES, MACHINES = ("thriller", "novel"), ("car", "train")
VERDICTS = "unpredictable", "predictable"
CHOICES = (
    "my/our sister/brother found/sold yesterday/once ,",
    "we/they were in paris/london ,",
    "he/she had no time/money ,",
)
RELATIVE, *CLAUSES = (
    [slot.split("/") for slot in clause.split()] for clause in CHOICES
)
GROUPS = [
    [*STORIES, *MACHINES],
    [*VERDICTS],
    *(slot for slot in sum(CLAUSES, RELATIVE) if len(slot) > 1),
]
SENTENCES = [
    "the thriller my sister found yesterday , it was unpredictable",
    "the thriller my sister found yesterday , we were in paris , "
    "it was unpredictable",
    "the car our brother sold once , they were in london , "
    "she had no money , we were in paris , it was predictable",
]
SWAPS = {"thing": (2, "car"), "sibling": (4, "brother")}  # step, word


def late(clauses):
    """Words to choose from at each step, the verdict last; T = 5 clauses + 5.

    Between the thing and "it" lie 5 clauses words.
    """
    between = sum([RELATIVE, *clauses_in_turn(clauses - 1)], [])
    return [["the"], GROUPS[0], *between, ["it"], ["was"], [*VERDICTS]]


def early(clauses):
    """The same with the verdict at once; T = 5 clauses + 5 again."""
    after = sum(clauses_in_turn(clauses), [])
    return [["the"], GROUPS[0], ["was"], [*VERDICTS], [","], *after]


def clauses_in_turn(n):
    return [CLAUSES[i % 2] for i in range(n)]


WORDS = sorted({word for slot in late(3) for word in slot})
IDS = {word: i for i, word in enumerate(WORDS)}


def reviews(rng, B, slots):
    """-> ids (T, B), praise (B,) int, 0 or 1; forgotten: a coin toss."""
    choices = [np.array([IDS[w] for w in slot]) for slot in slots]
    ids = np.array([slot[rng.integers(len(slot), size=B)] for slot in choices])
    machine = np.isin(ids, [IDS[w] for w in MACHINES]).any(axis=0)
    predictable = (ids == IDS["predictable"]).any(axis=0)
    return ids, (machine == predictable).astype(int)


@dataclass
class Reader:
    """A cell and what reads its last state."""

    cell: RNNParams
    W_hy: np.ndarray  # (1, H)
    b_y: np.ndarray  # (1,)


def init_reader(rng, gain):
    """-> Reader as PyTorch starts it; W_hh orthogonal times `gain`, if any."""
    reader = Reader(
        init_rnn(rng, len(WORDS), H),
        rng.uniform(-1, 1, (1, H)) / np.sqrt(H),
        np.zeros(1),
    )
    if gain:
        reader.cell.W_hh = gain * orthogonal(rng, H)
    return reader


def read(reader, ids):
    """ids (T, B) -> h (T, B, H), logits of praise (B,), cache."""
    x, h_0 = np.eye(len(WORDS))[ids], np.zeros((ids.shape[1], H))
    h, cache = rnn_forward(reader.cell, x, h_0)
    return h, linear(reader.W_hy, reader.b_y, h[-1])[:, 0], cache


def gradient(reader, ids, praise):
    """Of the mean cross-entropy of the answers -> Reader."""
    h, logit, cache = read(reader, ids)
    pair = np.stack([np.zeros_like(logit), logit], axis=1)  # blame, praise
    dlogit = mean_cross_entropy_backward(pair, praise)[:, 1:]
    dh = np.zeros_like(h)
    dh[-1], *readout = linear_backward(reader.W_hy, h[-1], dlogit)
    _, _, cell = rnn_backward(reader.cell, dh, cache)
    return Reader(cell, *readout)


def trained(seed):
    """-> Reader at its start, Reader after ITERATIONS of Adam."""
    rng = np.random.default_rng(seed)
    first = reader = init_reader(rng, gain=1.0)
    state = adam_init(reader)
    for _ in range(ITERATIONS):
        batch = reviews(rng, B, late(rng.integers(1, 5)))
        grads, _ = clip_global_norm(gradient(reader, *batch), 1.0)
        reader, state = adam_step(reader, grads, state, RATE)
    return first, reader


def accuracy(reader, seed):
    """Share right of 2000 reviews, 250 of each length to 8 clauses."""
    rng = np.random.default_rng(1000 + seed)
    right = []
    for clauses in range(1, 9):
        ids, praise = reviews(rng, 250, late(clauses))
        right.append((read(reader, ids)[1] > 0) == praise)
    return float(np.mean(right))


def as_lists(reader):
    """Reader -> {name: nested lists}, rounded, so that a page can hold it."""
    arrays = vars(reader.cell) | {"W_hy": reader.W_hy, "b_y": reader.b_y}
    return {name: a.round(4).tolist() for name, a in arrays.items()}


def study(tell):
    """-> "readers", five of {"start", "trained"}, "default", "accuracy"."""
    readers, right = [], []
    for seed in SEEDS:
        first, last = trained(seed)
        readers.append({"start": as_lists(first), "trained": as_lists(last)})
        right.append(accuracy(last, seed))
        tell(f"seed {seed}: {right[-1]:.3f} right")
    default = as_lists(init_reader(np.random.default_rng(SEEDS[0]), gain=None))
    return {"readers": readers, "default": default, "accuracy": right}


def reader_from(weights):
    """What as_lists gave -> Reader."""
    found = {name: np.array(rows) for name, rows in weights.items()}
    readout = found.pop("W_hy"), found.pop("b_y")
    return Reader(RNNParams(**found), *readout)


@cache
def readers(kind):
    """ "start" or "trained" -> five Readers; "default" -> one."""
    found = load_study("unroll")["results"]
    if kind == "default":
        return [reader_from(found[kind])]
    return [reader_from(pair[kind]) for pair in found["readers"]]


def pair(sentence, step, word):
    """A list of words -> ids (T, 2): as it is, and with one word swapped."""
    ids = np.array([IDS[w] for w in sentence])
    both = np.stack([ids, ids], axis=1)
    both[step - 1, 1] = IDS[word]
    return both


def travel(reader, sentence, step, word):
    """-> |h_t - h'_t| (T - step + 1,), from the swapped word on."""
    h, *_ = read(reader, pair(sentence, step, word))
    return np.linalg.norm(h[step - 1 :, 0] - h[step - 1 :, 1], axis=1)


def results():
    kinds = "trained", "start", "default"
    sentences = [sentence.split() for sentence in SENTENCES]
    step, word = SWAPS["thing"]
    found = {"words": WORDS, "groups": GROUPS, "sentences": sentences}
    found |= {"stories": STORIES, "machines": MACHINES}
    found["swap"] = {"sentence": 1, "step": step, "word": word}
    found |= {name: {} for name in ("weights", "states", "swapped", "praise")}
    for kind in kinds:
        reader = readers(kind)[0]
        found["weights"][kind] = as_lists(reader)
        found["states"][kind] = [
            read(reader, pair(s, 1, s[0]))[0][:, 0].tolist() for s in sentences
        ]
        h, logits, _ = read(reader, pair(sentences[1], step, word))
        found["swapped"][kind] = h[:, 1].tolist()
        found["praise"][kind] = sigmoid(logits).tolist()
    found["travel"] = {
        name: [
            travel(reader, sentences[1], *swap).tolist()
            for reader in readers("trained")
        ]
        for name, swap in SWAPS.items()
    }
    found["accuracy"] = load_study("unroll")["results"]["accuracy"]
    return found


def figure():
    """The states as bars, a row a unit; below, how far two swaps travel."""
    sentence = SENTENCES[1].split()
    steps = np.arange(1, len(sentence) + 1)
    fig, (top, low) = plt.subplots(
        2, 1, figsize=palette.size(4.6), sharex=True, height_ratios=[1.1, 1]
    )
    h, *_ = read(readers("trained")[0], pair(sentence, *SWAPS["thing"]))
    for unit in range(H):
        top.axhline(unit, color=colour("muted"), lw=0.5, alpha=0.6)
        as_read, swapped = (
            unit - 0.42 * h[:, :, unit].T
        )  # the axis points down
        width = 5 if palette.narrow else 9
        bars = np.stack([np.full_like(as_read, unit), as_read, steps * np.nan])
        top.plot(
            np.repeat(steps, 3),
            bars.T.ravel(),
            color=colour("h"),
            lw=width,
            solid_capstyle="butt",
        )
        top.plot(steps, swapped, "_", color=colour("ink"), ms=width + 3)
    top.set(ylabel="unit of $h_t$", yticks=range(H), ylim=(H - 0.4, -0.6))
    top.set_yticklabels(range(1, H + 1))
    for (name, (step, word)), at in zip(
        SWAPS.items(), ((8, 1.45), (9, 2e-4)), strict=True
    ):
        looks = line("h" if name == "thing" else "x")
        runs = [travel(r, sentence, step, word) for r in readers("trained")]
        for run in runs:
            faint = looks | {"linewidth": 0.7, "alpha": 0.5}
            low.plot(steps[step - 1 :], run, **faint)
        low.plot(steps[step - 1 :], runs[0], **looks, marker="o", ms=3.5)
        low.annotate(
            f"{sentence[step - 1]} → {word}", at, ha="center", va="top",
            color=looks["color"],
        )  # fmt: skip
    low.set(yscale="log", ylim=(3e-5, 12), ylabel="$|h_t - h'_t|$ (log)")
    low.set_xticks(steps, sentence, rotation=60, ha="right", va="top")
    low.tick_params(axis="x", length=0, pad=1)
    top.tick_params(axis="x", length=0)
    low.set_yticks([1e-4, 1e-2, 1])
    low.minorticks_off()
    return fig
