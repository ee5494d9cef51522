"""The book's mark: what is left of a signal, for three rates of keeping."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyBboxPatch

from figures_src.palette import PALETTE


def figure():
    fig = plt.figure(figsize=(1, 1), layout="none")
    ax = fig.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(0, 1))
    ax.axis("off")
    box = FancyBboxPatch(
        (0.18, 0.18), 0.64, 0.64, "round,pad=0.18,rounding_size=0.2"
    )
    box.set(facecolor=PALETTE["h"]["light"], edgecolor="none")
    ax.add_patch(box)
    t = np.linspace(0, 1, 60)
    for rate in 0.6, 2.2, 7.0:
        ax.plot(
            0.16 + 0.68 * t,
            0.18 + 0.62 * np.exp(-rate * t),
            color="white",
            linewidth=4.2,
        )
    return fig
