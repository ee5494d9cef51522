"""The gates of a one-unit LSTM, trained, over a sentence of a tiny language.

For docs/en/lstm.md. "yes" and "no" are statements, "um" and "well" say
nothing, "?" asks for the last statement. The net has one unit and answers w
h_t: +1 for yes and -1 for no at a question, and 0 everywhere else. Trained
with the book's own LSTM and Adam, on five seeds.
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.notes import note
from seqbook.lstm import init_lstm, lstm_backward, lstm_forward
from seqbook.optim import adam_init, adam_step

WORDS = "yes", "no", "um", "well", "?"
SEEDS, STEPS, B, T = 5, 600, 64, 20
SENTENCE = "yes um well um ? no um um well ? um yes ?".split()
ONE_HOT = np.eye(len(WORDS))


def sentences(rng, B):
    """-> ids (T, B), answers (T, B): +1, -1, or 0 where nothing is asked."""
    kind = rng.choice(3, p=[0.15, 0.7, 0.15], size=(T, B))
    kind[0] = 0  # begin with a statement
    ids = np.minimum(2 * kind + rng.integers(2, size=(T, B)), 4)
    last, answers = np.zeros(B), np.zeros((T, B))
    for t in range(T):
        last = np.where(kind[t] == 0, 1 - 2 * ids[t], last)
        answers[t] = np.where(kind[t] == 2, last, 0)
    return ids, answers


@cache
def train(seed):
    """-> LSTMParams of one unit, readout w (1,)."""
    rng = np.random.default_rng(seed)
    params = [init_lstm(rng, len(WORDS), 1, forget_bias=1.0), np.ones(1)]
    adam, zero = adam_init(params), np.zeros((B, 1))
    for _ in range(STEPS):
        p, w = params
        ids, answers = sentences(rng, B)
        h, _, cache = lstm_forward(p, ONE_HOT[ids], zero, zero)
        dy = 2 * (h @ w - answers)[..., None] / B  # squared error
        _, _, _, grads = lstm_backward(p, dy * w, zero, cache)
        dw = np.sum(dy * h, axis=(0, 1))
        params, adam = adam_step(params, [grads, dw], adam, lr=0.02)
    return params


def read(seed, ids):
    """ids (T, B) -> dict of i f g o c h and the answer y, (T, B) each."""
    p, w = train(seed)
    zero = np.zeros((ids.shape[1], 1))
    h, c, (_, _, _, gates, _) = lstm_forward(p, ONE_HOT[ids], zero, zero)
    i, f, g, o = np.moveaxis(gates[..., 0], 1, 0)
    found = {"i": i, "f": f, "g": g, "o": o, "c": c[..., 0], "h": h[..., 0]}
    return found | {"y": h @ w}


def drawn():
    """The first seed over SENTENCE: i f g o c h y by name, each (T,)."""
    ids = np.array([WORDS.index(word) for word in SENTENCE])
    return {name: v[:, 0] for name, v in read(0, ids[:, None]).items()}


def results():
    """Per seed: questions answered right, and medians by kind of word.

    And under "drawn" the values that the figure shows, by step.
    """
    ids, answers = sentences(np.random.default_rng(99), 500)
    kinds = {"said": ids < 2, "noise": (ids == 2) | (ids == 3), "?": ids == 4}
    found = {"right": [], **{kind: {} for kind in kinds}}
    for seed in range(SEEDS):
        run = read(seed, ids)
        right = np.sign(run["y"]) == np.sign(answers)
        found["right"].append(float(right[kinds["?"]].mean()))
        run["written"] = np.abs(run["i"] * run["g"])
        for kind, at in kinds.items():
            for name in ("i", "f", "o", "written"):
                values = found[kind].setdefault(name, [])
                values.append(float(np.median(run[name][at])))
    found["drawn"] = {name: v.tolist() for name, v in drawn().items()}
    return found


def figure(look):
    """The first seed over SENTENCE: gates above, cell and output below."""
    run, t = drawn(), np.arange(1, len(SENTENCE) + 1)
    fig, axes = plt.subplots(
        5,
        1,
        figsize=look.size(5.2 if look.narrow else 4.6),
        sharex=True,
        gridspec_kw={"height_ratios": [1, 1, 1, 1, 2]},
    )
    *above, below = axes
    rows = {"f": "keep", "i": "write", "g": "candidate", "o": "show"}
    for ax, (name, quantity) in zip(above, rows.items(), strict=True):
        low = -1 if name == "g" else 0
        ax.vlines(t, 0, run[name], color=look.colour(quantity), linewidth=5)
        ax.set(ylim=(low * 1.1 - 0.02, 1.1), yticks=[low, 1])
        ax.set_ylabel(f"${name}_t$", rotation=0, va="center", labelpad=10)
        ax.tick_params(length=0)
        ax.spines[["left", "bottom"]].set_visible(False)
    below.plot(t, run["c"], **look.line("c"))
    below.plot(t, run["h"], **look.line("h"), marker="o", ms=3.5)
    note(below, "cell $c_t$", (2.1, 1.1), color=look.colour("c"))
    note(below, "shown $h_t$", (1.1, -0.55), color=look.colour("h"))
    below.set(ylim=(-1.5, 1.6), yticks=[-1, 0, 1])
    turn = {"rotation": 60, "ha": "right"} if look.narrow else {}
    below.set_xticks(t, SENTENCE, **turn)
    for ax in axes:
        ax.axhline(0, color=look.colour("muted"), linewidth=0.8)
    return fig
