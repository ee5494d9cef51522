"""How soon three readouts find a far word, from three starts.

For docs/en/rnn.md. Every seed of studies/readout.py.
"""

from bookproof.run.records import crossed, runs, select
from figures_src.lib.outcomes import (
    iterations,
    mark_seeds,
    name_panel,
    panels,
)
from figures_src.studies.readout import READOUTS, STARTS, TASKS

TITLES = {"early": "verdict at once", "late": "verdict at the end"}
NEVER = 3200  # where a seed that did not learn is drawn
TICKS = {10: "10", 100: "100", 1000: "1000", NEVER: "never"}
LOOKS = {"last": ("h", "o"), "mean": ("keep", "s"), "max": ("write", "^")}
LABELS = {"cut": "$W_{hh} = 0$"}


def rows(task):
    """{"last, default, h_0 learned": runs} of a task, in the record's order.

    Plain names are those of networks whose h_0 is zero.
    """
    found = {}
    for run in runs("readout", task=task):
        name = f"{run['readout']}, {run['start']}"
        name += ", h_0 learned" * run["learned"]
        found.setdefault(name, []).append(run)
    return found


def results():
    """{task: {row: solved of five, and iterations of those that did}}."""
    return {
        task: {name: summary(found) for name, found in rows(task).items()}
        for task in TASKS
    }


def summary(found):
    return {
        "solved": sum(run["solved"] for run in found),
        "of": len(found),
        "iterations": [r["iterations"] for r in found if r["solved"]],
        "accuracy": [run["accuracy"] for run in found],
    }


def figure(look):
    """A panel a task, a row a readout and start: every seed, the median."""
    lines = [*crossed(readout=READOUTS, start=STARTS)]
    labels = [
        f"{row['readout']}, {LABELS.get(row['start'], row['start'])}"
        for row in lines
    ]
    place = {"limits": (8, 5000), "ticks": TICKS, "never": 2000}
    size = {"height": 3.4, "phone": 6.3}
    fig, axes = panels(look, len(TITLES), labels, **place, **size)
    for ax, (task, title) in zip(axes, TITLES.items(), strict=True):
        found = runs("readout", task=task, learned=False)
        for y, row in enumerate(lines):
            quantity, marker = LOOKS[row["readout"]]
            x = iterations(select(found, **row), NEVER)
            style = {"color": look.colour(quantity), "alpha": 0.6}
            mark_seeds(ax, y, x, marker, 0.22, 0.34, ms=4.5, mew=0, **style)
        name_panel(ax, title)
    return fig
