"""What the lab of the task cards is given, and how to ask its models."""

from functools import cache

import numpy as np

from bookproof.run.records import runs
from figures_src.studies.cards.models import answer, from_lists, places
from figures_src.studies.cards.tasks import (
    DIGITS,
    END,
    NOTES,
    OPINION,
    OPINION_ZH,
    SPELT,
    SPLIT,
    TAGGED,
    TAGS,
    TASKS,
    ids,
)
from figures_src.studies.task_cards import SEEDS, changes

EXAMPLES = {  # the first stands in the figure
    "opinion": [
        "few critics called the film and the old music very good",
        "few friends called the film very good",
        "most friends called the film very good",
        "few critics called the film not dull",
        "most people called the ending good , not dull",
        "most people called the ending dull , not good",
        "few people called the long film and the music and the old ending "
        "and the new film not bad",
    ],
    "tags": [
        "the old man left",
        "the old man boats",
        "the old man the boats",
        "the young love left",
        "I love cats",
        "they can fish",
        "the old can man boats",
    ],
    "melody": [
        "G A D E | G C G E |",
        "C A D E | C G D C G C D |",
        "A C G D | A E G E |",
        "C E C E | D A D |",
    ],
    "quarters": [5, 1, 9],  # seeds
    "numbers": [
        "four thousand two",
        "eight thousand three hundred seventeen",
        "two thousand",
        "six hundred forty",
        "nine thousand nine hundred ninety nine",
        "nineteen",
    ],
}
WORDS = {
    "opinion": {"en": OPINION, "zh": OPINION_ZH},
    "tags": {"en": TAGGED, "zh": TAGGED},
    "melody": {"en": NOTES, "zh": NOTES},
    "numbers": {"en": SPELT, "zh": SPELT},
}
ANSWERS = {
    "opinion": {"en": SPLIT("against for"), "zh": SPLIT("反对 赞成")},
    "tags": {"en": TAGS, "zh": TAGS},
    "melody": {"en": NOTES, "zh": NOTES},
    "numbers": {"en": DIGITS, "zh": DIGITS},
}


@cache
def shown_weights(name):
    """Those of the first seed of one task, which the lab has."""
    (run,) = runs("task_cards", row=name, seed=SEEDS[0])
    return run["weights"]


@cache
def shown_model(name):
    return from_lists(shown_weights(name))


def ask(name, text):
    """Words, _ where one is blank -> the answer of the task's model."""
    inputs = ids(WORDS[name]["en"], text.split())
    _, told = answer(TASKS[name], shown_model(name), [inputs])
    names = [ANSWERS[name]["en"][i] for i in told[:, 0]]
    return " ".join(name for name in names if name != "end")


@cache
def shown(name):
    """The examples of a task -> what the lab knows about each."""
    return [about(name, example) for example in EXAMPLES[name]]


def about(name, example):
    """Text, or the seed of a series -> inputs, rows, answer and changes."""
    task, model = TASKS[name], shown_model(name)
    if name in WORDS:
        inputs = ids(WORDS[name]["en"], example.split())
    else:
        inputs = task.draw(np.random.default_rng(example))[0]
    rows, _ = answer(task, model, [inputs])
    told, moved = changes(task, model, inputs)
    writes_end = task.shape == "translation"
    kept = told != END if writes_end else told == told
    n = int(np.sum(kept))
    last = min(n + 1, len(rows)) if writes_end else n
    rows = rows[:, 0] if name in WORDS else rows[0]
    at = places(task, len(inputs), np.arange(n))
    return {
        "inputs": inputs,
        "rows": np.round(rows[:last], 12).tolist(),
        "answer": np.round(told[kept], 12).tolist(),
        "places": np.array(at).tolist(),
        "changes": np.argwhere(moved[:, : n + 1]).tolist(),
    }
