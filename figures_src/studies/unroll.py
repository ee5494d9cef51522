"""A small RNN learns to read reviews whose verdict hangs on a far word.

A review names a thing, talks of something else and ends "it was
(un)predictable": praise for a story, blame for a car. Six tanh units read it
word by word, one-hot; the answer is P(praise) = sigmoid(W_hy h_T + b_y).
"""

from dataclasses import dataclass

import numpy as np

from bookproof.run.records import crossed
from seqbook.functional import (
    linear,
    linear_backward,
    mean_cross_entropy_backward,
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
THINGS = [*STORIES, *MACHINES]


def jobs(done):
    yield from crossed(row="trained", seed=SEEDS)
    yield {"row": "default", "seed": 0}


def run(row, seed):
    """Five readers before and after; one as PyTorch would start it."""
    if row == "default":
        rng = np.random.default_rng(seed)
        return {"start": as_lists(init_reader(rng, gain=None))}
    first, last = trained(seed)
    return {
        "start": as_lists(first),
        "trained": as_lists(last),
        "accuracy": accuracy(last, seed),
    }


# --- The task ---------------------------------------------------------------


def late(clauses):
    """Words to choose from at each step, the verdict last; T = 5 clauses + 5.

    Between the thing and "it" lie 5 clauses words.
    """
    between = sum([RELATIVE, *clauses_in_turn(clauses - 1)], [])
    return [["the"], THINGS, *between, ["it"], ["was"], [*VERDICTS]]


def early(clauses):
    """The same with the verdict at once; T = 5 clauses + 5 again."""
    after = sum(clauses_in_turn(clauses), [])
    return [["the"], THINGS, ["was"], [*VERDICTS], [","], *after]


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


# --- The reader -------------------------------------------------------------


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


def reader_from(weights):
    """What as_lists gave -> Reader."""
    found = {name: np.array(rows) for name, rows in weights.items()}
    readout = found.pop("W_hy"), found.pop("b_y")
    return Reader(RNNParams(**found), *readout)
