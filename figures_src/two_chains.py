"""Two chains read one sentence. For docs/deep_bidirectional.md."""

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from figures_src.palette import colour, size

STEPS, CHOSEN = 5, 3
CHAINS = {  # name: colour, shift, height, steps on the way to the output
    "right": ("h", -0.2, 1.15, range(1, CHOSEN + 1)),
    "left": ("show", 0.2, 2.1, range(CHOSEN, STEPS + 1)),
}
TOP = 3.3


def figure():
    fig, ax = plt.subplots(figsize=size(3.1))
    ax.set(xlim=(0.35, STEPS + 0.65), ylim=(-0.45, 4.15))
    ax.axis("off")
    for t in range(1, STEPS + 1):
        ax.text(t, -0.05, f"$x_{t}$", color=colour("x"), ha="center",
                va="center", fontsize=12)  # fmt: skip
    for name, chain in CHAINS.items():
        draw_chain(ax, name, *chain)
    ax.text(CHOSEN, TOP + 0.45, rf"$h_{CHOSEN}$", ha="center", va="bottom",
            color=colour("h"), fontsize=12)  # fmt: skip
    return fig


def draw_chain(ax, name, quantity, shift, y, seen):
    step = 1 if name == "right" else -1
    for t in range(1, STEPS + 1):
        x, on = t + shift, t in seen
        box(ax, x, y, quantity, on)
        ax.text(x, y, rf"$\over{name}arrow{{h}}_{t}$", ha="center",
                va="center", fontsize=11, **paint(quantity, on))  # fmt: skip
        arrow(ax, (x, 0.15), (x, y - 0.3), "x", on)
        top = t == CHOSEN
        box(ax, x, TOP, quantity, top, 0.4)
        arrow(ax, (x, y + 0.3), (x, TOP - 0.3), quantity, top)
        if 1 <= t + step <= STEPS:
            end = x + step
            both = t in seen and t + step in seen
            arrow(ax, (x + 0.16 * step, y), (end - 0.16 * step, y), quantity,
                  both, "--" if name == "left" else "-")  # fmt: skip


def paint(quantity, on):
    """Colour of what the chosen output sees, or faint."""
    if on:
        return {"color": colour(quantity)}
    return {"color": colour("muted"), "alpha": 0.45}


def box(ax, x, y, quantity, on, width=0.32):
    shade = paint(quantity, on)
    ax.add_patch(
        Rectangle((x - width / 2, y - 0.3), width, 0.6,
                  facecolor="none", edgecolor=shade["color"],
                  alpha=shade.get("alpha"), lw=1.6 if on else 1)
    )  # fmt: skip


def arrow(ax, start, end, quantity, on, style="-"):
    shade = paint(quantity, on)
    ax.annotate(
        "", end, start,
        arrowprops={"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0,
                    "linewidth": 1.6 if on else 0.9, "linestyle": style,
                    "mutation_scale": 8, **shade},
    )  # fmt: skip
