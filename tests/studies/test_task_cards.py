"""The five models of the task cards: their tasks, and what a lab reads."""

import numpy as np
import pytest

from bookproof.run.figures import results
from bookproof.run.records import runs
from figures_src.sequences import flip_distance
from figures_src.studies.cards import tasks


@pytest.fixture(scope="module")
def found():
    return {task["task"]: task for task in results("task_cards")["tasks"]}


def drawn(name, n=300):
    rng = np.random.default_rng(0)
    return [tasks.TASKS[name].draw(rng) for _ in range(n)]


def named(names, ids):
    return [names[i] for i in ids]


def test_few_and_not_turn_an_opinion_round():
    for ids, (label,) in drawn("opinion"):
        words = named(tasks.OPINION, ids)
        against = words[-1] in ("bad", "dull")
        turned = [words[0] == "few", words[-2] == "not", against]
        assert label == (sum(turned) % 2 == 0), words


def test_opinions_are_named_alike_in_both_languages():
    assert len(tasks.OPINION) == len(tasks.OPINION_ZH)
    assert len(set(tasks.OPINION_ZH)) == len(tasks.OPINION_ZH)


def test_old_is_a_noun_where_nothing_else_is():
    for ids, tags in drawn("tags"):
        assert len(ids) == len(tags)
        pairs = list(
            zip(
                named(tasks.TAGGED, ids),
                named(tasks.TAGS, tags),
                strict=True,
            )
        )
        for (word, tag), (_, after) in zip(pairs, pairs[1:], strict=False):
            if word in ("old", "young"):
                assert (tag == "ADJ") == (after == "NOUN"), pairs


def test_a_melody_comes_back_to_its_theme():
    for ids, theme in drawn("melody"):
        notes = named(tasks.NOTES, ids)
        assert ids[:4] == theme and notes[4] == notes[-1] == "|"
        assert 3 <= len(notes) - 6 <= 7
        assert all(a != b for a, b in zip(ids, ids[1:], strict=False))


def test_a_season_drifts():
    rows = [inputs + later for inputs, later in drawn("quarters", 3000)]
    years = np.array(rows).reshape(-1, 5, 4)
    steps = np.diff(years, axis=1)  # 0.4 of drift, and noise of two years
    want = 0.4**2 + 2 * 0.2**2
    assert np.var(steps) == pytest.approx(want, rel=0.05)


def test_numbers_are_spelt():
    for number, words in {
        7: "seven",
        19: "nineteen",
        40: "forty",
        110: "one hundred ten",
        2000: "two thousand",
        4002: "four thousand two",
        8317: "eight thousand three hundred seventeen",
    }.items():
        assert tasks.in_words(number) == words.split()
    spelt = {tuple(tasks.in_words(n)) for n in range(1, 10_000)}
    assert len(spelt) == 9999


# --- The contract of the lab, from its words, without the library ------------


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def step(cell, x, h):
    W_x, W_h, b = (np.array(cell[k]) for k in ("W_xh", "W_hh", "b_h"))
    H = len(h)
    R, Z, N = slice(0, H), slice(H, 2 * H), slice(2 * H, 3 * H)
    r = sigmoid(W_x[R] @ x + W_h[R] @ h + b[R])
    z = sigmoid(W_x[Z] @ x + W_h[Z] @ h + b[Z])
    n = np.tanh(W_x[N] @ x + W_h[N] @ (r * h) + b[N])
    return (1 - z) * h + z * n


def read(cell, xs, h=None):
    """-> the states after each input, the one before in front."""
    states = [np.zeros(len(cell["W_hh"][0])) if h is None else h]
    for x in xs:
        states.append(step(cell, x, states[-1]))
    return states


def hot(n, i):
    return np.eye(n)[i]


def row(task, h):
    return np.array(task["W_hy"]) @ h + np.array(task["b_y"])


def answers(task, inputs):
    """Inputs, None where blank -> rows, and the answer, by the docstring."""
    first, shape = task["cells"][0], task["shape"]
    D = len(first["W_xh"][0])
    if shape == "forecasting":
        xs = [[0, 0] if v is None else [v, 1] for v in inputs]
        y = row(task, read(first, np.array(xs, float))[-1])
        return [y], y
    xs = [hot(D, i or 0) for i in inputs]
    states = read(first, xs)
    if shape == "classification":
        rows = [row(task, states[-1])]
    elif shape == "labelling":
        left = read(task["cells"][1], xs[::-1])[:0:-1]
        pairs = zip(states[1:], left, strict=True)
        rows = [row(task, np.concatenate(pair)) for pair in pairs]
    elif shape == "generation":
        h, rows = states[-1], []
        while len(rows) < task["writes"]:
            if rows:
                h = step(first, hot(D, rows[-1].argmax()), h)
            rows.append(row(task, h))
    else:
        h, told, rows = states[-1], task["go"], []
        cell = task["cells"][1]
        while told != task["end"] and len(rows) < task["writes"]:
            h = step(cell, hot(len(task["W_hy"]), told), h)
            rows.append(row(task, h))
            told = rows[-1].argmax()
    best = [int(r.argmax()) for r in rows]
    return rows, [i for i in best if i != task.get("end")]


@pytest.mark.parametrize("name", tasks.TASKS)
def test_what_the_lab_computes_is_what_the_library_computes(found, name):
    task = found[name]
    for example in task["examples"]:
        rows, told = answers(task, example["inputs"])
        np.testing.assert_allclose(rows, example["rows"], atol=1e-9)
        np.testing.assert_allclose(told, example["answer"], atol=1e-9)
        assert len(example["places"]) == len(told)


@pytest.mark.parametrize("name", tasks.TASKS)
def test_a_blank_changes_what_the_lab_says_it_changes(found, name):
    task = found[name]
    for example in task["examples"]:
        inputs, told = example["inputs"], example["answer"]
        changes = set()
        for t in range(len(inputs)):
            blanked = [*inputs[:t], None, *inputs[t + 1 :]]
            _, other = answers(task, blanked)
            if name == "numbers" and len(other) > len(told):
                changes.add((t, len(told)))
            for j, answer in enumerate(told):
                now = other[j] if j < len(other) else None
                if name == "quarters":
                    moved = abs(now - answer) > task["tolerance"]
                else:
                    moved = now != answer
                changes |= {(t, j)} if moved else set()
        assert changes == {tuple(pair) for pair in example["changes"]}


@pytest.mark.parametrize("name", tasks.TASKS)
def test_no_answer_of_an_example_hangs_on_the_last_digit(found, name):
    """So that another order of summing cannot change what the lab shows."""
    task = found[name]
    if name == "quarters":
        return
    for example in task["examples"]:
        top = np.sort(example["rows"], axis=1)
        assert np.min(top[:, -1] - top[:, -2]) > 1e-6


def test_the_lab_has_what_it_needs_in_both_languages(found):
    for task in found.values():
        if task["shape"] != "forecasting":
            width = len(task["cells"][0]["W_xh"][0])
            assert {len(names) for names in task["words"].values()} == {width}
            rows = len(task["b_y"])
            assert {len(names) for names in task["answers"].values()} == {rows}


def test_shares_of_distances_add_up():
    for name in tasks.TASKS:
        found = runs("task_cards", row=name)
        assert len(found) == 5
        counted = [sum(run["flips"].values()) for run in found]
        assert min(counted) > 100, name
        shares = flip_distance.shares(name)
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        inside = {str(lag) for lag in flip_distance.LAGS}
        assert all(set(run["flips"]) <= inside for run in found)
