"""How long one training step of each cell takes in PyTorch.

For docs/en/gru.md. The medians of studies/timing.py, on the machine that its
record names.
"""

import matplotlib.pyplot as plt
import numpy as np

from bookproof.run.records import record, runs

LOOKS = {"RNN": ("h", ""), "GRU": ("write", "//"), "LSTM": ("c", "xx")}


def results():
    """Median milliseconds per cell and size, and the machine."""
    medians = {
        str(run["H"]): {
            name: float(np.median(ms))
            for name, ms in run["milliseconds"].items()
        }
        for run in runs("timing")
    }
    machine = record("timing")["made"]["machine"]
    return {"milliseconds": medians, "machine": machine}


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(2.4))
    for i, (H, times) in enumerate(results()["milliseconds"].items()):
        for j, (name, ms) in enumerate(times.items()):
            y, (quantity, hatch) = i * 4 + j, LOOKS[name]
            style = {"color": look.colour(quantity), "hatch": hatch}
            edge = look.colour("paper")
            ax.barh(y, ms, height=0.8, edgecolor=edge, **style)
            ax.text(ms, y, f" {name}, $H = {H}$", va="center", fontsize=9.5)
    ax.set(xlabel="milliseconds for one training step", yticks=[])
    ax.set_xlim(0, 1.35 * ax.get_xlim()[1])
    return fig
