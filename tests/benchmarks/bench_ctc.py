"""Our CTC loss and gradient against torch's on the CPU, one thread, float32.

Run: OMP_NUM_THREADS=1 python -m tests.benchmarks.bench_ctc. Both begin at
the logits and end at their gradient. Prints the ratio of interleaved medians
beside a bound and never fails: a time says as much about the machine.
"""

import numpy as np
import torch
import torch.nn.functional as F

from seqbook.ctc import ctc_loss, ctc_loss_backward
from tests.benchmarks.bounds import medians, row

T, B, V, U = 200, 16, 30, 40  # 2 s of frames of 10 ms, letters
ROUNDS = 15
BOUND = 2.0


def make_runs():
    """Two functions of no argument -> losses (B,), dlogits (T, B, V)."""
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(T, B, V)).astype(np.float32)
    targets = rng.integers(1, V, size=(U, B))
    lengths, target_lengths = np.full(B, T), np.full(B, U)
    leaf = torch.tensor(logits, requires_grad=True)
    rest = torch.tensor(targets.T.copy()), lengths.tolist(), [U] * B

    def ours():
        losses, cache = ctc_loss(logits, targets, lengths, target_lengths)
        return losses, ctc_loss_backward(np.ones(B, np.float32), cache)

    def theirs():
        leaf.grad = None
        losses = F.ctc_loss(F.log_softmax(leaf, -1), *rest, reduction="none")
        losses.sum().backward()
        return losses.detach().numpy(), leaf.grad.numpy()

    for a, b in zip(ours(), theirs(), strict=True):
        gap = np.abs(a - b).max()
        assert gap < 2e-3, gap  # the two must do the same work
    return {"numpy": ours, "torch": theirs}


def main():
    torch.set_num_threads(1)
    took = medians(make_runs(), ROUNDS)
    row(
        "CTC loss and gradient, against torch",
        took["numpy"] / took["torch"],
        BOUND,
    )


if __name__ == "__main__":
    main()
