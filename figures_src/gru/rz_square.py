"""The two gates of a one-unit GRU as a square, and what its corners do.

For docs/en/gru.md and the lab of the same name. The gates are held at a point
(r, z) by their biases; h_t = (1 - z) h_{t-1} + z tanh(w r h_{t-1} + u x_t).
"""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import withStroke

from seqbook.gru import GRUParams, gru_forward, gru_jacobian

W, U, STEPS = 0.9, 1.0, 40
POINTS = {  # name: (r, z)
    "copy": (0.3, 0.0),
    "average": (0.0, 2 / 61),
    "Elman": (1.0, 1.0),
    "memoryless": (0.0, 1.0),
}


def held_gates(r, z):
    """GRUParams of one unit whose gates are r and z, whatever comes."""
    with np.errstate(divide="ignore"):
        b_r, b_z = (np.log(g) - np.log1p(-g) for g in np.array([r, z]))
    W_xh, W_hh = np.array([[0.0], [0.0], [U]]), np.array([[0.0], [0.0], [W]])
    b_h = np.clip([b_r, b_z, 0.0], -800, 800)  # sigmoid(800) is 1.0
    return GRUParams(W_xh, W_hh, b_h)


def kept(r, z, T=STEPS):
    """h_0 .. h_T from h_0 = 1 without input: what the cell keeps."""
    p = held_gates(r, z)
    h, _ = gru_forward(p, np.zeros((T, 1, 1)), np.ones((1, 1)))
    return np.concatenate([[1.0], np.ravel(h)])


def written(r, z, T=STEPS):
    """h_0 .. h_T from h_0 = 0 and one input, x_1 = 1: what it writes."""
    x = np.zeros((T, 1, 1))
    x[0] = 1
    h, _ = gru_forward(held_gates(r, z), x, np.zeros((1, 1)))
    return np.concatenate([[0.0], np.ravel(h)])


@cache
def slope(r, z):
    """dh_t/dh_{t-1} at rest, h = 0."""
    return gru_jacobian(held_gates(r, z), np.zeros(1), np.zeros(1)).item()


def results():
    """Slope per step, and what is left after 20 and 100, of each point."""
    found = {"w": W, "u": U, "points": {}}
    for name, (r, z) in POINTS.items():
        h = kept(r, z, 100)
        found["points"][name] = {
            "r": r,
            "z": z,
            "slope": slope(r, z),
            "after_20": float(h[20]),
            "after_100": float(h[100]),
        }
    return found


def figure(look):
    mosaic, ratio = MOSAIC, {"width_ratios": [1, 1.15]}
    if look.narrow:
        mosaic, ratio = PHONE, {"height_ratios": [2.6, 1, 1]}
    fig, axes = plt.subplot_mosaic(
        mosaic, figsize=look.size(3.4, phone=6.4), gridspec_kw=ratio
    )
    square(look, axes["square"])
    draw_kept(look, axes["kept"])
    draw_written(look, axes["written"])
    axes["kept"].tick_params(labelbottom=False)
    axes["written"].set_xlabel("time step $t$")
    return fig


MOSAIC = [["square", "kept"], ["square", "written"]]
PHONE = [["square"], ["kept"], ["written"]]


def square(look, ax):
    """The square with its edges named and lines of equal slope."""
    equal_slopes(look, ax)
    corners(look, ax)
    write, keep = look.colour("write"), look.colour("keep")
    above = {"textcoords": "offset points", "color": write}
    ax.annotate("z = 1  OVERWRITE", (0.5, 1), (0, 6), ha="center", **above)
    inside = {"textcoords": "offset points", "color": keep}
    ax.annotate("z = 0  KEEP", (1, 0), (-6, 6), ha="right", **inside)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set(xlabel="reset gate $r$", ylabel="update gate $z$")
    ax.set_xticks([0, 0.5, 1])
    ax.set_yticks([0, 0.5, 1])
    ax.spines[["top", "right"]].set_visible(True)


def equal_slopes(look, ax):
    """Lines along which a step keeps as much, each with how much."""
    side = np.linspace(0, 1, 41)
    slopes = [[slope(r, z) for r in side] for z in side]
    muted = look.colour("muted")
    levels = [0.5, 0.7, 0.9, 0.98]
    style = {"colors": muted, "linewidths": 0.8}
    lines = ax.contour(side, side, slopes, levels, **style)
    halo = [withStroke(linewidth=3, foreground=look.colour("paper"))]
    label = {"ha": "center", "va": "center", "fontsize": 9.5, "color": muted}
    for level, (curve, *_) in zip(lines.levels, lines.allsegs, strict=True):
        at = 0.625 if level == 0.9 else 0.2
        r, z = curve[np.argmin(np.abs(curve[:, 0] - at))]
        ax.text(r, z, f"{level:g}", path_effects=halo, **label)


def corners(look, ax):
    """The named points, each name on the side where there is room."""
    dot = {"color": look.colour("ink"), "clip_on": False, "zorder": 5}
    for name, (r, z) in POINTS.items():
        ax.plot(r, z, "o", ms=6, **dot)
        x, ha = (-8, "right") if name == "Elman" else (8, "left")
        y, va = (7, "bottom") if z < 0.5 else (-9, "top")
        place = {"textcoords": "offset points", "ha": ha, "va": va}
        ax.annotate(name, (r, z), (x, y), **place)


def draw_kept(look, ax):
    """What is left of h_0 = 1: a line a point, named where it has room."""
    where = {
        "copy": (2, 1.05),
        "average": (22, 0.62),
        "Elman": (11, 0.24),
        "memoryless": (1.6, 0.05),
    }
    response(look, ax, kept, "keep", where)
    ax.set(ylim=(0, 1.22), yticks=[0, 0.5, 1])
    title(ax, "kept: $h_0 = 1$")


def draw_written(look, ax):
    """What there is of x_1 = 1: a line a point, named where it has room."""
    where = {
        "Elman": (7, 0.42),
        "memoryless": (2.2, 0.06),
        "average": (24, 0.08),
    }
    response(look, ax, written, "write", where)
    ax.set(ylim=(0, 0.9), yticks=[0, 0.5])
    title(ax, "written: $x_1 = 1$")


def response(look, ax, run, quantity, where):
    """run(r, z) for all points; where: {name: place of the name}."""
    style = look.line(quantity) | {"linewidth": 1.4}
    for name, (r, z) in POINTS.items():
        ax.plot(run(r, z), **style)
        if name in where:
            ax.annotate(name, where[name], fontsize=9.5)
    ax.set(xlim=(0, STEPS), ylabel="$h_t$")


def title(ax, text):
    ax.annotate(text, (1, 1), xycoords="axes fraction", ha="right", va="top")
