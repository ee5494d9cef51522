"""Which page needs which: the map on the first page. For docs/index.md."""

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

from figures_src import palette
from figures_src.palette import colour, size

# Name: place on the wide map, place on the narrow one.
PAGES = {
    "background": ((0.0, 1.2), (0.0, 4.2)),
    "notation": ((0.0, 0.0), (2.4, 4.2)),
    "BPTT": ((2.3, 0.6), (1.2, 3.0)),
    "vanishing\ngradients": ((4.6, 0.6), (1.2, 1.7)),
    "GRU": ((6.9, 1.2), (0.0, 0.4)),
    "where the\ngradient goes": ((6.9, 0.0), (2.4, 0.4)),
}
NEEDS = [
    ("background", "BPTT"),
    ("notation", "BPTT"),
    ("BPTT", "vanishing\ngradients"),
    ("vanishing\ngradients", "GRU"),
    ("vanishing\ngradients", "where the\ngradient goes"),
]


def figure():
    fig, ax = plt.subplots(figsize=size(2.2 if not palette.narrow else 4.0))
    at = {name: places[palette.narrow] for name, places in PAGES.items()}
    boxes = {}
    for name, (x, y) in at.items():
        boxes[name] = FancyBboxPatch(
            (x - 0.78, y - 0.3), 1.56, 0.6, "round,pad=0.06",
            facecolor=colour("paper"), edgecolor=colour("h"), linewidth=1.4,
        )  # fmt: skip
        ax.add_patch(boxes[name])
        ax.text(x, y, name, ha="center", va="center", fontsize=9.5)
    for start, end in NEEDS:
        arrow = {"arrowstyle": "-|>", "color": colour("muted")}
        arrow |= {"patchA": boxes[start], "patchB": boxes[end]}
        ax.annotate("", at[end], at[start], arrowprops=arrow)
    xs, ys = zip(*at.values(), strict=True)
    ax.set(
        xlim=(min(xs) - 1, max(xs) + 1), ylim=(min(ys) - 0.6, max(ys) + 0.6)
    )
    ax.axis("off")
    return fig
