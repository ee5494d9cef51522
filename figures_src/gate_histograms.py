"""Where the forget gates stand after training, by the bias they began with.

For docs/en/training.md. A study: `make studies` runs it. The program of the
chapter, run to its end.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

from bookproof.run.studies import load_study
from figures_src import palette
from seqbook.text import topic_sentences
from seqbook.torch_training import (
    Recipe,
    gates_of,
    prepare,
    start,
    train,
)

SEEDS = [0, 1, 2, 3, 4]
BIASES = [-3.0, 0.0, 1.0, 3.0]
BINS = np.linspace(0, 1, 21)


def histogram(run, texts):
    """Shares of forget gates in each bin, on the held-out sentences."""
    _, (_, f, _) = gates_of(run.model, *texts.valid)
    counts, _ = np.histogram(f, BINS)
    return [round(float(n), 4) for n in counts / counts.sum()]


def study(tell):
    """-> {bias: one dict a seed: held-out loss, histograms of f}."""
    torch.set_num_threads(1)
    texts = prepare(topic_sentences())
    found = {}
    for bias in BIASES:
        found[bias] = []
        for seed in SEEDS:
            recipe = Recipe(forget_bias=bias, seed=seed)
            run = start(recipe, len(texts.vocabulary))
            before = histogram(run, texts)
            train(run, texts, recipe.total, tell=lambda line: None)
            found[bias].append(
                {
                    "valid": round(run.looks[-1]["valid"], 4),
                    "before": before,
                    "after": histogram(run, texts),
                }
            )
            tell(f"b_f = {bias}, seed {seed}: {found[bias][-1]['valid']}")
    return found


def results():
    """{b_f: {"valid", "before", "after", "shut", "open": an entry a seed}}.

    shut and open are the shares of forget gates below 0.05 and above 0.95.
    """
    found = load_study("gate_histograms")["results"]
    summary = {}
    for bias, runs in found.items():
        keys = "valid", "before", "after"
        summary[float(bias)] = {key: [r[key] for r in runs] for key in keys}
        for name, end in ("shut", 0), ("open", -1):
            summary[float(bias)][name] = [r["after"][end] for r in runs]
    return summary


def figure():
    """Histograms of f before and after training, one panel a bias."""
    found = results()
    shape, height = ((2, 2), 5) if palette.narrow else ((1, 4), 2.9)
    fig, axes = plt.subplots(
        *shape, figsize=palette.size(height), sharex=True, sharey=True
    )
    for ax, (bias, runs) in zip(axes.flat, found.items(), strict=True):
        start = np.median(runs["before"], axis=0)
        ax.stairs(start, BINS, color=palette.colour("muted"))
        look = {"color": palette.colour("keep"), "lw": 0.9, "alpha": 0.7}
        for after in runs["after"]:
            ax.stairs(after, BINS, **look)
        low, high = min(runs["valid"]), max(runs["valid"])
        text = f"$b_f = {bias:g}$\n{low:.2f} – {high:.2f} nats"
        ax.annotate(
            text,
            (0.5, 0.96),
            xycoords="axes fraction",
            ha="center",
            va="top",
            fontsize=9,
        )
        ax.set(xlim=(-0.03, 1.03), ylim=(0, 0.75))
        ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    bottom = axes[-1] if palette.narrow else axes
    for ax in bottom:
        ax.set_xlabel("forget gate $f$")
    for ax in axes[:, 0] if palette.narrow else axes[:1]:
        ax.set_ylabel("share")
    return fig
