"""The task cards: what a blanked-out input changes, and from how far."""

import numpy as np
import pytest

from bookproof.run.figures import results
from figures_src.lib import cards
from tests.labs.page import PHONE, Case, says, slide

CASES = {
    "task-cards": Case(
        "task_cards",
        ("turns from ‘against’ into ‘for’", "从‘反对’变成‘赞成’"),
        ("Move one blank", "ArrowRight", "blanks", "2: critics", "2"),
        (
            "?task=tags&blanks=4",
            "from ‘DET ADJ NOUN VERB’ into ‘DET NOUN VERB NOUN’",
        ),
        (
            "?task=chess&example=9&blanks=2-5",
            "turns from ‘against’ into ‘for’",
        ),
    )
}


@pytest.fixture(scope="module")
def found():
    return {task["task"]: task for task in results("task_cards")["tasks"]}


def blanked(inputs, blanks):
    return [None if t in blanks else v for t, v in enumerate(inputs)]


@pytest.mark.parametrize("name", cards.TASKS)
def test_answers_are_the_library_s(replay, found, name):
    rng = np.random.default_rng(0)
    task, model = cards.TASKS[name], cards.shown_model(name)
    for example in found[name]["examples"]:
        T = len(example["inputs"])
        tries = [[], list(range(T))]
        tries += [np.flatnonzero(rng.random(T) < 0.3) for _ in range(4)]
        tries = [blanked(example["inputs"], each) for each in tries]
        mine = replay(
            *(["task-cards", "answer", found[name], each] for each in tries)
        )
        rows, told = cards.answer(task, model, tries)
        for b, each in enumerate(mine):
            n = len(each["rows"])
            want = rows[:n, b]
            np.testing.assert_allclose(each["rows"], want, rtol=0, atol=1e-9)
            ends = [i for i in told[:, b] if i != cards.END]
            if name == "numbers":
                assert each["answer"] == ends
            else:
                np.testing.assert_allclose(each["answer"], told[:, b])
        np.testing.assert_allclose(mine[0]["rows"], example["rows"], atol=1e-9)


@pytest.mark.parametrize("name", cards.TASKS)
def test_single_blanks_change_what_the_script_says(replay, found, name):
    for example in found[name]["examples"]:
        inputs, told = example["inputs"], example["answer"]
        tell = ["task-cards", "pivots", found[name], inputs]
        mine = replay(*([*tell, [t]] for t in range(len(inputs))))
        pairs = [pair for each in mine for pair in each]
        n = len(told)  # the writing may go on for longer than one more
        assert [p for p in pairs if p[1] <= n] == example["changes"]
        at = ["task-cards", "place", found[name], len(inputs)]
        assert replay(*([*at, j] for j in range(n))) == example["places"]


def test_a_line_starts_where_putting_back_one_input_helps(replay, found):
    task = found["melody"]
    inputs = task["examples"][0]["inputs"]  # G A D E | G C G E |
    episode, two = replay(
        *(
            ["task-cards", "pivots", task, inputs, blanks]
            for blanks in ([5, 6, 7, 8], [1, 6])
        )
    )
    assert episode == []
    assert [1, 1] in two and all(t == 1 for t, _ in two)


def test_buttons_toggle_blanks(visit):
    page = visit("task-cards")
    few = page.get_by_role("button", name="1: few")
    assert few.get_attribute("aria-pressed") == "true"
    few.focus()
    page.keyboard.press("Space")
    page.wait_for_function("location.search === '?blanks=0'")
    assert "Nothing is blank" in says(page)
    assert few.get_attribute("aria-pressed") == "false"
    for t in 5, 2:
        page.locator(".tokens button").nth(t - 1).click()
    page.wait_for_function("location.search === '?blanks=2_5'")
    assert "Without ‘critics’ and ‘film’, the answer stays as" in says(page)
    for left in range(9, 0, -1):
        buttons = page.locator(".tokens [aria-pressed=false]")
        assert buttons.count() == left
        buttons.first.click()
        page.evaluate("nextFrame()")
    assert "Everything is blank" in says(page)


def test_tasks_and_examples_start_where_it_matters(visit):
    page = visit("task-cards")
    menu = page.get_by_label("Task", exact=True)
    for name in cards.TASKS:
        menu.select_option(name)
        page.evaluate("nextFrame()")
        assert "turns from" in says(page), name
        most = len(cards.EXAMPLES[name])
        slide(page, "Example", 99)
        page.wait_for_function(f"location.search.includes('example={most}')")


def test_inputs_of_the_picture_are_pressed(visit):
    for options, tap in ({}, False), (PHONE, True):
        page = visit("task-cards", "?blanks=0", **options)
        field = page.locator(".pad.press")
        field.scroll_into_view_if_needed()
        box = field.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.5 / 11
        (page.touchscreen.tap if tap else page.mouse.click)(x, y)
        page.wait_for_function("location.search === ''")
        assert "turns from ‘against’ into ‘for’" in says(page)
