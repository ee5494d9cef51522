"""Three sentences as one rectangle, its mask, and who reads which cell.

For docs/en/batching.md. Rows are sentences here and steps run to the right;
the arrays of the book have time first.
"""

import matplotlib.pyplot as plt

from figures_src.lib.squares import slot, slot_text
from seqbook.batching import pad

TEXTS = "the cat sat", "stop", "rain fell on the roof"
WORDS = {w: i for i, w in enumerate(" ".join(TEXTS).split(), start=4)}


def example():
    """-> ids (T, B), lengths (B,), mask (T, B) of the three sentences."""
    return pad([[WORDS[word] for word in text.split()] for text in TEXTS])


def figure(look):
    ratio = {} if look.narrow else {"width_ratios": [2.1, 1, 1]}
    fig, axes = plt.subplots(
        *look.row(3), figsize=look.size(2.1, phone=5.4), gridspec_kw=ratio
    )
    names = "words", "mask", "who reads it"
    for ax, name, draw in zip(axes, names, (word, flag, reader), strict=True):
        grid(look, ax, draw)
        ax.text(0, -0.6, name, va="bottom", ha="left")
    return fig


def grid(look, ax, draw):
    """A slot for each step of each sentence, padding hatched."""
    ids, lengths, mask = example()
    T, B = mask.shape
    for b in range(B):
        for t in range(T):
            slot(look, ax, t + 0.5, b, 0.9, mask[t, b])
            draw(look, ax, t, b, mask[t, b], lengths[b])
    ax.set(xlim=(-0.05, T + 0.05), ylim=(B - 0.5, -1.0), xticks=[], yticks=[])
    ax.spines[["left", "bottom"]].set_visible(False)


def word(look, ax, t, b, real, n):
    text = TEXTS[b].split()[t] if real else "0"
    slot_text(look, ax, t + 0.5, b, text, real)


def flag(look, ax, t, b, real, n):
    slot_text(look, ax, t + 0.5, b, "1" if real else "0", real)


def reader(look, ax, t, b, real, n):
    """A dot where loss and mean read, a ring at the last state."""
    at = t + 0.5, b
    if real:
        ax.plot(*at, "o", color=look.colour("x"), ms=4, clip_on=False)
    if t == n - 1:
        ring = {"mfc": "none", "mec": look.colour("h"), "mew": 2}
        ax.plot(*at, "o", ms=11, clip_on=False, **ring)
