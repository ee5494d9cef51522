"""The (r, z) square of the GRU, and the count of its parameters."""

import numpy as np
import pytest

from figures_src.gru import rz_square
from seqbook.counting import gru_parameters, lstm_parameters, rnn_parameters
from tests.labs.page import PHONE, Case, says

RTOL = 1e-9
CASES = {
    "rz-square": Case(
        "rz_square",
        ("slope 0.945 per step", "每步斜率 0.945"),
        ("Update gate z", "Home", "z", "0.00", "0"),
        ("?r=0&z=0.03&cell=LSTM&D=7", "about 66 steps"),
        ("?r=-1&z=%3Cb%3E&cell=CNN&D=0&biases=3", "slope 0.945"),
    )
}


@pytest.mark.parametrize(
    "r, z",
    [(0, 0), (1, 0), (0, 1), (1, 1), (0.5, 0.1), (0, 2 / 61), (1, 0.99)],
)
def test_gru_of_the_square(replay, r, z):
    T = 100
    zeros, impulse = [0] * T, [1] + [0] * (T - 1)
    kept, written, slope = replay(
        ["rz-square", "run", r, z, 0.9, 1, zeros, 1],
        ["rz-square", "run", r, z, 0.9, 1, impulse, 0],
        ["rz-square", "slope", r, z, 0.9],
    )
    near = {"rtol": RTOL, "atol": 1e-300}
    np.testing.assert_allclose(kept, rz_square.kept(r, z, T), **near)
    np.testing.assert_allclose(written, rz_square.written(r, z, T), **near)
    assert slope == pytest.approx(rz_square.slope(r, z), rel=RTOL)


def test_square_names_its_corners():
    points = rz_square.results()["points"]
    assert points["copy"]["after_100"] == 1
    assert points["memoryless"]["after_20"] == 0
    assert points["Elman"]["slope"] == pytest.approx(0.9)
    assert points["average"]["slope"] == pytest.approx(59 / 61)


def test_parameter_counts(replay):
    cells = {
        "RNN": rnn_parameters,
        "GRU": gru_parameters,
        "LSTM": lstm_parameters,
    }
    sizes = [(1, 1, 1), (128, 256, 1), (128, 256, 2), (512, 1024, 2)]
    calls = [(cell, *size) for cell in cells for size in sizes]
    found = replay(*(["rz-square", "parameters", *call] for call in calls))
    assert found == [cells[cell](*size) for cell, *size in calls]
    assert found[1] == 98_560 and found[5] == 295_680 and found[9] == 394_240


def test_assembly_counts_in_both_conventions(visit):
    page = visit("rz-square")
    count = page.locator("seq-lab .count")
    assert "295,680 parameters, 75 % of the LSTM’s 394,240" in (
        count.text_content()
    )
    page.get_by_label("Biases").select_option("two (PyTorch)")
    page.evaluate("nextFrame()")
    assert "(128 + 256 + 2) = 296,448" in count.text_content()
    page.get_by_label("Cell").select_option("RNN")
    page.wait_for_function("location.search === '?cell=RNN&biases=2'")
    assert "98,816 parameters, 25 %" in count.text_content()
    status = page.text_content("seq-lab [role=status]")
    assert "98,816" in status and "slope" not in status  # only what changed


def test_square_is_dragged(visit):
    page = visit("rz-square")
    page.locator(".pad").scroll_into_view_if_needed()
    box = page.locator(".pad").bounding_box()
    page.mouse.move(
        box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"]
    )
    page.mouse.down()
    page.mouse.move(box["x"] + 2 * box["width"], box["y"] - 50, steps=4)
    page.mouse.up()
    page.wait_for_function("location.search === '?r=1&z=1'")
    assert "Elman’s network" in says(page)


def test_touch_drags_the_square(visit):
    page = visit("rz-square", **PHONE)
    page.locator(".pad").scroll_into_view_if_needed()
    box = page.locator(".pad").bounding_box()
    page.touchscreen.tap(box["x"] + 1, box["y"] + box["height"] - 1)
    page.wait_for_function("location.search === '?r=0&z=0'")
    assert "copies its state" in says(page)
