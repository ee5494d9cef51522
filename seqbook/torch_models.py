"""The models the book trains for real, built from `torch.nn`.

Chapters: docs/en/lstm.md, docs/en/vanishing_gradients.md. `torch.nn` keeps
two bias vectors a layer, and in a gate only their sum acts, so a setter here
writes one and zeroes the other. Blocks of rows: i f g o (LSTM), r z n (GRU).
"""

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, one_hot


class LastStepClassifier(nn.Module):
    """ids (T, B) int -> logits (B, K), read from the last hidden state.

    `cell` is an nn.RNN, nn.LSTM or nn.GRU, time first; its input size is
    the number of different ids, which it sees one-hot.
    """

    def __init__(self, cell, K: int):
        super().__init__()
        self.cell = cell
        self.readout = nn.Linear(cell.hidden_size, K)

    def forward(self, ids):
        x = one_hot(ids, self.cell.input_size).float()  # (T, B, D)
        h, _ = self.cell(x)  # (T, B, H)
        return self.readout(h[-1])


def seeded(seed: int, build):
    """-> build(), with torch's own initialisation drawn from `seed`.

    torch.nn draws from the global generator; its state is put back after.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return build()


@torch.no_grad()
def set_gate_bias(cell, block: int, value: float):
    """Make the bias of one block of H rows `value`, in every layer, in place.

    torch adds bias_ih and bias_hh: filling both would double the value.
    """
    rows = slice(block * cell.hidden_size, (block + 1) * cell.hidden_size)
    for name, bias in cell.named_parameters():
        if name.startswith("bias_ih"):
            bias[rows] = value
        elif name.startswith("bias_hh"):
            bias[rows] = 0


def set_forget_bias(lstm: nn.LSTM, b_f: float):
    """Forget gates of sigmoid(b_f) at zero input and state: > 0 remembers."""
    set_gate_bias(lstm, 1, b_f)  # i | f | g | o


def set_update_bias(gru: nn.GRU, b_z: float):
    """Update gates by the book's b_z: z = 1 overwrites, so < 0 remembers.

    torch's z keeps, hence its bias is -b_z (docs/en/conventions.md).
    """
    set_gate_bias(gru, 1, -b_z)  # r | z | n


def set_orthogonal(rnn: nn.RNN, gain: float, generator: torch.Generator):
    """Make every W_hh a random orthogonal matrix times `gain`, in place.

    All its singular values are then equal to `gain`.
    """
    for name, weight in rnn.named_parameters():
        if name.startswith("weight_hh"):
            nn.init.orthogonal_(weight, gain, generator=generator)


@torch.no_grad()
def accuracy(model, ids, targets):
    """ids (T, B), targets (B,), NumPy -> fraction of B predicted right."""
    predicted = model(torch.from_numpy(ids)).argmax(dim=1).numpy()
    return float(np.mean(predicted == targets))


def train_until(model, draw, goal=0.99, limit=1500, B=64, lr=3e-3, clip=1.0):
    """Adam on fresh batches until `goal` -> iterations done, accuracy.

    draw(B) -> ids (T, B), targets (B,), NumPy. Every 10 iterations the
    accuracy is measured on 256 fresh examples; training ends there or at
    `limit`. The gradient is clipped by its norm over all parameters.
    """
    adam = torch.optim.Adam(model.parameters(), lr)
    reached = 0.0
    for iteration in range(1, limit + 1):
        ids, targets = map(torch.from_numpy, draw(B))
        adam.zero_grad()
        cross_entropy(model(ids), targets).backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        adam.step()
        if iteration % 10 == 0 or iteration == limit:
            reached = accuracy(model, *draw(256))
            if reached >= goal:
                break
    return iteration, reached
