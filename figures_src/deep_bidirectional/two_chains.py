"""Two chains read one sentence. For docs/en/deep_bidirectional.md."""

import matplotlib.pyplot as plt

from figures_src.lib.arrows import arrow
from figures_src.lib.squares import square

STEPS, CHOSEN = 5, 3
CHAINS = {  # name: colour, shift, height, steps on the way to the output
    "right": ("h", -0.2, 1.15, range(1, CHOSEN + 1)),
    "left": ("show", 0.2, 2.1, range(CHOSEN, STEPS + 1)),
}
TOP = 3.3
CENTRED = {"ha": "center", "va": "center"}


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(3.1))
    ax.set(xlim=(0.35, STEPS + 0.65), ylim=(-0.45, 4.15))
    ax.axis("off")
    for t in range(1, STEPS + 1):
        shade = look.colour("x")
        ax.text(t, -0.05, f"$x_{t}$", color=shade, fontsize=12, **CENTRED)
    for name, chain in CHAINS.items():
        draw_chain(look, ax, name, *chain)
    output = {"color": look.colour("h"), "fontsize": 12}
    place = {"ha": "center", "va": "bottom"}
    ax.text(CHOSEN, TOP + 0.45, rf"$h_{CHOSEN}$", **place, **output)
    return fig


def draw_chain(look, ax, name, quantity, shift, y, seen):
    """The states of one chain, each with its half of an output above it."""
    step = 1 if name == "right" else -1
    dash = "--" if name == "left" else "-"
    for t in range(1, STEPS + 1):
        x, on, top = t + shift, t in seen, t == CHOSEN
        box(look, ax, x, y, quantity, on)
        state = rf"$\over{name}arrow{{h}}_{t}$"
        shade = paint(look, quantity, on)
        ax.text(x, y, state, fontsize=11, **CENTRED, **shade)
        link(look, ax, (x, 0.15), (x, y - 0.3), "x", on)
        box(look, ax, x, TOP, quantity, top, 0.4)
        link(look, ax, (x, y + 0.3), (x, TOP - 0.3), quantity, top)
        if 1 <= t + step <= STEPS:
            start, end = (x + 0.16 * step, y), (x + 0.84 * step, y)
            both = on and t + step in seen
            link(look, ax, start, end, quantity, both, dash)


def paint(look, quantity, on):
    """Colour of what the chosen output sees, or faint."""
    if on:
        return {"color": look.colour(quantity)}
    return {"color": look.colour("muted"), "alpha": 0.45}


def box(look, ax, x, y, quantity, on, width=0.32):
    shade = paint(look, quantity, on)
    colour, lw = shade.pop("color"), 1.6 if on else 1
    square(ax, x, y, width, 0.6, colour, lw=lw, **shade)


def link(look, ax, start, end, quantity, on, dash="-"):
    shade = paint(look, quantity, on)
    style = {"linewidth": 1.6 if on else 0.9, "linestyle": dash}
    style |= {"mutation_scale": 8, **shade}
    arrow(ax, start, end, style.pop("color"), **style)
