"""What every lab must do in a browser, on the small site of page.py."""

import pytest
from playwright.sync_api import Error

from tests.browsing import violations
from tests.labs.page import PHONE, cases, says, slide

CASES = cases()


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", CASES)
def test_says_the_book_s_number_at_once(visit, name, lang):
    page = visit(name, lang=lang)
    assert CASES[name].starts[lang == "zh"] in says(page)
    assert page.locator("seq-lab picture:visible").count() == 0
    assert page.locator("seq-lab figcaption").is_visible()


@pytest.mark.parametrize("name", CASES)
def test_arrow_keys_move_value_sentence_and_address(visit, name):
    label, key, parameter, shown, written = CASES[name].key
    page = visit(name)
    before = says(page)
    control = page.get_by_label(label, exact=True)
    control.focus()
    page.keyboard.press(key)
    page.wait_for_function("location.search !== ''")
    assert page.evaluate("location.search") == f"?{parameter}={written}"
    assert control.get_attribute("aria-valuetext") == shown
    assert (
        page.locator(".control", has=control).locator("output").text_content()
        == shown
    )
    assert says(page) != before
    assert says(page) in page.text_content("seq-lab [role=status]")
    page.get_by_role("button", name="Reset").click()
    page.wait_for_function("location.search === ''")
    assert says(page) == before


@pytest.mark.parametrize("name", CASES)
def test_state_comes_from_the_address(visit, name):
    query, text = CASES[name].restored
    page = visit(name, f"{query}&utm=x#after")
    assert text in says(page)
    assert page.evaluate("location.search + location.hash") == (
        f"{query}&utm=x#after"
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", CASES)
def test_nonsense_in_the_address_is_refused_in_a_sentence(visit, name, lang):
    query, text = CASES[name].refused
    page = visit(name, query, lang)
    said = says(page)
    assert said.count("“") == query.count("=")
    shown = page.inner_text("seq-lab").partition(said)[2]
    assert "NaN" not in shown and "Infinity" not in shown
    if lang == "en":
        assert said.startswith("The address asks for") and text in said


def check_extremes(page):
    """Every control at its ends, beside every other at its ends."""
    controls, radios, texts = page.evaluate(EXTREMES)
    pairs = controls * (controls + 1) // 2  # with itself, too
    assert pairs and len(texts) == 2 * 4 * pairs * max(1, radios)
    for text in texts:
        for bad in "NaN", "Infinity", "undefined", "null", "[object":
            assert bad not in text


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", CASES)
def test_extremes_give_sentences(visit, name, lang):
    check_extremes(visit(name, lang=lang))


def test_a_lab_may_have_one_control(visit):
    page = visit("gradient-cliff-small")
    page.evaluate("document.querySelector('seq-lab .control').remove()")
    assert page.locator("seq-lab .control input").count() == 1
    check_extremes(page)


EXTREMES = """async () => {
  const find = (tags) => [...document.querySelectorAll("seq-lab " + tags)];
  const controls = find(
    ":is(select, input:is([type=range], [type=number], [type=checkbox]))");
  const radios = find("input[type=radio]");
  const texts = [];
  const value = (control) =>
    control.type === "checkbox" ? control.checked : control.value;
  const end = (control, last) => {
    if (control.type === "checkbox") return last;
    if (control.options) return control.options[
      last ? control.options.length - 1 : 0].value;
    return last ? control.max : control.min;
  };
  const move = (control, to) => {
    if (control.type === "checkbox") control.checked = to;
    else control.value = to;
    control.dispatchEvent(new Event("input"));
    control.dispatchEvent(new Event("change"));
  };
  const look = async () => {
    await nextFrame();
    const lab = document.querySelector("seq-lab");
    texts.push(lab.querySelector(".says").textContent);
    texts.push(lab.querySelector(".live").outerHTML);
  };
  const first = controls.map(value);
  const ends = async () => {
    for (const [k, a] of controls.entries()) {
      for (const b of controls.slice(k)) {
        for (const i of [false, true]) for (const j of [false, true]) {
          move(a, end(a, i));
          move(b, end(b, j));
          await look();
        }
      }
      controls.forEach((control, k) => move(control, first[k]));
    }
  };
  if (!radios.length) await ends();
  for (const radio of radios) {
    radio.click();
    await ends();
  }
  return [controls.length, radios.length, texts];
}"""


@pytest.mark.parametrize("name", CASES)
def test_touch_on_a_phone(visit, name):
    page = visit(name, **PHONE)
    label = CASES[name].key[0]
    before = says(page)
    control = page.get_by_label(label, exact=True)
    control.scroll_into_view_if_needed()
    box = control.bounding_box()
    page.touchscreen.tap(box["x"] + 0.8 * box["width"], box["y"] + 12)
    page.wait_for_function("location.search !== ''")
    assert says(page) != before
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = page.evaluate(
        """() => [...document.querySelectorAll(
          "seq-lab :is(.control, .derivation label, select, button)"
        )].map((e) => e.getBoundingClientRect().height).filter((h) => h < 44)
        """
    )
    assert small == []


def test_answers_within_one_frame_and_once(visit):
    page = visit("gradient-cliff")
    times = page.evaluate(
        """async () => {
          const lab = document.querySelector("seq-lab");
          let draws = 0;
          const draw = lab.draw;
          lab.draw = function () { draws += 1; draw.call(this); };
          const input = lab.querySelector("input");
          for (let i = 0; i < 9; i++) {
            input.value = 1 + i / 10;
            input.dispatchEvent(new Event("input"));
          }
          await nextFrame();
          return [draws, lab.querySelector("output").textContent];
        }"""
    )
    assert times == [1, "1.80"]


def test_script_run_again_starts_nothing_twice(visit):
    page = visit("gradient-cliff", "?g=1.1")
    page.add_script_tag(url="assets/labs/gradient-cliff.js")
    page.add_script_tag(url="assets/labs/rz-square.js")
    assert page.locator("svg.live").count() == 1
    assert page.locator("seq-lab .controls").count() == 1
    assert page.evaluate("[...window.seqLabs.keys()]") == [
        "gradient-cliff",
        "rz-square",
    ]


def test_leaving_and_coming_back(visit):
    page = visit("gradient-cliff", "?s=0.5")
    before = says(page)
    page.evaluate(
        """() => {
          window.lab = document.querySelector("seq-lab");
          window.place = lab.parentElement;
          window.started = 0;
          const build = lab.build;
          lab.build = function (f) { started += 1; build.call(this, f); };
          lab.remove();
        }"""
    )
    assert (
        page.evaluate("lab.querySelectorAll('.live, .controls').length") == 0
    )
    page.evaluate("place.prepend(lab)")
    assert says(page) == before
    assert page.evaluate("started") == 1
    assert page.locator("svg.live").count() == 1
    slide(page, "Scale g of W", 1.1)
    page.wait_for_function("location.search === '?s=0.5&g=1.1'")
    # A late write must not follow the reader to another page.
    slide(page, "Scale g of W", 1.2)
    page.evaluate("lab.remove(); history.pushState({}, '', '/elsewhere')")
    page.wait_for_timeout(600)
    assert page.evaluate("location.pathname + location.search") == "/elsewhere"


def test_starts_when_the_page_arrives_after_the_script(visit):
    page = visit("gradient-cliff")
    page.evaluate(
        """async () => {
          const html = await (await fetch("rz-square-en-default.html")).text();
          const next = new DOMParser().parseFromString(html, "text/html");
          document.querySelector("article").replaceWith(
            next.querySelector("article"));
        }"""
    )
    assert page.locator("svg.live").count() == 0
    page.add_script_tag(url="assets/labs/rz-square.js")
    assert page.locator("svg.live").count() == 1
    assert "slope 0.945" in says(page)


def test_links_that_only_change_the_state(visit):
    page = visit("gradient-cliff")
    page.evaluate(
        """() => {
          history.pushState(null, "", "?g=1.1&s=0.2");
          dispatchEvent(new PopStateEvent("popstate"));
        }"""
    )
    page.evaluate("nextFrame()")
    assert "1.1¹⁰⁰" in says(page)


BELOW = """() => scrollY +
  document.querySelector("#after").getBoundingClientRect().top"""


@pytest.mark.parametrize("name", CASES)
def test_nothing_moves(visit, name, address):
    page = visit(name)
    for lang, width in ("en", 1280), ("en", 700), ("en", 360), ("zh", 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{address}{name}-{lang}-default.html")
        page.wait_for_selector("seq-lab[data-live]")
        below = page.evaluate(BELOW)
        page.wait_for_timeout(100)
        assert page.evaluate("shifts") == []
        for control in page.locator("seq-lab input[type=range]").all()[:2]:
            for key in "End", "Home":
                control.focus()
                page.keyboard.press(key)
                page.evaluate("nextFrame()")
                assert page.evaluate(BELOW) == pytest.approx(below)
        assert page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth"
        )


@pytest.mark.parametrize("name", CASES)
def test_without_javascript_and_on_paper_the_picture_shows(visit, name):
    page = visit(name, java_script_enabled=False)
    assert page.locator("seq-lab picture.only-light").is_visible()
    page = visit(name, scheme="slate")
    page.emulate_media(media="print")
    image = page.locator("seq-lab picture.only-light img")
    assert image.is_visible()
    assert image.evaluate("async (i) => (await i.decode(), i.naturalWidth)")
    for hidden in ".live", ".workbench", ".says":
        assert not page.locator(f"seq-lab {hidden}").is_visible()


@pytest.mark.parametrize("name", CASES)
def test_from_disk(visit, site, name):
    page = visit(name, "?", base=f"{site.as_uri()}/")
    before = says(page)
    slide(page, CASES[name].key[0], 0.3)
    page.wait_for_timeout(500)
    assert says(page) != before


@pytest.mark.parametrize(
    "options",
    [
        {"scheme": "default"},
        {"scheme": "slate"},
        {"scheme": "default", "lang": "zh", **PHONE},
    ],
    ids=["light", "dark", "phone"],
)
@pytest.mark.parametrize("name", CASES)
def test_accessible(visit, name, options):
    page = visit(name, **options)
    assert violations(page, "seq-lab") == []


def test_a_page_that_is_drawn_no_more_is_noticed(visit):
    page = visit("rz-square")
    page.evaluate("() => { requestAnimationFrame = () => 0; }")
    page.evaluate("() => { setTimeout = (f) => f(); }")
    with pytest.raises(Error, match="the browser stopped drawing"):
        page.evaluate("nextFrame()")


def test_no_motion_at_all(visit):
    page = visit("rz-square", reduced_motion="reduce")
    assert page.evaluate("document.getAnimations().length") == 0
