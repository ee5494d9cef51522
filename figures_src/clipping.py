"""What clipping does to one gradient: by its norm, and by its values.

For docs/vanishing_gradients.md.
"""

import matplotlib.pyplot as plt
import numpy as np

from figures_src.palette import colour, size
from seqbook.gradients import clip_global_norm, clip_values

GRADIENT = np.array([3.0, 0.8])


def figure():
    fig, ax = plt.subplots(figsize=size())
    circle = plt.Circle((0, 0), 1, fill=False, color=colour("muted"))
    square = plt.Rectangle((-1, -1), 2, 2, fill=False, linestyle="--",
                           color=colour("muted"))  # fmt: skip
    ax.add_patch(circle)
    ax.add_patch(square)
    (norm,), _ = clip_global_norm([GRADIENT], 1.0)
    (value,) = clip_values([GRADIENT], 1.0)
    arrows = [
        (GRADIENT, "the gradient", "muted", (6, 0)),
        (norm, "by norm:\nsame direction", "gradient", (10, -30)),
        (value, "by value:\nbent", "show", (8, 6)),
    ]
    for arrow, label, quantity, offset in arrows:
        ax.annotate("", arrow, (0, 0), arrowprops={
            "arrowstyle": "-|>", "color": colour(quantity), "linewidth": 1.8,
            "shrinkA": 0, "shrinkB": 0})  # fmt: skip
        ax.annotate(
            label,
            arrow,
            xytext=offset,
            fontsize=9.5,
            textcoords="offset points",
            color=colour(quantity),
        )
    ax.set(xlim=(-1.3, 4.2), ylim=(-1.25, 1.6), aspect="equal")
    ax.set(xlabel="first component", ylabel="second")
    return fig
