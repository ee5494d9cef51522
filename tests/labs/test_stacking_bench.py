"""The stacking bench: what an output sees, and along how many paths."""

import pytest

from figures_src.deep_bidirectional import stacking_bench
from figures_src.deep_bidirectional.stacking_bench import (
    AHEAD,
    CHUNK,
    KINDS,
    LAYERS,
    T,
)
from tests.labs.page import PHONE, Case, says

CASES = {
    "stacking-bench": Case(
        "stacking_bench",
        ("a sum over 11 paths", "11 条路径之和"),
        ("Output t", "ArrowRight", "t", "6", "6"),
        ("?kind=right&L=3&s=2", "a sum over 10 paths, each of 5 edges"),
        ("?kind=up&L=0&t=10&s=1.x&C=0&R=9", "a sum over 11 paths"),
    )
}


@pytest.mark.parametrize("L", LAYERS)
@pytest.mark.parametrize(
    "kind, chunk, ahead",
    [(kind, CHUNK, AHEAD) for kind in KINDS]
    + [("chunked", *cut) for cut in [(1, 0), (1, 8), (2, 1), (4, 5), (9, 0)]],
)
def test_paths_and_what_is_lit(replay, kind, L, chunk, ahead):
    (found,) = replay(["stacking-bench", "tables", kind, L, chunk, ahead, T])
    given = kind, L, chunk, ahead
    assert found["paths"] == stacking_bench.paths(*given).tolist()
    assert found["longest"] == stacking_bench.longest(*given).tolist()
    for t, lit in enumerate(found["lit"]):
        want = stacking_bench.lit(kind, L, t, chunk, ahead)
        assert {tuple(node) for node in lit} == want


def test_a_longest_way_is_a_way(replay):
    grid = ["chunked", 3, 2, 1, 5]
    (found,) = replay(["stacking-bench", "ways", *grid])
    reads, outputs = stacking_bench.graph(*grid)
    for t, row in enumerate(found):
        for s, way in enumerate(row):
            nodes = [tuple(node) for node in way]
            if not nodes:
                continue
            assert nodes[0] == (0, 0, "x", s) and nodes[-1] in outputs[t]
            for before, after in zip(nodes, nodes[1:], strict=False):
                assert before in reads[after]


def press(page, field, step, how="mouse"):
    """A click or a tap on the middle of a step's column."""
    page.locator(".pad").nth(field).scroll_into_view_if_needed()
    box = page.locator(".pad").nth(field).bounding_box()
    x = box["x"] + (step - 0.5) / T * box["width"]
    y = box["y"] + box["height"] / 2
    if how == "mouse":
        page.mouse.click(x, y)
    else:
        page.touchscreen.tap(x, y)


def lit_inputs(page):
    """How many inputs are filled in each of the three grids."""
    filled = page.locator(".live rect:not(.pad, .band)").evaluate_all(
        """inputs => inputs.map(
             (input) => input.getAttribute("fill") !== "var(--q-paper)")"""
    )
    return [sum(filled[i : i + T]) for i in (0, T, 2 * T)]


def test_an_output_is_clicked_in_any_grid(visit):
    page = visit("stacking-bench")
    assert lit_inputs(page) == [5, 9, 8]
    press(page, 0, 2)  # one way
    page.wait_for_function("location.search === '?kind=right&t=2'")
    assert says(page).startswith("One way, output 2 sees inputs 1 to 2 and")
    assert lit_inputs(page) == [2, 9, 5]
    press(page, 4, 9)  # in chunks
    page.wait_for_function("location.search === '?kind=chunked&t=9'")
    assert "output 9 sees all 9 inputs" in says(page)
    press(page, 1, 7)  # an input of the first grid
    page.wait_for_function("location.search === '?kind=right&t=9&s=7'")
    assert "sum over 3 paths, each of 3 edges" in says(page)
    press(page, 0, 5)
    page.wait_for_function("location.search === '?kind=right&s=7'")
    assert "Input 7 has no path to it: its gradient is 0." in says(page)


def test_outputs_are_dragged_along(visit):
    page = visit("stacking-bench")
    press(page, 2, 5)
    box = page.locator(".pad").nth(2).bounding_box()
    y = box["y"] + 20
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 2 * box["width"], y, steps=5)
    page.mouse.up()
    page.wait_for_function("location.search === '?t=9'")
    assert lit_inputs(page) == [9, 9, 9]


def test_touch_chooses_an_input(visit):
    page = visit("stacking-bench", **PHONE)
    press(page, 5, 9, "touch")  # of the last grid: nobody waits for it
    page.wait_for_function("location.search === '?kind=chunked&s=9'")
    assert "sees inputs 1 to 8 and nothing later" in says(page)
    assert "Input 9 has no path to it" in says(page)
    field = page.locator(".pad").nth(5)
    assert field.bounding_box()["width"] / T > 30
    assert field.evaluate("e => getComputedStyle(e).touchAction") == "pan-y"


def test_the_longest_way_is_drawn(visit):
    """Three layers read both ways: right, left, right, through all states."""
    page = visit("stacking-bench", "?L=3&t=9")
    longest = stacking_bench.longest("both", 3)[8][0]
    assert longest == 3 * T - 1
    assert f"{longest}, through every step of every layer" in says(page)
    way = page.locator('.live path[stroke="var(--q-gradient)"]')
    places = way.get_attribute("d").lstrip("M").split("L")
    # From the input, through the states, to the arrow of the output.
    assert len(places) == longest + 3


@pytest.mark.parametrize(
    "query, text",
    [
        ("?kind=right&t=1", "sees input 1 and no other"),
        ("?kind=right&L=1", "comes down a single path, of 4 edges"),
        ("?kind=chunked&C=1&R=0", "In chunks of 1 with nothing ahead"),
        ("?kind=chunked&C=9", "output 5 sees all 9 inputs"),
        ("?L=1&t=1", "comes straight down, along 2 paths"),
    ],
)
def test_extremes_in_words(visit, query, text):
    assert text in says(visit("stacking-bench", query))


def test_direction_and_layers_by_keyboard(visit):
    page = visit("stacking-bench")
    page.get_by_label("Direction").select_option("one way")
    page.wait_for_function("location.search === '?kind=right'")
    assert "a sum over 5 paths, each of 5 edges" in says(page)
    page.get_by_label("Layers L", exact=True).focus()
    page.keyboard.press("End")
    page.wait_for_function("location.search === '?kind=right&L=4'")
    assert "a sum over 35 paths, each of 7 edges" in says(page)
