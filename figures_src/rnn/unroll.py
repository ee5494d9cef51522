"""A trained RNN reads a review; one word is swapped: how far does it travel?

For docs/en/rnn.md and the lab of the same name. The readers are those of
studies/unroll.py, which says what a review is.

results(), which the lab reads:
    "words"       V words; x_t is one-hot at the word's place in this list
    "groups"      lists of words that may stand for each other; swap within
    "stories", "machines"   praise if a machine is predictable or a story
                  is not; the last word of a review is its verdict
    "sentences"   three reviews as lists of words, of 10, 15 and 25 steps
    "weights"     {"trained", "start", "default"}: {W_xh (H, V), W_hh (H, H),
                  b_h (H,), W_hy (1, H), b_y (1,)}; "start" is where training
                  began, with an orthogonal W_hh, "default" is PyTorch's
                  start and was never trained. h_0 is zero.
    "swap"        {"sentence": 1, "step": 2, "word": "car"}: what figure()
                  shows; steps count from one
    "states"      {weights: one (T, H) list a sentence}, as read
    "swapped"     {weights: (T, H)} of the sentence with that swap
    "praise"      {weights: [as read, swapped]} for that sentence
    "travel"      {"thing", "sibling"}: five lists, one a trained network, of
                  |h_t - h'_t| from the swap on, in sentence 1
    "accuracy"    one a trained network, on reviews of up to 45 words
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from bookproof.run.records import runs
from figures_src.studies.unroll import (
    CLAUSES,
    IDS,
    MACHINES,
    RELATIVE,
    STORIES,
    THINGS,
    VERDICTS,
    WORDS,
    H,
    as_lists,
    read,
    reader_from,
)
from seqbook.functional import sigmoid

GROUPS = [
    THINGS,
    [*VERDICTS],
    *(slot for slot in sum(CLAUSES, RELATIVE) if len(slot) > 1),
]
SENTENCES = [
    "the thriller my sister found yesterday , it was unpredictable",
    "the thriller my sister found yesterday , we were in paris , "
    "it was unpredictable",
    "the car our brother sold once , they were in london , "
    "she had no money , we were in paris , it was predictable",
]
SWAPS = {"thing": (2, "car"), "sibling": (4, "brother")}  # step, word


@cache
def readers(kind):
    """ "start" or "trained" -> five Readers; "default" -> one."""
    row, key = ("default", "start") if kind == "default" else ("trained", kind)
    return [reader_from(run[key]) for run in runs("unroll", row=row)]


def pair(sentence, step, word):
    """A list of words -> ids (T, 2): as it is, and with one word swapped."""
    ids = np.array([IDS[w] for w in sentence])
    both = np.stack([ids, ids], axis=1)
    both[step - 1, 1] = IDS[word]
    return both


def travel(reader, sentence, step, word):
    """-> |h_t - h'_t| (T - step + 1,), from the swapped word on."""
    h, *_ = read(reader, pair(sentence, step, word))
    return np.linalg.norm(h[step - 1 :, 0] - h[step - 1 :, 1], axis=1)


def results():
    kinds = "trained", "start", "default"
    sentences = [sentence.split() for sentence in SENTENCES]
    step, word = SWAPS["thing"]
    found = {"words": WORDS, "groups": GROUPS, "sentences": sentences}
    found |= {"stories": STORIES, "machines": MACHINES}
    found["swap"] = {"sentence": 1, "step": step, "word": word}
    found |= {name: {} for name in ("weights", "states", "swapped", "praise")}
    for kind in kinds:
        reader = readers(kind)[0]
        found["weights"][kind] = as_lists(reader)
        found["states"][kind] = [
            read(reader, pair(s, 1, s[0]))[0][:, 0].tolist() for s in sentences
        ]
        h, logits, _ = read(reader, pair(sentences[1], step, word))
        found["swapped"][kind] = h[:, 1].tolist()
        found["praise"][kind] = sigmoid(logits).tolist()
    found["travel"] = {
        name: [
            travel(reader, sentences[1], *swap).tolist()
            for reader in readers("trained")
        ]
        for name, swap in SWAPS.items()
    }
    trained = runs("unroll", row="trained")
    found["accuracy"] = [run["accuracy"] for run in trained]
    return found


def figure(look):
    """The states as bars, a row a unit; below, how far two swaps travel."""
    sentence = SENTENCES[1].split()
    size, heights = look.size(4.6), [1.1, 1]
    fig, (top, low) = plt.subplots(
        2, 1, figsize=size, sharex=True, height_ratios=heights
    )
    draw_states(look, top, sentence)
    draw_travel(look, low, sentence)
    return fig


def draw_states(look, ax, sentence):
    """Of the first reader: bars as it reads, dashes with the thing swapped."""
    steps = np.arange(1, len(sentence) + 1)
    h, *_ = read(readers("trained")[0], pair(sentence, *SWAPS["thing"]))
    width = 5 if look.narrow else 9
    for unit in range(H):
        ax.axhline(unit, color=look.colour("muted"), lw=0.5, alpha=0.6)
        # The axis points down, and bars are lines with a gap after each.
        as_read, swapped = unit - 0.42 * h[:, :, unit].T
        bars = np.stack([np.full_like(as_read, unit), as_read, steps * np.nan])
        style = {"color": look.colour("h"), "solid_capstyle": "butt"}
        ax.plot(np.repeat(steps, 3), bars.T.ravel(), lw=width, **style)
        ink = look.colour("ink")
        ax.plot(steps, swapped, "_", color=ink, ms=width + 3)
    ax.set(ylabel="unit of $h_t$", yticks=range(H), ylim=(H - 0.4, -0.6))
    ax.set_yticklabels(range(1, H + 1))
    ax.tick_params(axis="x", length=0)


def draw_travel(look, ax, sentence):
    """Of all readers: how far the states are apart after either swap."""
    steps = np.arange(1, len(sentence) + 1)
    places = {"thing": ("h", (8, 1.45)), "sibling": ("x", (9, 2e-4))}
    for name, (step, word) in SWAPS.items():
        quantity, at = places[name]
        style, after = look.line(quantity), steps[step - 1 :]
        apart = [travel(r, sentence, step, word) for r in readers("trained")]
        for one in apart:
            ax.plot(after, one, **style | {"linewidth": 0.7, "alpha": 0.5})
        ax.plot(after, apart[0], **style, marker="o", ms=3.5)
        words = f"{sentence[step - 1]} → {word}"
        place = {"ha": "center", "va": "top", "color": style["color"]}
        ax.annotate(words, at, **place)
    ax.set(yscale="log", ylim=(3e-5, 12), ylabel="$|h_t - h'_t|$ (log)")
    ax.set_xticks(steps, sentence, rotation=60, ha="right", va="top")
    ax.tick_params(axis="x", length=0, pad=1)
    ax.set_yticks([1e-4, 1e-2, 1])
    ax.minorticks_off()
