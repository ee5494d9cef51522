"""Three sentences as one rectangle, its mask, and who reads which cell.

For docs/en/batching.md. Rows are sentences here and steps run to the right;
the arrays of the book have time first.
"""

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from figures_src import palette
from figures_src.palette import colour
from seqbook.batching import pad

TEXTS = "the cat sat", "stop", "rain fell on the roof"
WORDS = {w: i for i, w in enumerate(" ".join(TEXTS).split(), start=4)}


def example():
    """-> ids (T, B), lengths (B,), mask (T, B) of the three sentences."""
    return pad([[WORDS[word] for word in text.split()] for text in TEXTS])


def figure():
    shape, size, ratio = (1, 3), (7.0, 2.1), {"width_ratios": [2.1, 1, 1]}
    if palette.narrow:
        shape, size, ratio = (3, 1), (4.0, 5.4), {}
    fig, axes = plt.subplots(*shape, figsize=size, gridspec_kw=ratio)
    names = "words", "mask", "who reads it"
    for ax, name, draw in zip(axes, names, (word, flag, reader), strict=True):
        grid(ax, draw)
        ax.text(0, -0.6, name, va="bottom", ha="left")
    return fig


def grid(ax, draw):
    """A cell for each step of each sentence, padding hatched."""
    ids, lengths, mask = example()
    T, B = mask.shape
    for b in range(B):
        for t in range(T):
            shade = colour("x" if mask[t, b] else "muted")
            look = {"edgecolor": shade, "facecolor": "none", "linewidth": 1.2}
            if not mask[t, b]:
                look |= {"hatch": "////", "linewidth": 0.5, "alpha": 0.55}
            square = Rectangle((t + 0.05, b - 0.4), 0.9, 0.8, **look)
            ax.add_patch(square).set_clip_on(False)
            draw(ax, t, b, mask[t, b], lengths[b])
    ax.set(xlim=(-0.05, T + 0.05), ylim=(B - 0.5, -1.0), xticks=[], yticks=[])
    for side in "left", "bottom":
        ax.spines[side].set_visible(False)


def write(ax, t, b, text, real):
    paper = {"facecolor": colour("paper"), "edgecolor": "none", "pad": 0.6}
    style = {"ha": "center", "va": "center", "fontsize": 9.5}
    shade = colour("x" if real else "muted")
    box = None if real else paper
    ax.text(t + 0.5, b, text, color=shade, bbox=box, **style)


def word(ax, t, b, real, n):
    write(ax, t, b, TEXTS[b].split()[t] if real else "0", real)


def flag(ax, t, b, real, n):
    write(ax, t, b, "1" if real else "0", real)


def reader(ax, t, b, real, n):
    """A dot where loss and mean read, a ring at the last state."""
    at = t + 0.5, b
    if real:
        ax.plot(*at, "o", color=colour("x"), ms=4, clip_on=False)
    if t == n - 1:
        ring = {"mfc": "none", "mec": colour("h"), "mew": 2}
        ax.plot(*at, "o", ms=11, clip_on=False, **ring)
