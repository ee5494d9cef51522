"""Three sequences in T slots: what is padded, what is cut, what it does.

For docs/en/batching.md and the lab of the same name. Row b shows the first
lengths[b] of its readings; a slot left over holds PADDING, a reading beyond
the slots is overflow and is lost. One unit reads each row, h_t =
tanh(w h_{t-1} + u x_t + b) from h_0 = 0. "naive" is what one gets from all
T slots, "valid" from the real ones alone: the mean of the readings, and the
last state, which naively goes on reading the padding. Lengths go from 1 to 12:
an empty sequence has neither a mean nor a last state.
"""

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.squares import slot, slot_text
from seqbook.batching import last_valid, masked_mean, truncate
from seqbook.checks import valid_steps
from seqbook.rnn import RNNParams, rnn_forward

READINGS = (  # as many as a row can be asked for, each from 0.6 to 0.9
    (0.8, 0.6, 0.7, 0.9, 0.6, 0.8, 0.7, 0.9, 0.8, 0.6, 0.7, 0.8),
    (0.7, 0.9, 0.8, 0.6, 0.9, 0.7, 0.8, 0.6, 0.9, 0.7, 0.8, 0.6),
    (0.9, 0.7, 0.6, 0.8, 0.7, 0.9, 0.6, 0.8, 0.7, 0.9, 0.6, 0.8),
)
LENGTHS, T, PADDING = (3, 6, 10), 8, 0.0
W, U, BIAS = 0.9, 1.0, -0.3


def bench(lengths=LENGTHS, T=T):
    """lengths (B,) of whole sequences, T slots -> all that the lab shows.

    "overflow" (B,): readings cut off. "mask", "x", "states_naive",
    "states_valid" (B, T): rows are sequences here; a state that has reached
    the end of its sequence is held in "states_valid". "mean_naive",
    "mean_valid", "last_naive", "last_valid" (B,). "batch": the mean of all
    readings over "cells" (T B of them), over "tokens" (the real ones) and
    over "sequences" (the mean of mean_valid). ValueError if a length is 0.
    """
    whole = [r[:n] for r, n in zip(READINGS, lengths, strict=True)]
    kept, overflow = truncate(whole, T)
    real = np.array([len(row) for row in kept])
    mask = valid_steps(real, T, len(kept))  # (T, B)
    x = np.full(mask.shape, PADDING)
    for b, row in enumerate(kept):
        x[: len(row), b] = row
    p = RNNParams(np.array([[U]]), np.array([[W]]), np.array([BIAS]))
    h_0 = np.zeros((len(kept), 1))
    naive, _ = rnn_forward(p, x[..., None], h_0)
    valid, _ = rnn_forward(p, x[..., None], h_0, real)
    mean_valid = masked_mean(x[..., None], mask).ravel()
    return {
        "lengths": [len(row) for row in whole],
        "T": T,
        "overflow": overflow.tolist(),
        "mask": mask.T.tolist(),
        "x": x.T.tolist(),
        "states_naive": naive[..., 0].T.tolist(),
        "states_valid": valid[..., 0].T.tolist(),
        "mean_naive": x.mean(axis=0).tolist(),
        "mean_valid": mean_valid.tolist(),
        "last_naive": naive[-1].ravel().tolist(),
        "last_valid": last_valid(naive, real).ravel().tolist(),
        "batch": {
            "cells": float(x.mean()),
            "tokens": float(x[mask].mean()),
            "sequences": float(mean_valid.mean()),
        },
    }


def results():
    """The bench as drawn, and all that computes another: readings, w, u, b."""
    cell = {"w": W, "u": U, "b": BIAS, "padding": PADDING}
    return bench() | {"readings": [list(r) for r in READINGS]} | cell


def figure(look):
    found = bench()
    ratio = {"width_ratios": [2.6, 1, 1]}
    if look.narrow:
        ratio = {"height_ratios": [1.2, 1, 1]}
    fig, (slots, means, lasts) = plt.subplots(
        *look.row(3), figsize=look.size(2.5, phone=4.86), gridspec_kw=ratio
    )
    draw_slots(look, slots, found)
    pairs(look, means, found, "mean", "x")
    pairs(look, lasts, found, "last", "h")
    means.set(xlim=(0, 1), xticks=[0, 0.5, 1], xlabel="mean reading")
    means.set_xticklabels(["0", "0.5", "1"])
    lasts.set(xlim=(-1, 1), xticks=[-1, 0, 1], xlabel="last state")
    zero = {"color": look.colour("muted"), "lw": 0.6, "zorder": 0}
    lasts.axvline(0, clip_on=False, **zero)
    return fig


def draw_slots(look, ax, found):
    """A square a reading; padding is hatched, overflow is dotted."""
    T, most = found["T"], max(max(found["lengths"]), found["T"])
    for b, length in enumerate(found["lengths"]):
        for t in range(max(T, length)):
            draw_slot(look, ax, t, b, t < length, t < T)
    ax.axvline(T + 0.5, color=look.colour("ink"), lw=1.6, clip_on=False)
    ax.text(T + 0.4, -0.62, f"{T} slots", ha="right", va="bottom")
    if most > T:
        ax.text(T + 0.65, -0.62, "overflow", va="bottom", fontsize=9.5)
    ax.set(xlim=(0.4, most + 0.6), ylim=(2.5, -1.1), xlabel="step $t$")
    ax.set_yticks(range(3), [f"length {n}" for n in found["lengths"]])
    ax.tick_params(axis="y", length=0)
    ax.set_xticks(range(1, T + 1))
    ax.spines[["left", "bottom"]].set_visible(False)


def draw_slot(look, ax, t, b, real, inside):
    """The square at step t + 1 of sequence b: a reading or padding."""
    quantity = "x" if inside else "muted"
    dash = "-" if inside else ":"
    text = f"{READINGS[b][t]:.1f}".removeprefix("0") if real else "0"
    slot(look, ax, t + 1, b, 0.88, real, quantity, linestyle=dash)
    slot_text(look, ax, t + 1, b, text, real, quantity)


def pairs(look, ax, found, kind, quantity):
    """A ring for the naive value of each row, a dot for the valid one."""
    naive, valid = (found[f"{kind}_{which}"] for which in ("naive", "valid"))
    colour, rows = look.colour(quantity), range(len(naive))
    whole = {"clip_on": False}  # a clip's name hangs on rounding errors
    ax.hlines(rows, naive, valid, color=colour, lw=1, **whole)
    ring = {"mfc": look.colour("paper"), "mec": colour, "mew": 1.3}
    ax.plot(naive, rows, "o", ms=8, **ring, **whole)
    ax.plot(valid, rows, "o", color=colour, ms=4.5, **whole)
    words = {"va": "bottom", "ha": "center", "fontsize": 9.5}
    ax.text(naive[0], -0.3, "naive", **words)
    ax.text(valid[0], -0.3, "valid" if kind == "last" else "masked", **words)
    ax.set(ylim=(2.5, -1.1), yticks=[])
    if look.narrow:
        ax.set_yticks(rows, [f"length {n}" for n in found["lengths"]])
        ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
