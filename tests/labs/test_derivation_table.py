"""The derivation table: nudge one step's copy of w."""

import numpy as np
import pytest

from figures_src.bptt import derivation_table
from tests.labs.page import Case, says, slide

RTOL = 1e-9
CASES = {
    "derivation-table": Case(
        "derivation_table",
        ("Its term, 0.337", "它那一项是 0.337"),
        ("Nudge of w", "ArrowLeft", "nudge", "+0.09", "0.09"),
        ("?copy=all&nudge=-0.2&h0=0.5", "Take 0.20 from all"),
        ("?copy=4&nudge=&h0=Infinity", "Its term, 0.337"),
    )
}


@pytest.mark.parametrize("h_0", [0.0, 1.0, -1.0, 0.35])
def test_derivation_table(replay, h_0):
    given = [[0.9] * 3, 1, [1, 0, 0], h_0]
    rows, wrong = replay(
        ["derivation-table", "table", *given],
        ["derivation-table", "withoutSlope", *given],
    )
    want = derivation_table.table(h_0)
    for mine, theirs in (
        ("h", "h"),
        ("immediate", "immediate"),
        ("chain", "chain"),
        ("term", "terms"),
    ):
        found = [row[mine] for row in rows]
        np.testing.assert_allclose(found, want[theirs], rtol=RTOL, atol=1e-15)
    assert wrong == pytest.approx(want["without_slope"], rel=RTOL)


@pytest.mark.parametrize("moved", [[1], [2], [3], [1, 2, 3]])
@pytest.mark.parametrize("delta", [-0.5, 0, 0.1, 0.5])
def test_derivation_nudges_only_the_copies_named(replay, moved, delta):
    (found,) = replay(
        [
            "derivation-table",
            "nudged",
            [0.9] * 3,
            1,
            [1, 0, 0],
            0.2,
            moved,
            delta,
        ]
    )
    copies = [0.9 + delta * (k in moved) for k in (1, 2, 3)]
    want = derivation_table.unshared(copies, 0.2)[-1]
    assert found == pytest.approx(want, rel=RTOL)


def test_derivation_by_hand():
    found = derivation_table.table()
    terms = [0, 0.337, 0.452]
    assert found["terms"] == pytest.approx(terms, abs=5e-4)
    assert found["sum"] == pytest.approx(0.789, abs=5e-4)
    assert found["without_slope"] == pytest.approx(1.280, abs=5e-4)
    # One copy's term is the slope of L in that copy alone.
    for k in range(3):
        up, down = (
            [0.9 + e * (i == k) for i in range(3)] for e in (1e-6, -1e-6)
        )
        rise = derivation_table.unshared(up) - derivation_table.unshared(down)
        assert rise[-1] / 2e-6 == pytest.approx(found["terms"][k], abs=1e-8)


def test_radio_chooses_the_copy(visit):
    page = visit("derivation-table")
    page.get_by_label("step 2", exact=True).focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("location.search === '?copy=3'")
    assert "Its term, 0.452" in says(page)
    page.get_by_label("all steps").check()
    page.evaluate("nextFrame()")
    assert "add up to 0.789" in says(page)
    page.get_by_label("step 1").check()
    page.evaluate("nextFrame()")
    assert "its term is 0 and L stays" in says(page)
    slide(page, "Start h₀", 0.5)
    assert "Its term, 0." in says(page)
