"""Which page needs which: the map on the first page.

For docs/en/index.md.
"""

import matplotlib.pyplot as plt
from matplotlib.patches import FancyBboxPatch

# Name: column and row on the wide map, and on the narrow one.
PAGES = {
    "background": ((0, 2), (0, 5)),
    "notation": ((0, 1), (1, 5)),
    "sequences": ((1, 2), (0, 4)),
    "RNN": ((1, 1), (1, 4)),
    "batching": ((2, 2), (2, 4)),
    "BPTT": ((2, 1), (1, 3)),
    "vanishing\ngradients": ((3, 1), (1, 2)),
    "where\ngradients go": ((3, 0), (0, 2)),
    "LSTM": ((4, 1), (1, 1)),
    "deep,\nboth ways": ((5, 2), (2, 1)),
    "carousel": ((5, 1), (0, 0)),
    "GRU": ((5, 0), (1, 0)),
    "training": ((6, 1), (2, 0)),
}
NEEDS = {
    "background": ["sequences"],
    "notation": ["RNN"],
    "sequences": ["RNN"],
    "RNN": ["batching", "BPTT"],
    "BPTT": ["vanishing\ngradients"],
    "vanishing\ngradients": ["where\ngradients go", "LSTM"],
    "LSTM": ["deep,\nboth ways", "carousel", "GRU"],
    "batching": ["deep,\nboth ways"],
    "deep,\nboth ways": ["training"],
    "GRU": ["training"],
}


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(2.4, phone=3.96))
    across, up = (2.3, 1.25) if look.narrow else (2.12, 1.35)
    boxes, at = {}, {}
    for name, places in PAGES.items():
        column, row = places[look.narrow]
        at[name] = column * across, row * up
        boxes[name] = page(look, ax, *at[name], name)
    for start, ends in NEEDS.items():
        for end in ends:
            arrow = {"arrowstyle": "-|>", "color": look.colour("muted")}
            arrow |= {"patchA": boxes[start], "patchB": boxes[end]}
            ax.annotate("", at[end], at[start], arrowprops=arrow)
    xs, ys = zip(*at.values(), strict=True)
    ax.set(xlim=(min(xs) - 1, max(xs) + 1))
    ax.set(ylim=(min(ys) - 0.6, max(ys) + 0.6))
    ax.axis("off")
    return fig


def page(look, ax, x, y, name):
    """A box with a page's name, around (x, y) -> the box."""
    box = FancyBboxPatch((x - 0.83, y - 0.34), 1.66, 0.68, "round,pad=0.06")
    box.set(facecolor=look.colour("paper"), edgecolor=look.colour("h"))
    box.set(linewidth=1.4)
    ax.text(x, y, name, ha="center", va="center", fontsize=9)
    return ax.add_patch(box)
