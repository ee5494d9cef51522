"""The six runs: walk through one, say what is wrong, be told why not."""

from math import sqrt

import numpy as np
import pytest

from figures_src.studies.six_runs import FAULTS, SERIES, UPDATES
from figures_src.training import six_runs
from tests.labs.page import PHONE, Case, says, slide

NONSENSE = "?run=G&t=soon&guess=bad+luck&found=H&shown=7"
CASES = {
    "diagnose": Case(
        "six_runs",
        ("Run A after 400 updates", "训练 A，更新 400 次之后"),
        ("Updates done t", "ArrowLeft", "t", "392", "392"),
        ("?run=C&t=16&guess=leak&found=AB", "Run C after 16 updates"),
        (NONSENSE, "Run A after 400 updates"),
    )
}
NAMES = list(FAULTS)
HALF = UPDATES // 2
NEAR, NOTHING, MOST = 0.2, 0.1, 0.9
NO = {"en": "No. ", "zh": "不对。"}
YES = {"en": "Right. ", "zh": "对了。"}


@pytest.fixture(scope="module")
def study():
    return six_runs.results()


@pytest.fixture(scope="module")
def runs(study):
    return {run["name"]: run for run in study["runs"]}


@pytest.fixture(scope="module")
def letters(study):
    """Name of a run -> its letter."""
    return {run["name"]: run["letter"] for run in study["runs"]}


def summed_up(run):
    """What tells the runs apart: name of a number -> the number."""
    t, above = np.array(run["t"]), np.array(run["above"])
    return {
        "first": run["train"][0],
        "end": run["valid"][-1],
        "long": float(above[1:][t[1:] <= HALF].mean()),
        "stuck": run["saturated"][-1],
    }


def judged(diagnosis, run, study):
    """The first claim that fails, its number and the monitor of it."""
    found = summed_up(run)
    first, end, long, stuck = found.values()
    guess, bigram = study["guess"], study["bigram"]
    predicts = {
        "healthy": [
            ("starts", "first", abs(first - guess) <= NEAR),
            ("calm", "long", long < 0.5),
            ("free", "stuck", stuck < MOST),
            ("passes", "end", end < bigram - NEAR),
            ("language", "end", end > NOTHING),
        ],
        "unclipped": [
            ("calm", "long", long < 0.5),
            ("jammed", "stuck", stuck >= MOST),
        ],
        "too_fast": [("restless", "long", long >= 0.5)],
        "wrong_axis": [
            ("free", "stuck", stuck < MOST),
            ("pairs", "end", abs(end - bigram) <= NEAR),
        ],
        "padded_mean": [("diluted", "first", first < guess - NEAR)],
        "leak": [("sees", "end", end <= NOTHING)],
    }[diagnosis]
    fails = [(claim, key) for claim, key, holds in predicts if not holds]
    claim, key = fails[0] if fails else (None, predicts[-1][1])
    monitors = {"long": "above", "stuck": "saturated"}
    return claim, key, found[key], monitors.get(key, "loss")


def test_letters_give_nothing_away(letters):
    places = {name: "ABCDEF".index(letters[name]) for name in NAMES}
    assert sorted(places.values()) == list(range(6))
    assert all(NAMES.index(name) != place for name, place in places.items())


def test_all_36_judgements(replay, study):
    pairs = [(name, run) for name in NAMES for run in study["runs"]]
    calls = [["diagnose", "judge", name, run, study] for name, run in pairs]
    for (name, run), found in zip(pairs, replay(*calls), strict=True):
        claim, _, value, monitor = judged(name, run, study)
        assert (claim is None) == (name == run["name"])
        assert (found["claim"], found["monitor"]) == (claim, monitor)
        assert found["value"] == pytest.approx(value, rel=1e-9)


def test_right_ones_hold_on_every_seed(runs, study):
    """As far as other seeds are kept: how they end, how many are stuck."""
    for name, run in runs.items():
        ends = run["seeds"]["valid"], run["seeds"]["saturated"]
        for valid, saturated in zip(*ends, strict=True):
            other = {**run, "valid": [valid], "saturated": [saturated]}
            assert judged(name, other, study)[0] is None
            for wrong in set(NAMES) - {name}:
                assert judged(wrong, other, study)[0] is not None


def test_summary_and_values(replay, study):
    points = [(run, k) for run in study["runs"] for k in (0, 1, 2, 25, 50)]
    for run in study["runs"]:
        (found,) = replay(["diagnose", "summary", run])
        assert found == pytest.approx(summed_up(run), rel=1e-9)
    calls = [["diagnose", "values", run, k, study] for run, k in points]
    for (run, k), found in zip(points, replay(*calls), strict=True):
        span = 1 if k == 0 else 8
        want = {key: run[key][k] for key in ("t", *SERIES)}
        want["cell"] /= sqrt(study["units"])
        want |= {"span": span, "long": span * run["above"][k]}
        assert found == pytest.approx(want, rel=1e-9)


def test_lookup_and_levels(replay, study):
    run = study["runs"][0]
    asked = [-5, 0, 1, 4, 5, 13, 200, 399, 1e9]
    found = replay(*(["diagnose", "nearest", run, t] for t in asked))
    assert found == [0, 0, 0, 0, 1, 2, 25, 50, 50]
    base = {"guess": 4.6, "bigram": 2.5}
    levels = {5: "above", 4.6: "between", 2.8: "between", 2.6: "pair"}
    levels |= {2.4: "pair", 2.2: "below", 0: "below"}
    calls = (["diagnose", "level", value, base] for value in levels)
    assert replay(*calls) == list(levels.values())


def test_where_to_go_next(replay):
    cases = ("A", ""), ("A", "ABC"), ("F", "F"), ("D", "DEFA"), ("F", "ABCDEF")
    call = "diagnose", "following", list("ABCDEF")
    found = replay(*([*call, here, known] for here, known in cases))
    assert found == ["B", "D", "A", "B", "A"]


def shown(value, key):
    """A number as the sentences have it."""
    if key == "long":
        return f"{HALF * value:.0f}"
    if key == "stuck":
        return f"{100 * value:.{int(0.95 < value < 1)}f} %"
    return f"{value:.{4 if value < 0.1 else 2}f}"


def go(page, query):
    """Follow a link that only changes the state."""
    page.evaluate(
        """(query) => {
          history.pushState(null, "", location.pathname + query);
          dispatchEvent(new PopStateEvent("popstate"));
          return nextFrame();
        }""",
        query,
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_answer_in_words(visit, study, letters, lang):
    page = visit("diagnose", lang=lang)
    for run in study["runs"]:
        for guess in NAMES:
            letter = letters[run["name"]]
            go(page, f"?run={letter}&guess={guess}")
            text = page.text_content(".verdict")
            claim, key, value, _ = judged(guess, run, study)
            if claim:
                assert text.startswith(NO[lang])
                assert shown(value, key) in text
                assert page.locator(".verdict code").count() == 0
            else:
                assert text.startswith(YES[lang] + run["diagnosis"][lang])
                assert run["sign"][lang] in text
                lines = [line for line in (run["right"], run["wrong"]) if line]
                codes = page.locator(".verdict code")
                assert codes.all_text_contents() == lines
            colour = "gradient" if claim else "write"
            frame = page.locator(
                f'.live > g > rect[stroke="var(--q-{colour})"]'
            )
            assert frame.count() == 1


def answer(page, name):
    page.get_by_label("What is wrong?").select_option(value=name)
    page.get_by_role("button", name="Check").click()
    page.evaluate("nextFrame()")


def test_six_runs_from_the_first_to_the_last(visit, letters):
    names = {letter: name for name, letter in letters.items()}
    page = visit("diagnose")
    assert "Then choose and check." in page.text_content(".verdict")
    assert page.get_by_role("button", name="Check").is_disabled()
    answer(page, "healthy")
    page.wait_for_function("location.search === '?guess=healthy'")
    assert "No. This is too good" in page.text_content("[role=status]")
    for n, letter in enumerate("ABCDEF", start=1):
        assert says(page).startswith(f"Run {letter} ")
        answer(page, names[letter])
        assert page.text_content(".verdict").startswith("Right. ")
        assert page.get_by_label(f"{letter} ✓", exact=True).is_checked()
        told = f"{n} of 6 found." if n < 6 else "All six found."
        assert page.text_content(".tally") == told
        if n < 6:
            page.get_by_role("button", name="Next run").click()
            page.evaluate("nextFrame()")
    page.wait_for_function("location.search.includes('found=ABCDEF')")
    assert page.evaluate("location.search") == (
        f"?guess={names['F']}&run=F&found=ABCDEF"
    )
    page.reload()
    page.wait_for_selector("seq-lab[data-live]")
    assert page.text_content(".tally") == "All six found."
    page.get_by_role("button", name="Reset").click()
    page.wait_for_function("location.search === ''")
    assert page.text_content(".tally") == "0 of 6 found."


def test_giving_up_by_keyboard_and_comparing(visit, letters):
    healthy = letters["healthy"]
    page = visit("diagnose", f"?run={healthy}")
    dashed = page.locator('.live path[stroke-dasharray="4 3"]')
    assert dashed.count() == 0
    page.get_by_role("button", name="Show the answer").focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"location.search.includes('shown={healthy}')")
    said = page.text_content("[role=status]")
    assert f"Run {healthy}: Nothing is wrong." in said
    assert "No line was replaced. 0 of 6 found, 1 shown." in said
    assert dashed.count() == 0
    assert page.evaluate("document.activeElement.textContent") == "Next run"
    page.keyboard.press("Enter")  # the button that has the focus goes on
    page.evaluate("nextFrame()")
    assert dashed.count() == 6
    assert f"the healthy run {healthy}" in page.inner_html(".live")
    page.get_by_label("B", exact=True).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.search.startsWith('?run=C')")
    assert says(page).startswith("Run C ")


def test_a_drag_moves_all_values_within_a_frame(visit, runs, letters):
    run = runs["too_fast"]
    page = visit("diagnose", f"?run={letters['too_fast']}")
    page.locator(".pad").nth(3).scroll_into_view_if_needed()
    box = page.locator(".pad").nth(3).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.26 * box["width"], y)
    page.evaluate("nextFrame()")
    k = run["t"].index(104)
    assert says(page).startswith("Run F after 104 updates")
    values = page.locator(".live text.strong").all_text_contents()
    assert f"held out {run['valid'][k]:.2f}" in values
    assert f"{run['worst'][k]:.2f}" in values and "100 %" in values
    assert page.locator(".control output").text_content() == "104"
    page.mouse.move(box["x"] - 99, y)
    page.evaluate("nextFrame()")
    assert says(page).startswith("Run F after 1 update: ")
    page.mouse.up()
    page.wait_for_function("location.search.includes('t=0')")


def test_touch(visit):
    page = visit("diagnose", **PHONE)
    field = page.locator(".pad").nth(5)
    assert field.evaluate("e => getComputedStyle(e).touchAction") == "pan-y"
    field.scroll_into_view_if_needed()
    box = field.bounding_box()
    page.touchscreen.tap(
        box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    )
    page.wait_for_function("location.search === '?t=200'")
    page.get_by_label("C", exact=True).tap()
    page.wait_for_function("location.search === '?t=200&run=C'")
    labels = page.locator(".radios label").evaluate_all(
        "all => all.map((e) => e.getBoundingClientRect())"
    )
    assert all(min(e["width"], e["height"]) >= 44 for e in labels)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_ends_of_every_run(visit, lang):
    page = visit("diagnose", lang=lang)
    for letter in "ABCDEF":
        for t in 0, UPDATES:
            go(page, f"?run={letter}&t={t}&shown=ABCDEF")
            text = page.inner_text("seq-lab") + page.inner_html(".live")
            for bad in "NaN", "Infinity", "undefined", "null":
                assert bad not in text
            assert f" {t or 1} " in says(page)


BELOW = """() => scrollY +
  document.querySelector("#after").getBoundingClientRect().top"""


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [1280, 780, 700, 601, 480, 360])
def test_answers_move_nothing(visit, lang, width):
    page = visit(
        "diagnose", lang=lang, viewport={"width": width, "height": 900}
    )
    below = page.evaluate(BELOW)
    for letter in "ABCDEF":
        for rest in "&guess=healthy", "&shown=ABCDEF":
            go(page, f"?run={letter}{rest}")
            assert page.evaluate(BELOW) == pytest.approx(below)


def test_time_runs_and_stops(visit):
    page = visit("diagnose", "?t=376")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function(
        "document.querySelector('.says').textContent.includes('400')"
    )
    page.wait_for_function("location.search === ''")
    assert page.get_by_role("button", name="Play").is_visible()
    slide(page, "Updates done t", 8)
    assert says(page).startswith("Run A after 8 updates")
    page = visit("diagnose", reduced_motion="reduce")
    assert not page.get_by_text("Play", exact=True).is_visible()
