"""What truncated backpropagation forbids, and what it does not.

For docs/en/bptt.md. Every seed of studies/truncation.py is drawn; results()
sums up studies/truncation_text.py too.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.lines import Line2D

from bookproof.run.records import runs, select
from figures_src.studies import truncation_text
from figures_src.studies.truncation import (
    CASES,
    CELLS,
    MORE_SEEDS,
    READ,
    T,
    build,
    hold_bit,
)
from seqbook.torch_models import seeded

HELD = 0.95  # accuracy from which we say that the bit was held
LABELS = {
    "full": "at the end,\n$k = 50$",
    "end carried": "at the end,\n$k = 5$",
    "end reset": "at the end,\n$k = 5$, reset",
    "dense": "at every step,\n$k = 5$",
    "control": "from step 6,\n$k = 5$",
    "control full": "from step 6,\n$k = 50$",
}
LOOKS = {  # quantity whose colour it has, marker, name
    "RNN": ("h", "o", "RNN"),
    "RNN orthogonal": ("keep", "D", "RNN, $W_{hh} = Q$"),
    "LSTM b_f = 1": ("c", "s", "LSTM, $b_f = 1$"),
    "LSTM b_f = 3": ("write", "^", "LSTM, $b_f = 3$"),
}


def results():
    """For every case a list over the seeds.

    "hold" {case: {cell: {step: accuracies}, and "held": how many reach
    HELD at every step of READ, "of": how many there are}}}; "text"
    {schedule: "bits", "rate", "updates", "seconds"}; "corpus". Measured
    here: "untrained" {cell: {step: accuracies of a linear reader}}.
    """
    found = runs("truncation")
    held = {case: {} for case in CASES}
    for run in found:
        row = {"case": run["case"], "cell": run["cell"]}
        held[run["case"]][run["cell"]] = summary(select(found, **row))
    (corpus,) = runs("truncation_text", row="corpus")
    for key in "row", "rate", "seed", "seconds":
        del corpus[key]
    schedules = truncation_text.SCHEDULES
    return {
        "hold": held,
        "text": {name: written(name) for name in schedules},
        "corpus": corpus,
        "untrained": {cell: traces(cell) for cell in CELLS},
    }


def summary(found):
    """Runs of one case and cell -> accuracies at each step, and how many."""
    columns = {t: [run[str(t)] for run in found] for t in READ}
    lowest = map(min, zip(*columns.values(), strict=True))
    count = sum(fraction >= HELD for fraction in lowest)
    return {**columns, "held": count, "of": len(found)}


def written(schedule):
    """One schedule -> what its language models reached, and when."""
    seeds = truncation_text.SEEDS
    found = runs("truncation_text", row=schedule, seed=seeds)
    return {
        "bits": [run["bits"] for run in found],
        "rate": found[0]["rate"],
        "updates": found[0]["updates"],
        "seconds": [run["seconds"] for run in found],
    }


def traces(cell):
    found = [untrained(cell, seed) for seed in MORE_SEEDS]
    return {t: [run[t] for run in found] for t in found[0]}


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


def figure(look):
    """One panel a step, one row a case: every seed, and their median.

    Of ten seeds the lower of the two in the middle.
    """
    fig, axes = plt.subplots(
        1,
        len(READ),
        figsize=look.size(4.2 if look.narrow else 3.2),
        sharey=True,
        layout="constrained",
    )
    for ax, t in zip(axes, READ, strict=True):
        panel(look, ax, t)
    axes[0].set_ylabel("where the loss is read")
    axes[0].set_yticks(range(len(LABELS)), LABELS.values())
    axes[0].invert_yaxis()
    fig.supxlabel("accuracy", fontsize="medium")
    handles = []
    for quantity, marker, name in LOOKS.values():
        style = {"color": look.colour(quantity), "marker": marker, "ls": ""}
        handles.append(Line2D([], [], label=name, **style))
    columns = 2 if look.narrow else 4
    fig.legend(handles=handles, loc="outside upper center", ncols=columns)
    return fig


def panel(look, ax, t):
    """The accuracies at one step; the cells of a case share its row."""
    muted, found = look.colour("muted"), runs("truncation")
    ax.axvline(0.5, color=muted, linestyle="--", linewidth=0.8)
    for row, case in enumerate(LABELS):
        for place, cell in enumerate(CELLS):
            seeds = select(found, case=case, cell=cell)
            if seeds:
                y = row + 0.22 * (place - 1.5)
                draw_seeds(look, ax, y, cell, [run[str(t)] for run in seeds])
    ax.set(xlim=(-0.04, 1.04), xlabel=f"at step {t}")
    ax.set_xticks([0, 0.5, 1], ["0", "chance", "1"])
    for row in range(1, len(LABELS)):
        ax.axhline(row - 0.5, color=muted, lw=0.4, alpha=0.5)


def draw_seeds(look, ax, y, cell, x):
    quantity, marker, _ = LOOKS[cell]
    shade, rows = look.colour(quantity), y + np.linspace(-0.07, 0.07, len(x))
    ax.plot(x, rows, marker, color=shade, alpha=0.35, ms=4, mew=0)
    middle = np.quantile(x, 0.5, method="lower")
    ax.vlines(middle, y - 0.11, y + 0.11, color=shade, lw=2.5)
