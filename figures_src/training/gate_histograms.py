"""Where the forget gates stand after training, by the bias they began with.

For docs/en/training.md. Every seed of studies/gate_histograms.py.
"""

import matplotlib.pyplot as plt
import numpy as np

from bookproof.run.records import runs
from figures_src.studies.gate_histograms import BIASES, BINS


def results():
    """{b_f: {"valid", "before", "after", "shut", "open": an entry a seed}}.

    shut and open are the shares of forget gates below 0.05 and above 0.95.
    """
    return {b_f: summary(runs("gate_histograms", b_f=b_f)) for b_f in BIASES}


def summary(found):
    keys = "valid", "before", "after"
    row = {key: [run[key] for run in found] for key in keys}
    for name, end in ("shut", 0), ("open", -1):
        row[name] = [after[end] for after in row["after"]]
    return row


def figure(look):
    """Histograms of f before and after training, one panel a bias."""
    shape = (2, 2) if look.narrow else (1, 4)
    size = look.size(2.9, phone=4.5)
    fig, axes = plt.subplots(*shape, figsize=size, sharex=True, sharey=True)
    for ax, (b_f, row) in zip(axes.flat, results().items(), strict=True):
        start = np.median(row["before"], axis=0)
        ax.stairs(start, BINS, color=look.colour("muted"))
        style = {"color": look.colour("keep"), "lw": 0.9, "alpha": 0.7}
        for after in row["after"]:
            ax.stairs(after, BINS, **style)
        low, high = min(row["valid"]), max(row["valid"])
        text = f"$b_f = {b_f:g}$\n{low:.2f} – {high:.2f} nats"
        place = {"xycoords": "axes fraction", "ha": "center", "va": "top"}
        ax.annotate(text, (0.5, 0.96), fontsize=9, **place)
        ax.set(xlim=(-0.03, 1.03), ylim=(0, 0.75))
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    for ax in axes[-1] if look.narrow else axes:
        ax.set_xlabel("forget gate $f$")
    for ax in axes[:, 0] if look.narrow else axes[:1]:
        ax.set_ylabel("share")
    return fig
