"""What clipping does to one gradient: by its norm, and by its values.

For docs/en/vanishing_gradients.md.
"""

import matplotlib.pyplot as plt
import numpy as np

from figures_src.lib.arrows import arrow
from figures_src.lib.notes import note
from figures_src.lib.squares import square
from seqbook.gradients import clip_global_norm, clip_values

GRADIENT = np.array([3.0, 0.8])


def figure(look):
    fig, ax = plt.subplots(figsize=look.size())
    muted = look.colour("muted")
    ax.add_patch(plt.Circle((0, 0), 1, fill=False, color=muted))
    square(ax, 0, 0, 2, 2, muted, linestyle="--")
    (norm,), _ = clip_global_norm([GRADIENT], 1.0)
    (value,) = clip_values([GRADIENT], 1.0)
    for end, name, quantity, shift in (
        (GRADIENT, "the gradient", "muted", (6, 0)),
        (norm, "by norm:\nsame direction", "gradient", (10, -30)),
        (value, "by value:\nbent", "show", (8, 6)),
    ):
        colour = look.colour(quantity)
        arrow(ax, (0, 0), end, colour, linewidth=1.8)
        note(ax, name, end, shift, color=colour)
    ax.set(xlim=(-1.3, 4.2), ylim=(-1.25, 1.6), aspect="equal")
    ax.set(xlabel="first component", ylabel="second")
    return fig
