"""The gate console: a bit carried past distractors with gates set by hand."""

import numpy as np
import pytest

from figures_src.lstm import gate_console
from tests.labs.page import PHONE, Case, says, slide

RTOL = 1e-9
NAMES = "f", "i", "o"
TASK = {
    "u": gate_console.U,
    "c_0": gate_console.C_0,
    "threshold": gate_console.THRESHOLD,
    "distractors": list(gate_console.DISTRACTORS),
}
FADED = "?f=0_0.9*11&i=1_0*11"
CASES = {
    "gate-console": Case(
        "gate_console",
        ("the distractors brought −3.21", "干扰加进来 −3.21"),
        ("Write i", "ArrowLeft", "i", "0.99", "1_0.99*10_0"),
        (FADED, "f has left ±0.30 of it"),
        ("?f=2&i=0_0&o=x&steps=99", "the distractors brought −3.21"),
    )
}


def by_gate(gates):
    """Rows of (f, i, o) -> {"f": [...], "i": ..., "o": ...}."""
    return dict(zip(NAMES, np.transpose(gates).tolist(), strict=True))


def some_gates():
    rng = np.random.default_rng(0)
    yield from gate_console.POLICIES.values()
    for _ in range(10):
        yield rng.integers(0, 11, (gate_console.T, 3)) / 10
    yield np.zeros((gate_console.T, 3))
    yield np.ones((gate_console.T, 3))


@pytest.mark.parametrize("bit", gate_console.BITS)
def test_cell_of_the_console(replay, bit):
    every = list(some_gates())
    calls = [["gate-console", "run", by_gate(g), bit, TASK] for g in every]
    for found, gates in zip(replay(*calls), every, strict=True):
        want = gate_console.run(gates, bit)
        for name in "x", "c", "h":
            near = {"rtol": RTOL, "atol": 1e-15}
            np.testing.assert_allclose(found[name], want[name], **near)


def test_answers_and_what_the_last_cell_is_made_of(replay):
    every = list(some_gates())
    calls = [
        ["gate-console", name, by_gate(g), TASK]
        for name in ("score", "parts")
        for g in every
    ]
    found = replay(*calls)
    scores, parts = found[: len(every)], found[len(every) :]
    for gates, scored, made in zip(every, scores, parts, strict=True):
        want = gate_console.score(gates)
        assert scored["answers"] == want["answers"]
        assert scored["right"] == want["right"]
        common = made["leftover"] + made["noise"]
        for bit in gate_console.BITS:
            last = gate_console.run(gates, bit)["c"][-1]
            mine = bit * made["signal"] + common
            assert mine == pytest.approx(last, rel=RTOL, abs=1e-12)
        assert made["need"] == pytest.approx(np.arctanh(0.5), rel=RTOL)


def test_every_failure_has_its_name(replay):
    """The figure's policies, and the three that it does not draw."""
    policies = dict(gate_console.POLICIES)
    policies["missed"] = gate_console.policy((0, 0, 0), (1, 0, 0), (1, 0, 1))
    policies["faint"] = gate_console.policy((0, 0.5, 0), (1, 0, 0), (1, 0, 1))
    policies["wiped"] = policies["carried"].copy()
    policies["wiped"][4:7, 0] = 0  # the first of them counts
    calls = [
        ["gate-console", "verdict", by_gate(g), TASK]
        for g in policies.values()
    ]
    assert replay(*calls) == list(policies)
    wiped = by_gate(policies["wiped"])
    (made,) = replay(["gate-console", "parts", wiped, TASK])
    assert made["wiped"] == 5 and made["signal"] == 0


def test_gates_in_the_address(replay):
    T = gate_console.T
    lists = [by_gate(g)[n] for g in some_gates() for n in NAMES]
    texts = replay(*(["gate-console", "encode", values] for values in lists))
    assert texts[0] == "0_1*11"
    calls = (["gate-console", "decode", text, T] for text in texts)
    assert replay(*calls) == lists
    bad = "", "1*11", "1*13", "2*12", "1*0_1*12", "-1*12", "1.5*12", "a"
    calls = (["gate-console", "decode", text, T] for text in bad)
    assert replay(*calls) == [None] * len(bad)


def row(page, gate):
    """-> place(step, open): where in the boxes of a gate that is."""
    pad = page.locator(".pad")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    heights = page.evaluate(
        """() => [...document.querySelectorAll(".live rect[fill=none]")].map(
          (r) => [r.getBoundingClientRect().top,
                  r.getBoundingClientRect().height])"""
    )
    top, height = heights[NAMES.index(gate) * gate_console.T]

    def place(step, opened):
        x = box["x"] + (step - 0.5) * box["width"] / gate_console.T
        return x, top + (1 - opened) * height

    return place


def test_closing_i_by_hand_carries_the_bit(visit):
    page = visit("gate-console")
    assert "says −1 to both bits" in says(page)
    place = row(page, "i")
    page.mouse.move(*place(2, 0.05))
    page.mouse.down()
    page.mouse.move(*place(11, 0.05))  # in one leap: none is left out
    page.mouse.up()
    page.wait_for_function("location.search === '?i=1_0*11'")
    assert "Both bits arrive: the reader is shown +0.75" in says(page)
    assert page.get_by_label("Policy").input_value() == "carried"
    place = row(page, "o")
    page.mouse.click(*place(12, 0.02))
    page.wait_for_function("location.search === '?i=1_0*11&o=0*12'")
    assert "Hidden. The cell holds +0.96 or −0.96" in says(page)
    place = row(page, "f")
    page.mouse.click(*place(5, 0.5))
    page.wait_for_function("location.search.endsWith('&f=0_1*3_0.5_1*7')")
    assert page.get_by_label("Policy").input_value() == ""


def test_a_finger_draws_in_the_boxes(visit):
    page = visit("gate-console", "?i=1_0*11", **PHONE)
    place = row(page, "f")
    page.touchscreen.tap(*place(6, 0.03))
    page.wait_for_function("location.search.includes('f=0_1*4_0_1*6')")
    assert "f = 0 at step 6" in says(page)


def test_keyboard_alone_carries_the_bit(visit):
    page = visit("gate-console")
    page.get_by_label("Write i").focus()
    page.keyboard.press("Home")  # the steps between, all ten
    page.wait_for_function("location.search === '?i=1_0*11'")
    assert "Both bits arrive" in says(page)
    page.get_by_label("Set step").select_option("12: asked")
    slide(page, "Show o", 0)
    assert "Hidden" in says(page)
    page.get_by_label("Set step").select_option("1: the bit")
    slide(page, "Write i", 0)
    assert "never got in" in says(page)


def test_menu_of_policies(visit):
    page = visit("gate-console")
    for label, text in (
        ("carried", "Both bits arrive"),
        ("not wiped first", "−0.04 for a +1 and −1.96 for a −1"),
        ("f = 0.9", "Faded"),
        ("o = 0 at the end", "Hidden"),
        ("i left open", "Overwritten"),
    ):
        page.get_by_label("Policy").select_option(label)
        page.evaluate("nextFrame()")
        assert text in says(page)
    page.wait_for_function("location.search === ''")
