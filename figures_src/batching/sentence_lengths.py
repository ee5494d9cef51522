"""How long the sentences of a real text are, beside a log-normal stand-in.

For docs/en/batching.md. The text is Python's reference manual, as help()
of Python 3.11.7 prints it; it lies beside the library.
"""

import math
import re
from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import note
from seqbook.text import help_topics, words

SENTENCE = re.compile(  # a capital, then up to a full stop before a space
    r"[A-Z“\"][^.!?]*(?:[.!?](?!\s|$)[^.!?]*)*[.!?](?=\s|$)"
)
MEDIAN, P99, DRAWS = 20, 80, 20_000  # of the stand-in
WIDEST = 120  # words, as far as the axis goes


@cache
def sentences():
    """-> the different sentences, each a list of words; marks are words."""
    found = {}  # a dictionary keeps the order and drops repetitions
    for text in help_topics().values():
        for paragraph in re.split(r"\n\s*\n", text):
            for sentence in SENTENCE.findall(" ".join(paragraph.split())):
                found[sentence] = words(sentence)
    return list(found.values())


def lengths():
    """-> words (n,) of every sentence."""
    return np.array([len(sentence) for sentence in sentences()])


def stand_in(seed):
    """-> 20 000 lengths, log-normal: median 20, 99th percentile 80."""
    sigma = math.log(P99 / MEDIAN) / 2.3263  # the normal's 99th percentile
    rng = np.random.default_rng(seed)
    drawn = rng.lognormal(math.log(MEDIAN), sigma, DRAWS)
    return np.maximum(np.round(drawn), 1).astype(int)


def results():
    """Median, 99th percentile, longest, and waste of one wide rectangle."""
    n = lengths()
    return {
        "sentences": len(n),
        "median": float(np.median(n)),
        "p99": float(np.percentile(n, 99)),
        "longest": int(n.max()),
        "waste": float(1 - n.mean() / n.max()),
        "stand_in_waste": [
            float(1 - m.mean() / m.max()) for m in map(stand_in, range(5))
        ],
    }


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(2.9))
    n, drawn, ink = lengths(), stand_in(0), look.colour("ink")
    edges = np.arange(0, WIDEST + 1, 4) + 0.5
    share = 100 / len(n) * np.histogram(n, edges)[0]
    bars = {"color": look.colour("x"), "alpha": 0.45, "linewidth": 0}
    ax.bar(edges[:-1], share, np.diff(edges), align="edge", **bars)
    copy = 100 / len(drawn) * np.histogram(drawn, edges)[0]
    middles = (edges[:-1] + edges[1:]) / 2
    ax.plot(middles, copy, **look.line("h") | {"color": ink})
    k = np.searchsorted(middles, 30)
    note(ax, "log-normal stand-in", (middles[k], copy[k]), (7, 4))
    for value, height, name in (
        (np.median(n), 17, "half are shorter"),
        (np.percentile(n, 99), 4, "one in a hundred\nis longer"),
    ):
        ax.plot([value] * 2, [0, height], color=ink, lw=1, ls=":")
        note(ax, name, (value, height), (5, 0), va="top")
    ax.set(xlim=(0, WIDEST), ylim=(0, 17.5), yticks=[0, 5, 10, 15])
    ax.set(xlabel="words in a sentence", ylabel="% of sentences")
    return fig
