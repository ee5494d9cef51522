"""Our NumPy LSTM against torch.nn.LSTM on the CPU, one thread, float32.

Run: OMP_NUM_THREADS=1 python -m tests.benchmarks.bench_lstm. Prints ratios
of interleaved medians beside the bounds the project set itself; it never
fails, since a time says as much about the machine as about the code.
"""

import numpy as np
import torch

from seqbook.conventions import to_torch
from seqbook.lstm import init_lstm, lstm_backward, lstm_forward
from seqbook.params import map_params
from tests.benchmarks.bounds import medians, row

T, B, D, H = 100, 32, 128, 256
ROUNDS = 15
BOUNDS = {"forward": 2.5, "forward and backward": 1.6}


def make_runs():
    """Four functions of no argument, by (what, whose)."""
    rng = np.random.default_rng(0)
    p = map_params(np.float32, init_lstm(rng, D, H))
    x = rng.normal(size=(T, B, D)).astype(np.float32)
    dh = rng.normal(size=(T, B, H)).astype(np.float32)
    zero = np.zeros((B, H), np.float32)

    net = torch.nn.LSTM(D, H)
    weights = {n: torch.tensor(a) for n, a in to_torch(p).items()}
    net.load_state_dict(weights)
    x_torch = torch.tensor(x, requires_grad=True)
    dh_torch = torch.tensor(dh)

    def ours():
        return lstm_forward(p, x, zero, zero)

    def ours_both():
        h, c, cache = ours()
        return lstm_backward(p, dh, zero, cache)

    def theirs():
        with torch.no_grad():
            return net(x_torch)

    def theirs_both():
        net.zero_grad()
        x_torch.grad = None
        net(x_torch)[0].backward(dh_torch)

    gap = np.abs(ours()[0] - theirs()[0].numpy()).max()
    assert gap < 1e-5, gap  # the two must do the same work
    return {
        ("forward", "numpy"): ours,
        ("forward", "torch"): theirs,
        ("forward and backward", "numpy"): ours_both,
        ("forward and backward", "torch"): theirs_both,
    }


def main():
    torch.set_num_threads(1)
    took = medians(make_runs(), ROUNDS)
    for what, bound in BOUNDS.items():
        ratio = took[what, "numpy"] / took[what, "torch"]
        row(f"LSTM {what}, against torch", ratio, bound)


if __name__ == "__main__":
    main()
