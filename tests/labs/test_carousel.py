"""The carousel: lower f, then take all roads and turn up W_hh."""

import numpy as np
import pytest

from figures_src.carousel import carousel
from tests.labs.page import PHONE, Case, says, slide

RTOL = 1e-9
NONSENSE = "?f=2&g=x&roads=maybe"
CASES = {
    "carousel": Case(
        "carousel",
        ("f = 1 loses nothing", "f = 1，直接的路一点不丢"),
        ("Forget gate f", "ArrowLeft", "f", "0.99", "0.99"),
        ("?f=0.9&g=3&roads=1", "0.9¹⁰⁰ says 2.7×10⁻⁵"),
        (NONSENSE, "f = 1 loses nothing"),
    )
}
GATES = 0.8, 0.9, 0.99, 1
SCALES = 0, 0.35, 1, 1.7, 2.5, 3


@pytest.fixture(scope="module")
def lab():
    found = carousel.results()
    x = [value / 10 for value in found["x"]]
    return found, x, {"H": found["H"], "D": found["D"]}


@pytest.mark.parametrize("g", SCALES)
def test_norms_of_both_networks(replay, lab, g):
    found, x, sizes = lab
    calls = [
        ["carousel", "total", found["lstm"], x, sizes, f, g] for f in GATES
    ]
    calls.append(["carousel", "plain", found["rnn"], x, sizes, g])
    *totals, plain = replay(*calls)
    near = {"rtol": RTOL, "atol": 1e-300}
    np.testing.assert_allclose(plain, carousel.plain(0, g), **near)
    for f, norms in zip(GATES, totals, strict=True):
        np.testing.assert_allclose(norms, carousel.total(0, f, g), **near)


def test_direct_path_is_all_there_is_without_recurrence(replay, lab):
    found, x, sizes = lab
    for f in GATES:
        direct, total = replay(
            ["carousel", "direct", f, carousel.T],
            ["carousel", "total", found["lstm"], x, sizes, f, 0],
        )
        np.testing.assert_allclose(direct, carousel.direct(f), rtol=RTOL)
        np.testing.assert_allclose(total, direct, rtol=RTOL)


def test_from_the_formula_to_all_roads(visit):
    page = visit("carousel")
    slide(page, "Forget gate f", 0.9)
    assert "2.7×10⁻⁵ of the gradient is left" in says(page)
    slide(page, "Scale g of W_hh", 2)
    assert "moves only the plain network" in says(page)
    assert "2.7×10⁻⁵ of the gradient is left" in says(page)
    page.get_by_label("All roads").focus()
    page.keyboard.press("Space")
    page.wait_for_function("location.search === '?f=0.9&g=2&roads=1'")
    assert "the gradient grows to 1.5" in says(page)
    slide(page, "Scale g of W_hh", 0)
    assert "0.9¹⁰⁰ = 2.7×10⁻⁵ is exact" in says(page)
    assert "plain network beside it has nothing left" in says(page)


def test_roads_are_opened_with_a_finger(visit):
    page = visit("carousel", "?f=0.9", **PHONE)
    assert page.locator(".live path[stroke='var(--q-c)']").count() == 0
    page.get_by_label("All roads").tap()
    page.wait_for_function("location.search === '?f=0.9&roads=1'")
    assert page.locator(".live path[stroke='var(--q-c)']").count() == 1
    assert "all roads together leave 3.5×10⁻³" in says(page)


@pytest.mark.parametrize("f", [0.8, 0.9, 0.99, 1])
@pytest.mark.parametrize("g", [0, 0.5, 1, 1.75, 3])
def test_sentence_has_the_figure_s_number(visit, f, g):
    page = visit("carousel", f"?f={f}&g={g}&roads=1")
    left = float(carousel.total(0, f, g)[carousel.T])
    said = says(page)
    if 0.01 <= left < 100:
        assert f"{float(f'{left:.2g}'):g}" in said
    else:
        assert f"{left:.1e}".split("e")[0] in said
