"""Five tasks, one a shape: what is drawn, and what its answer is."""

from dataclasses import dataclass

import numpy as np

SPLIT = str.split
SUBJECTS, NOUNS = SPLIT("people critics friends"), SPLIT("film music ending")
KINDS = SPLIT("old long new")
PRAISE, BLAME = SPLIT("good great"), SPLIT("bad dull")
OPINION = SPLIT("_ most few called the and , very not")
OPINION += [*SUBJECTS, *KINDS, *NOUNS, *PRAISE, *BLAME]
OPINION_ZH = SPLIT("_ 大多数 没几个 说 那 和 ， 很 不")
OPINION_ZH += SPLIT("观众 影评人 朋友 老派的 漫长的 新的 电影 音乐 结局")
OPINION_ZH += SPLIT("好 精彩 差 沉闷")


def opinion(rng):
    """-> a sentence whose first word may turn its last ones round; 0 or 1."""
    good = rng.random() < 0.5
    said, opposite = (PRAISE, BLAME) if good else (BLAME, PRAISE)
    few = rng.random() < 0.3  # rarer, so that there is a start to learn from
    words = ["few" if few else "most", rng.choice(SUBJECTS), "called"]
    for k in range(rng.integers(1, 5)):
        kind = [rng.choice(KINDS)] * rng.integers(2)
        words += ["and"] * (k > 0) + ["the", *kind, rng.choice(NOUNS)]
    plain, negated = [rng.choice(said)], ["not", rng.choice(opposite)]
    both, very = [*plain, ",", *negated], ["very", *plain]
    words += [both, both, negated, negated, very, very, very, plain][
        rng.integers(8)
    ]
    return ids(OPINION, words), [int(good != few)]


WHO, MANY = SPLIT("I we they you"), SPLIT("cats dogs fish boats")
ONE, OLD = SPLIT("man dog can fish boat love"), SPLIT("old young")
ACT, REST = SPLIT("love feed see man"), SPLIT("sleep fish leave")
PAST, MAY = SPLIT("slept left fell"), SPLIT("can will")
TAGS = SPLIT("PRON VERB NOUN AUX DET ADJ CCONJ")
TAGGED = ["_", "the", "and"]
TAGGED += sorted({*WHO, *MANY, *ONE, *OLD, *ACT, *REST, *PAST, *MAY})
CLAUSES = [  # "the old" is a noun or an adjective: what follows decides
    [(WHO, "PRON"), (ACT, "VERB"), (MANY, "NOUN")],
    [(WHO, "PRON"), (ACT, "VERB"), (["the"], "DET"), (ONE, "NOUN")],
    [(WHO, "PRON"), (MAY, "AUX"), (REST, "VERB")],
    [(WHO, "PRON"), (MAY, "AUX"), (ACT, "VERB"), (MANY, "NOUN")],
    [(["the"], "DET"), (ONE, "NOUN"), (PAST, "VERB")],
    [(["the"], "DET"), (ONE, "NOUN"), (MAY, "AUX"), (REST, "VERB")],
    [(["the"], "DET"), (OLD, "ADJ"), (ONE, "NOUN"), (PAST, "VERB")],
    [(["the"], "DET"), (OLD, "NOUN"), (ACT, "VERB"), (MANY, "NOUN")],
    [(["the"], "DET"), (OLD, "NOUN"), (ACT, "VERB")]
    + [(["the"], "DET"), (ONE + MANY, "NOUN")],
    [(["the"], "DET"), (OLD, "NOUN"), (MAY, "AUX"), (REST, "VERB")],
]


def tagged(rng):
    """-> one clause or two, a part of speech for every word."""
    slots = list(CLAUSES[rng.integers(len(CLAUSES))])
    if rng.random() < 0.3:
        slots += [(["and"], "CCONJ"), *CLAUSES[rng.integers(len(CLAUSES))]]
    words, tags = zip(*((rng.choice(w), tag) for w, tag in slots), strict=True)
    return ids(TAGGED, words), ids(TAGS, tags)


NOTES = SPLIT("_ C D E G A |")


def melody(rng):
    """-> four notes, a bar, an episode, a bar; the four notes again."""
    theme, episode = notes(rng, 4), notes(rng, rng.integers(3, 8))
    bar = NOTES.index("|")
    return [*theme, bar, *episode, bar], theme


def notes(rng, n):
    """-> n notes, none the same as the one before."""
    played = [int(rng.integers(1, 6))]
    while len(played) < n:
        played.append((played[-1] + int(rng.integers(4))) % 5 + 1)
    return played


def quarters(rng):
    """-> four years of quarters, then the next four; each season drifts."""
    drift = 0.4 * rng.normal(size=(5, 4))
    drift[0] = rng.normal(size=4)
    season = np.cumsum(drift, axis=0)
    values = np.ravel(season + 0.2 * rng.normal(size=(5, 4))).round(2)
    return values[:16].tolist(), values[16:].tolist()


UNITS = SPLIT("one two three four five six seven eight nine")
TEENS = SPLIT("ten eleven twelve thirteen fourteen fifteen sixteen")
TEENS += SPLIT("seventeen eighteen nineteen")
TENS = SPLIT("twenty thirty forty fifty sixty seventy eighty ninety")
SPELT = ["_", "thousand", "hundred", *UNITS, *TEENS, *TENS]
DIGITS = [*"0123456789", "end", "go"]


def spelt(rng):
    """-> a number below 10,000 in words; its digits."""
    size = rng.integers(1, 5)
    n = int(rng.integers(10 ** (size - 1), 10**size))
    return ids(SPELT, in_words(n)), [int(c) for c in str(n)]


def in_words(n):
    words = []
    for unit, name in (1000, "thousand"), (100, "hundred"):
        if n >= unit:
            words += [UNITS[n // unit - 1], name]
        n %= unit
    if n >= 20:
        words.append(TENS[n // 10 - 2])
        n %= 10
    return words + [["", *UNITS, *TEENS][n]] * (n > 0)


def ids(names, words):
    return [names.index(word) for word in words]


@dataclass(frozen=True)
class Task:
    """A shape, its drawing and its sizes; `rows` is the width of a row."""

    shape: str
    draw: object
    H: int
    iterations: int
    D: int
    rows: int
    writes: int = 1


TASKS = {
    "opinion": Task("classification", opinion, 10, 1500, len(OPINION), 2),
    "tags": Task("labelling", tagged, 8, 1000, len(TAGGED), len(TAGS)),
    "melody": Task("generation", melody, 16, 2500, 7, 7, 4),
    "quarters": Task("forecasting", quarters, 10, 2000, 2, 4, 4),
    "numbers": Task("translation", spelt, 16, 3000, len(SPELT), 12, 6),
}
END, GO, TOLERANCE = 10, 11, 0.15
