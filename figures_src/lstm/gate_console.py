"""One bit carried past ten distractors by setting three gates by hand.

For docs/en/lstm.md and the lab of the same name. One unit, T steps. x_1 is the
bit, +1 or -1; x_2 .. x_11 are DISTRACTORS; x_12 = 0 is the moment when the
bit is asked for. The candidate is g_t = tanh(U x_t); the cell starts with
C_0, left over from an earlier bit. The gates are not computed but given:

    gates (T, 3): row t holds f, i and o of step t + 1, each from 0 to 1
    c_t = f c_{t-1} + i g_t            (lstm.5)
    h_t = o tanh(c_t)                  (lstm.6)

run(gates, bit) -> lists x, g (T), c (T + 1, with c_0), h (T). The reader of
the last step takes h_T above THRESHOLD for a 1, below -THRESHOLD for a -1,
and anything between for no answer, 0. score(gates) runs both bits: the two
answers, how many are right, and the margin, which is the smaller of
bit * h_T. policy(write, carry, ask) fills the gates from three triples
(f, i, o): for step 1, for steps 2 .. T - 1, for step T.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from figures_src.lib.notes import note
from seqbook.lstm import LSTMParams, lstm_step

DISTRACTORS = 0.6, -0.8, -0.3, 0.9, -0.7, -1.0, 0.5, -0.9, -0.4, -0.6
T, U, C_0, THRESHOLD = len(DISTRACTORS) + 2, 2.0, -1.0, 0.5
BITS = 1, -1


def policy(write, carry, ask):
    """Three (f, i, o): step 1, the steps between, step T -> gates (T, 3)."""
    return np.array([write, *[carry] * (T - 2), ask], float)


POLICIES = {
    "carried": policy((0, 1, 0), (1, 0, 0), (1, 0, 1)),
    "hidden": policy((0, 1, 0), (1, 0, 0), (1, 0, 0)),
    "faded": policy((0, 1, 0), (0.9, 0, 0), (0.9, 0, 1)),
    "overwritten": policy((0, 1, 0), (1, 1, 0), (1, 0, 1)),
    "not erased": policy((1, 1, 0), (1, 0, 0), (1, 0, 1)),
}


def held_gates(f, i, o):
    """LSTMParams of one unit whose gates are f, i, o, whatever comes."""
    with np.errstate(divide="ignore"):
        b_i, b_f, b_o = (np.log(v) - np.log1p(-v) for v in (i, f, o))
    W_xh = np.array([[0.0], [0.0], [U], [0.0]])  # blocks i | f | g | o
    b_h = np.clip([b_i, b_f, 0.0, b_o], -800, 800)  # sigmoid(800) is 1.0
    return LSTMParams(W_xh, np.zeros((4, 1)), b_h)


def run(gates, bit):
    """gates (T, 3), bit +1 or -1 -> {"x", "g", "c", "h"}, lists."""
    x = np.array([bit, *DISTRACTORS, 0.0])
    g, c, h = [], [np.array([[C_0]])], [np.zeros((1, 1))]
    for x_t, held in zip(x, np.asarray(gates, float), strict=True):
        p = held_gates(*held)
        h_t, c_t, cache = lstm_step(p, np.array([[x_t]]), h[-1], c[-1])
        g.append(cache[5])  # x_t, h_prev, c_prev, i, f, g, o, c_t
        c.append(c_t)
        h.append(h_t)
    found = {"x": x, "g": g, "c": c, "h": h[1:]}
    return {name: np.ravel(values).tolist() for name, values in found.items()}


def answer(h_T):
    """The last h -> 1, -1, or 0: too close to zero to tell."""
    return int(np.sign(h_T)) if abs(h_T) > THRESHOLD else 0


def score(gates):
    """gates (T, 3) -> answers to bits +1 and -1, right (0..2), margin."""
    shown = [run(gates, bit)["h"][-1] for bit in BITS]
    answers = [answer(h_T) for h_T in shown]
    right = sum(a == bit for a, bit in zip(answers, BITS, strict=True))
    margin = min(bit * h_T for bit, h_T in zip(BITS, shown, strict=True))
    return {"answers": answers, "right": right, "margin": margin}


def results():
    """The console's constants; each named policy, its runs and its score."""
    found = {"T": T, "u": U, "c_0": C_0, "threshold": THRESHOLD}
    found |= {"distractors": list(DISTRACTORS), "policies": {}}
    for name, gates in POLICIES.items():
        runs = {f"{bit:+d}": run(gates, bit) for bit in BITS}
        scored = {"gates": gates.tolist(), "runs": runs, **score(gates)}
        found["policies"][name] = scored
    return found


PANELS = {
    "carried": "carried",
    "hidden": "$o = 0$ at the end: hidden",
    "faded": "$f = 0.9$: faded",
    "overwritten": "$i$ left open: overwritten",
}
STRIPS = {"f": "keep", "i": "write", "o": "show"}


def figure(look):
    """One panel a policy, all with the bit +1; below each its gates."""
    rows, columns = (4, 1) if look.narrow else (2, 2)
    fig = plt.figure(figsize=look.size(5.0, phone=9.0))
    outer = fig.add_gridspec(rows, columns)
    for k, (name, title) in enumerate(PANELS.items()):
        row, column = divmod(k, columns)
        inner = outer[k].subgridspec(2, 1, height_ratios=[3, 1.1], hspace=0)
        top, low = (fig.add_subplot(part) for part in inner)
        curves(look, top, run(POLICIES[name], BITS[0]))
        strips(look, low, POLICIES[name])
        top.set_title(title, fontsize=10)
        if k == 0:
            name_curves(look, top)
        if column > 0:  # the scales stand on the left
            top.tick_params(labelleft=False)
            low.tick_params(labelleft=False)
        if row == rows - 1:
            low.set_xlabel("time step $t$")
        else:
            low.tick_params(labelbottom=False)
    return fig


def curves(look, ax, found):
    """Inputs, cell and what is shown, with the reader's two thresholds."""
    t, x, ink = np.arange(1, T + 1), look.colour("x"), look.colour("ink")
    ax.vlines(t, 0, found["x"], color=x, linewidth=1.2)
    ax.plot(t, found["x"], "o", color=x, ms=2.5)
    ax.plot(found["c"], **look.line("c"))
    ax.plot(t, found["h"], **look.line("h"), marker="o", ms=3)
    for level in THRESHOLD, -THRESHOLD:
        ax.plot([T - 0.4, T + 0.4], [level, level], color=ink)
    ax.set(xlim=(-0.3, T + 0.6), ylim=(-2.5, 2.1), xticks=[])
    ax.set_yticks([-2, -1, 0, 1])


def name_curves(look, ax):
    for text, spot, quantity in (
        ("cell $c_t$", (5, 1.12), "c"),
        ("shown $h_t$", (8.2, 0.2), "h"),
        ("input $x_t$", (3.1, -1.5), "x"),
    ):
        note(ax, text, spot, color=look.colour(quantity))


def strips(look, ax, gates):
    """A row of squares a gate, as full as the gate is open."""
    for row, quantity in enumerate(STRIPS.values()):
        shade, steps = look.colour(quantity), enumerate(gates[:, row], 1)
        frames = [box(t, row, 1.0) for t in range(1, T + 1)]
        fills = [box(t, row, v) for t, v in steps if v > 0]
        frames = Path.make_compound_path(*frames)  # one outline: fewer bytes
        fills = Path.make_compound_path(*fills)
        ax.add_patch(PathPatch(frames, fill=False, ec=shade, lw=0.7))
        ax.add_patch(PathPatch(fills, color=shade, lw=0))
    ax.set(xlim=(-0.3, T + 0.6), ylim=(2.5, -0.5), xticks=[1, 4, 8, 12])
    ax.set_yticks(range(3), [f"${name}$" for name in STRIPS])
    ax.tick_params(length=0)
    ax.spines[["left", "bottom"]].set_visible(False)


def box(t, row, height):
    """Outline of a square of the strip, filled from below to height."""
    low, high = row + 0.37, row + 0.37 - 0.74 * height
    left, right = t - 0.39, t + 0.39
    corners = (left, low), (right, low), (right, high), (left, high)
    return Path([*corners, corners[0]], closed=True)
