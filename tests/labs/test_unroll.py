"""The unrolled reader: swap a word, see how far the difference travels."""

import numpy as np
import pytest

from figures_src.rnn import unroll
from seqbook.functional import sigmoid
from tests.labs.page import PHONE, Case, says, slide

RTOL = 1e-9
CASES = {
    "unroll": Case(
        "unroll",
        ("from 0.999 to 0.002", "从 0.999 变成 0.002"),
        ("Read up to word", "ArrowLeft", "t", "14 of 15", "14"),
        ("?t=9&at=4", "With brother for sister the states part by 0.21; 5"),
        ("?t=-1&at=99&word=dog&net=x&sentence=4", "from 0.999 to 0.002"),
    )
}
SENTENCES = [sentence.split() for sentence in unroll.SENTENCES]


def alternatives(word):
    groups = [g for g in unroll.GROUPS if word in g]
    return [other for g in groups for other in g if other != word]


@pytest.mark.parametrize("kind", ["trained", "start", "default"])
def test_both_readings(replay, kind):
    reader = unroll.readers(kind)[0]
    weights = unroll.as_lists(reader)
    for sentence in SENTENCES:
        for step, word in enumerate(sentence, 1):
            for other in alternatives(word)[:1]:
                pair = unroll.pair(sentence, step, other)
                h, logits, _ = unroll.read(reader, pair)
                mine = replay(
                    *(
                        ["unroll", "states", weights, c.tolist()]
                        for c in pair.T
                    )
                )
                near = {"rtol": RTOL, "atol": 1e-13}
                for k, found in enumerate(mine):
                    np.testing.assert_allclose(found, h[:, k], **near)
                d, *praise = replay(
                    ["unroll", "distances", *mine],
                    *(
                        ["unroll", "praise", weights, rows[-1]]
                        for rows in mine
                    ),
                )
                want = unroll.travel(reader, sentence, step, other)
                np.testing.assert_allclose(d[step - 1 :], want, **near)
                assert not any(d[: step - 1])
                np.testing.assert_allclose(praise, sigmoid(logits), **near)


def test_places_and_words_that_may_be_swapped(replay):
    for sentence in SENTENCES:
        want = [t for t, w in enumerate(sentence, 1) if alternatives(w)]
        (steps,) = replay(["unroll", "places", unroll.GROUPS, sentence])
        assert steps == want and steps[0] == 2 and steps[-1] == len(sentence)
    calls = [
        ["unroll", "alternatives", unroll.GROUPS, w] for w in unroll.WORDS
    ]
    assert replay(*calls) == [alternatives(w) for w in unroll.WORDS]
    moves = {(7, 6): 8, (7, 8): 6, (1, 2): 2, (9, 8): 9, (12, 9): 9}
    calls = [["unroll", "place", [2, 6, 8, 9], *move] for move in moves]
    assert replay(*calls) == list(moves.values())


def test_dragging_reads_on_and_back(visit):
    page = visit("unroll")
    field = page.locator(".pad").first
    field.scroll_into_view_if_needed()
    box = field.bounding_box()
    y = box["y"] + 0.5 * box["height"]
    page.mouse.move(box["x"] + 0.99 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], y, steps=5)
    page.wait_for_function("location.search === '?t=8'")
    assert "6 words later they are" in says(page)
    page.mouse.move(box["x"] - 50, y, steps=3)
    page.mouse.up()
    page.wait_for_function("location.search === '?t=0'")
    assert "Nothing is read yet" in says(page)


def test_pressing_a_word_swaps_it(visit):
    page = visit("unroll", **PHONE)
    names = page.locator(".pad").last
    names.scroll_into_view_if_needed()
    box = names.bounding_box()
    width = box["width"] / (15 + 0.4)
    page.touchscreen.tap(box["x"] + 3.7 * width, box["y"] + 30)
    page.wait_for_function("location.search === '?at=4'")
    assert "With brother for sister" in says(page)
    assert "does not turn on that word" in says(page)


def test_swap_and_network_by_keyboard(visit):
    page = visit("unroll")
    swap = page.get_by_label("Swapped word")
    swap.focus()
    page.keyboard.press("End")
    page.wait_for_function("location.search === '?at=15'")
    assert "the last word" in says(page)
    assert swap.get_attribute("aria-valuetext") == "15: unpredictable"
    page.keyboard.press("ArrowLeft")  # over "was", "it" and the comma
    page.wait_for_function("location.search === '?at=11'")
    page.keyboard.press("Home")
    page.wait_for_function("location.search === ''")
    page.get_by_label("Instead").select_option("novel")
    page.evaluate("nextFrame()")
    assert "With novel for thriller" in says(page)
    page.get_by_label("Review").select_option("25 words")
    page.get_by_label("Network").select_option("default")
    page.evaluate("nextFrame()")
    assert "With novel for car" in says(page) and "×10⁻⁶ % of it" in says(page)


def test_play_reads_to_the_end_and_stops(visit):
    page = visit("unroll", "?t=12")
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").wait_for()
    page.wait_for_function("location.search === ''")
    assert page.get_by_role("button", name="Play").is_visible()
    page.get_by_role("button", name="Play").click()  # from the start
    page.wait_for_timeout(100)
    assert "Nothing is read yet" in says(page)
    slide(page, "Read up to word", 5)  # the reader's hand stops it
    page.wait_for_function("location.search === '?t=5'")
    assert page.get_by_role("button", name="Play").is_visible()


def test_no_play_for_those_who_ask_for_less_motion(visit):
    page = visit("unroll", reduced_motion="reduce")
    assert page.get_by_role("button").count() == 1
