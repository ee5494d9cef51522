"""How soon a cell recalls a symbol T steps later, its memory tuned or not.

For docs/en/gru.md, and quoted before. Every seed of studies/recall.py.
"""

from bookproof.run.records import runs, select
from figures_src.lib.notes import note
from figures_src.lib.outcomes import (
    iterations,
    mark_seeds,
    name_panel,
    panels,
    summary,
)
from figures_src.studies.recall import LIMIT, SEEDS, STEPS, tuned

ROWS = {  # name: cell, memory; None is torch's default
    "RNN": ("RNN", None),
    "RNN orthogonal": ("RNN", 1.0),
    "RNN tuned": ("RNN", "tuned"),
    "LSTM": ("LSTM", None),
    "LSTM b_f = 1": ("LSTM", 1.0),
    "LSTM tuned": ("LSTM", "tuned"),
    "GRU": ("GRU", None),
    "GRU tuned": ("GRU", "tuned"),
}
LABELS = {
    "RNN orthogonal": r"RNN, $W_{hh} = Q$",
    "RNN tuned": r"RNN, $W_{hh} = sQ$",
    "LSTM b_f = 1": r"LSTM, $b_f = 1$",
    "LSTM tuned": r"LSTM, $b_f$ tuned",
    "GRU tuned": r"GRU, $b_z$ tuned",
}
LOOKS = {  # quantity whose colour it has, marker, symbol of its memory
    "RNN": ("h", "o", "s"),
    "LSTM": ("c", "s", "b_f"),
    "GRU": ("write", "^", "b_z"),
}
NEVER = 3200  # where a seed that did not learn is drawn
TICKS = {30: "30", 100: "100", 300: "300", NEVER: f"> {LIMIT}"}


def column(name, T):
    """-> the memory that a row was given, its runs."""
    found = runs("recall")
    cell, memory = ROWS[name]
    if memory == "tuned":
        (memory,) = tuned(found, cell, T)
    row = {"cell": cell, "memory": memory, "T": T}
    return memory, select(found, **row, seed=SEEDS)


def results():
    """{row: {T: summary, and the memory it was given}}."""
    return {name: {T: cell_of(name, T) for T in STEPS} for name in ROWS}


def cell_of(name, T):
    memory, found = column(name, T)
    return {"memory": memory, **summary(found)}


def figure(look):
    """One panel a T, one row a cell: every seed, and the median of all."""
    labels = [LABELS.get(name, name) for name in ROWS]
    place = {"limits": (15, 5000), "ticks": TICKS, "never": 2000}
    size = {"height": 3.2, "phone": 8.1}
    fig, axes = panels(look, len(STEPS), labels, **place, **size)
    for ax, T in zip(axes, STEPS, strict=True):
        for y, name in enumerate(ROWS):
            draw_row(look, ax, y, name, T)
        name_panel(ax, f"$T = {T}$")
    return fig


def draw_row(look, ax, y, name, T):
    """One row of one panel; the tuned value stands beside its seeds."""
    cell, kept = ROWS[name]
    memory, found = column(name, T)
    quantity, marker, symbol = LOOKS[cell]
    shade, x = look.colour(quantity), iterations(found, NEVER)
    style = {"color": shade, "alpha": 0.5, "ms": 4, "mew": 0}
    mark_seeds(ax, y, x, marker, 0.25, 0.36, **style)
    if kept == "tuned":
        learned = [u for u in x if u < NEVER] or [20]
        right = max(learned) < 300
        at = max(learned) if right else min(learned)
        side = {"ha": "left" if right else "right", "va": "center"}
        words = f"${symbol} = {memory:g}$"
        note(ax, words, (at, y), (6 if right else -6, 0), color=shade, **side)
