"""Where the forget gates stand after training, by the bias they began with.

The program of docs/en/training.md, run to its end.
"""

import numpy as np

from bookproof.run.records import crossed
from seqbook.text import topic_sentences
from seqbook.torch_training import Recipe, gates_of, prepare, start, train

SEEDS = [0, 1, 2, 3, 4]
BIASES = [-3.0, 0.0, 1.0, 3.0]
BINS = np.linspace(0, 1, 21)


def jobs(done):
    return crossed(b_f=BIASES, seed=SEEDS)


def run(b_f, seed):
    """-> held-out loss, histograms of f before and after."""
    texts, recipe = (
        prepare(topic_sentences()),
        Recipe(forget_bias=b_f, seed=seed),
    )
    this = start(recipe, len(texts.vocabulary))
    before = histogram(this, texts)
    train(this, texts, recipe.total, tell=lambda line: None)
    return {
        "valid": round(this.looks[-1]["valid"], 4),
        "before": before,
        "after": histogram(this, texts),
    }


def histogram(this, texts):
    """Shares of forget gates in each bin, on the held-out sentences."""
    _, (_, f, _) = gates_of(this.model, *texts.valid)
    counts, _ = np.histogram(f, BINS)
    return [round(float(n), 4) for n in counts / counts.sum()]
