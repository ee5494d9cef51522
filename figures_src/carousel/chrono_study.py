"""How soon an LSTM brings symbols along, by the biases it starts with.

For docs/en/carousel.md. Every seed of studies/chrono.py.
"""

from bookproof.run.records import runs, select
from figures_src.lib.outcomes import (
    iterations,
    mark_seeds,
    name_panel,
    panels,
    summary,
)
from figures_src.studies.chrono import LIMIT, STARTS, TASKS

NEVER = 1500  # where a seed that did not learn is drawn
TICKS = {30: "30", 100: "100", 300: "300", NEVER: f"> {LIMIT}"}
LABELS = {
    "b_f = 1": "$b_f = 1$",
    "b_f = log 99": "$b_f = \\log 99$",
    "b_f spread": "$b_f$ spread, to 100",
    "b_f = log 99, b_i = -b_f": "$b_f = \\log 99 = -b_i$",
    "chrono": "chrono, to 100",
    "chrono, scales up to 20": "chrono, to 20",
    "chrono, scales up to 1000": "chrono, to 1000",
}


def results():
    """{task: {start: summary}}."""
    found = runs("chrono")
    return {
        task: {
            start: summary(select(found, task=task, start=start))
            for start in STARTS
        }
        for task in TASKS
    }


def figure(look):
    """One panel a task, one row a start: every seed, and the median.

    Squares are filled where the input gate starts at 1 - f.
    """
    found, shade = runs("chrono"), look.colour("c")
    labels = [LABELS[start] for start in STARTS]
    place = {"limits": (25, 2200), "ticks": TICKS, "never": 1000}
    size = {"height": 3.4, "phone": 6.3}
    fig, axes = panels(look, len(TASKS), labels, **place, **size)
    for ax, task in zip(axes, TASKS, strict=True):
        for y, (start, (_, _, tied)) in enumerate(STARTS.items()):
            x = iterations(select(found, task=task, start=start), NEVER)
            style = {"color": shade, "ms": 4, "alpha": 0.6}
            style["mfc"] = shade if tied else "none"
            mark_seeds(ax, y, x, "s", 0.28, 0.38, **style)
        name_panel(ax, task)
    return fig
