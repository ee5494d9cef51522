"""The padding bench: lengths in fixed slots, and what reads the filler."""

import numpy as np
import pytest

from figures_src.batching import padding_bench
from tests.labs.page import PHONE, Case, says, slide

RTOL = 1e-9
CASES = {
    "padding-bench": Case(
        "padding_bench",
        ("the mean is 0.26; masked, it is 0.70", "平均是 0.26；用掩码"),
        ("Slots T", "ArrowLeft", "T", "7", "7"),
        ("?n1=0&n2=12&T=11&pad=0.4", "passes for 0.40 and 0.49"),
        ("?n1=13&n2=-1&T=0&pad=zero", "the mean is 0.26"),
    )
}
CELL = {
    "w": padding_bench.W,
    "u": padding_bench.U,
    "b": padding_bench.BIAS,
}
READINGS = [list(row) for row in padding_bench.READINGS]


@pytest.mark.parametrize("padding", [0, 0.3, 1])
@pytest.mark.parametrize(
    "lengths, T",
    [((3, 6, 10), 8), ((1, 12, 5), 12), ((12, 12, 12), 1), ((4, 4, 4), 4)],
)
def test_bench(replay, monkeypatch, lengths, T, padding):
    monkeypatch.setattr(padding_bench, "PADDING", float(padding))
    want = padding_bench.bench(lengths, T)
    cell = CELL | {"padding": padding}
    call = ["padding-bench", "bench", READINGS, list(lengths), T, cell]
    (found,) = replay(call)
    near = {"rtol": RTOL, "atol": 1e-15}
    for theirs, mine in (
        ("overflow", "overflow"),
        ("x", "x"),
        ("states_naive", "states"),
        ("mean_naive", "mean_naive"),
        ("mean_valid", "mean_valid"),
        ("last_naive", "last_naive"),
        ("last_valid", "last_valid"),
    ):
        rows = [row[mine] for row in found["rows"]]
        np.testing.assert_allclose(rows, want[theirs], **near)
    for row, mask in zip(found["rows"], want["mask"], strict=True):
        assert row["real"] == sum(mask)
    assert found["batch"] == pytest.approx(want["batch"], rel=RTOL)
    assert found["real"] == np.sum(want["mask"])
    assert found["cells"] == T * len(lengths)


def test_an_empty_row_has_a_naive_mean_only(replay):
    cell = CELL | {"padding": 0.4}
    calls = [[0, 6, 10], [0, 0, 0]]
    one, all_empty = replay(
        *(["padding-bench", "bench", READINGS, n, 8, cell] for n in calls)
    )
    empty = one["rows"][0]
    assert empty["mean_valid"] is None and empty["last_valid"] is None
    assert empty["mean_naive"] == pytest.approx(0.4)
    assert all_empty["batch"]["tokens"] is None
    assert all_empty["batch"]["sequences"] is None
    rest = [row["mean_valid"] for row in one["rows"][1:]]
    assert one["batch"]["sequences"] == pytest.approx(np.mean(rest))
    with pytest.raises(ValueError, match="lengths"):
        padding_bench.bench(calls[0], 8)


def test_lengths_are_typed(visit):
    page = visit("padding-bench")
    field = page.get_by_label("Length 1")
    field.fill("12")
    page.wait_for_function("location.search === '?n1=12'")
    assert "Row 2 has 6 readings in 8 slots" in says(page)
    assert "Rows 1 and 3 have lost 6 readings" in says(page)
    field.fill("40")  # as many as there are
    page.wait_for_timeout(50)
    assert field.input_value() == "40"
    field.blur()
    assert field.input_value() == "12"
    field.fill("")
    assert "Rows 1 and 3 have lost 6 readings" in says(page)
    field.blur()
    assert field.input_value() == "12"
    field.focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("location.search === '?n1=11'")
    for row in 1, 2, 3:
        page.get_by_label(f"Length {row}").fill("0")
    page.wait_for_function("location.search === '?n1=0&n2=0&n3=0'")
    assert "Row 1 is empty" in says(page)
    count = page.text_content("seq-lab .count")
    assert count == "There is nothing in this batch to take a mean of."


def test_filler_moves_rings_and_no_dot(visit):
    page = visit("padding-bench")
    circles = """() => {
      const of = (r) => [...document.querySelectorAll(`.live [r="${r}"]`)]
        .map((circle) => Number(circle.getAttribute("cx")));
      return [of(6), of(3.6)];
    }"""
    rings, dots = page.evaluate(circles)
    slide(page, "Filler", 0.7)
    moved, same = page.evaluate(circles)
    assert dots == same and len(dots) == 6
    assert [a != b for a, b in zip(rings, moved, strict=True)] == (
        [True, True, False] * 2  # the third row has no slot to fill
    )
    # A filler can be right by luck; the state is not taken in.
    assert "of row 1 is right by luck: 0.70" in says(page)
    assert "turns from 0.74 into 0.81" in says(page)


def test_rows_and_wall_are_dragged(visit):
    page = visit("padding-bench")
    fields = page.locator(".pad.along")
    fields.first.scroll_into_view_if_needed()
    wall, first = (fields.nth(i).bounding_box() for i in (0, 1))
    slot = first["width"] / 12

    def drag(box, start, end):
        y = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + start * slot, y)
        page.mouse.down()
        page.mouse.move(box["x"] + end * slot, y, steps=4)
        page.mouse.up()

    drag(first, 3, 7)
    page.wait_for_function("location.search === '?n1=7'")
    drag(first, 7, -2)
    page.wait_for_function("location.search === '?n1=0'")
    assert page.get_by_label("Length 1").input_value() == "0"
    drag(first, 0, 3)
    drag(wall, 8, 15)
    page.wait_for_function("location.search === '?T=12'")
    assert "3 readings in 12 slots" in says(page)
    assert "lost" not in says(page)
    drag(wall, 12, -5)
    page.wait_for_function("location.search === '?T=1'")
    assert "Every row fills its 1 slot:" in says(page)


def test_touch_sets_a_length(visit):
    page = visit("padding-bench", **PHONE)
    field = page.locator(".pad.along").nth(3)
    field.scroll_into_view_if_needed()
    box = field.bounding_box()
    page.touchscreen.tap(
        box["x"] + 2.5 / 12 * box["width"], box["y"] + box["height"] / 2
    )
    page.wait_for_function("location.search === '?n3=3'")
    assert page.get_by_label("Length 3").input_value() == "3"
    assert field.evaluate("e => getComputedStyle(e).touchAction") == "pan-y"
