"""What the states of many reviews still tell apart, step by step.

For docs/en/rnn.md. The trained readers of studies/unroll.py read five
hundred reviews of fifteen steps. At four steps the states of the first
reader are seen in the two directions in which they vary most.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import note
from figures_src.rnn.unroll import readers
from figures_src.studies.unroll import IDS, SEEDS, late, read, reviews

CLAUSES, REVIEWS = 2, 500
STEPS = {2: "the thing", 4: "who found it", 14: "it was", 15: "the verdict"}
MARKS = {  # word: quantity whose colour it has, marker
    "thriller": ("h", "o"),
    "novel": ("h", "D"),
    "car": ("keep", "^"),
    "train": ("keep", "v"),
}


@cache
def states(seed):
    """-> h (T, REVIEWS, H), which thing (REVIEWS,), praise (REVIEWS,)."""
    rng = np.random.default_rng(seed)
    ids, praise = reviews(rng, REVIEWS, late(CLAUSES))
    things = np.array([IDS[word] for word in MARKS])
    return (
        read(readers("trained")[seed], ids)[0],
        ids[1] == things[:, None],
        praise,
    )


def flat(h):
    """h (B, H) -> (B, 2), centred, in the directions of largest variance."""
    h = h - h.mean(axis=0)
    return h @ np.linalg.svd(h, full_matrices=False)[2][:2].T


def explained(h, groups):
    """Share of the variance of h (B, H) that is between groups (G, B)."""
    middle = h.mean(axis=0)
    parts = [
        g.sum() * (h[g].mean(axis=0) - middle) ** 2 for g in groups if g.any()
    ]
    return float(np.sum(parts) / np.sum((h - middle) ** 2))


def results():
    """For each step drawn and seed: share of variance between the kinds,
    between two things of a kind, and between the answers."""
    table = {"reviews": REVIEWS, "steps": {}}
    for step in STEPS:
        rows = {"kind": [], "thing": [], "answer": []}
        for seed in SEEDS:
            h, things, praise = states(seed)
            kinds = things[:2].any(axis=0), things[2:].any(axis=0)
            kind = explained(h[step - 1], kinds)
            rows["kind"].append(kind)
            rows["thing"].append(explained(h[step - 1], things) - kind)
            answers = praise == 0, praise == 1
            rows["answer"].append(explained(h[step - 1], answers))
        table["steps"][step] = rows
    return table


def figure(look):
    shape, size = ((2, 2) if look.narrow else (1, 4)), look.size(2.1, 4.32)
    fig, axes = plt.subplots(*shape, figsize=size, sharex=True, sharey=True)
    h, things, praise = states(0)
    for ax, (step, name) in zip(axes.flat, STEPS.items(), strict=True):
        points = flat(h[step - 1])
        points *= np.sign(points[things[2]].mean(axis=0))  # cars to the right
        for chosen, (word, (quantity, marker)) in zip(
            things, MARKS.items(), strict=True
        ):
            seen = np.unique(points[chosen].round(1), axis=0)
            shade, hollow = look.colour(quantity), word in ("novel", "train")
            mark = {"ms": 5, "mew": 1, "mfc": "none" if hollow else shade}
            ax.plot(*seen.T, marker, color=shade, **mark)
        if step == 2:
            name_the_things(look, ax, points, things)
        if step == 15:
            name_the_answers(ax, points, praise)
        ax.annotate(name, (0.5, 1.03), xycoords="axes fraction", ha="center")
        ax.set(xticks=[], yticks=[], xlim=(-3.2, 3.2), ylim=(-3.2, 3.2))
        ax.set(aspect="equal")
        ax.spines[["top", "right"]].set_visible(True)
    return fig


def name_the_things(look, ax, points, things):
    """Each thing's word beside the first of its states."""
    for chosen, (word, (quantity, _)) in zip(
        things, MARKS.items(), strict=True
    ):
        x, y = points[chosen][0]
        above = word in ("thriller", "car")
        shift, va = ((0, 7), "bottom") if above else ((0, -7), "top")
        style = {"ha": "right" if x < 0 else "left", "va": va}
        note(ax, word, (x, y), shift, color=look.colour(quantity), **style)


def name_the_answers(ax, points, praise):
    """A word beside each of the places where one answer's reviews end."""
    for answer, word in enumerate(["blame", "praise"]):
        for x, y in np.unique(points[praise == answer].round(0), axis=0):
            note(ax, word, (x, y), (8, 6 if y > 0 else -8), va="center")
