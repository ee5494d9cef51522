"""The book's mark: what is left of a signal, for three rates of keeping."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyBboxPatch


def figure(look):
    fig = plt.figure(figsize=(1, 1), layout="none")
    ax = fig.add_axes((0, 0, 1, 1), xlim=(0, 1), ylim=(0, 1))
    ax.axis("off")
    shape = "round,pad=0.18,rounding_size=0.2"
    ground = FancyBboxPatch((0.18, 0.18), 0.64, 0.64, shape)
    blue = replace(look, scheme="light").colour("h")  # in both schemes
    ground.set(facecolor=blue, edgecolor="none")
    ax.add_patch(ground)
    t = np.linspace(0, 1, 60)
    for rate in 0.6, 2.2, 7.0:
        x, y = 0.16 + 0.68 * t, 0.18 + 0.62 * np.exp(-rate * t)
        ax.plot(x, y, color="white", linewidth=4.2)
    return fig
