"""The labs in a browser, on the small site of page.py."""

import pytest

from seqbook.press import node
from seqbook.press.browser import find, launch, on_ci, serve
from tests.labs.page import LABS, built, write_site

STARTS = {  # what a lab says first, in both languages
    "gradient-cliff": ("2.7×10⁻⁵", "2.7×10⁻⁵"),
    "gradient-cliff-small": ("2.7×10⁻⁵", "2.7×10⁻⁵"),
    "derivation-table": ("Its term, 0.337", "它那一项是 0.337"),
    "rz-square": ("slope 0.945 per step", "每步斜率 0.945"),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    built()
    return write_site(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def address(site):
    with serve(site) as served:
        yield served.url


@pytest.fixture(scope="module")
def browser():
    if find() is None:
        message = "no browser: python -m seqbook.press.browser"
        pytest.fail(message) if on_ci() else pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, address):
    """visit(lab, query="", ...) -> page with its lab alive; checks errors."""
    complaints, contexts = [], []

    def open_page(name, query="", lang="en", scheme="default", **options):
        base = options.pop("base", address)
        options.setdefault("viewport", {"width": 1280, "height": 900})
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text)
                if message.type in ("error", "warning")
                else None
            ),
        )
        page.add_init_script(WATCH_SHIFTS)
        page.goto(f"{base}{name}-{lang}-{scheme}.html{query}")
        if options.get("java_script_enabled", True):
            page.wait_for_selector("seq-lab[data-live]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


WATCH_SHIFTS = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
PHONE = {
    "viewport": {"width": 360, "height": 740},
    "has_touch": True,
    "is_mobile": True,
}


def says(page):
    return page.text_content("seq-lab .says")


def slide(page, label, to):
    """Move a range input as a drag would."""
    page.get_by_label(label, exact=True).evaluate(
        """(input, to) => {
          input.value = to;
          input.dispatchEvent(new Event("input", { bubbles: true }));
        }""",
        to,
    )
    page.evaluate("new Promise(requestAnimationFrame)")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", LABS)
def test_says_the_book_s_number_at_once(visit, name, lang):
    page = visit(name, lang=lang)
    assert STARTS[name][lang == "zh"] in says(page)
    assert page.locator("seq-lab picture:visible").count() == 0
    assert page.locator("seq-lab figcaption").is_visible()


KEYS = {  # lab: label, key, parameter, value as shown, and in the address
    "gradient-cliff": ("Scale g of W", "ArrowRight", "g", "0.91", "0.91"),
    "gradient-cliff-small": (
        "Scale g of W",
        "ArrowRight",
        "g",
        "0.91",
        "0.91",
    ),
    "derivation-table": ("Nudge of w", "ArrowLeft", "nudge", "+0.09", "0.09"),
    "rz-square": ("Update gate z", "Home", "z", "0.00", "0"),
}


@pytest.mark.parametrize("name", LABS)
def test_arrow_keys_move_value_sentence_and_address(visit, name):
    label, key, parameter, shown, written = KEYS[name]
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
    assert page.text_content("seq-lab [role=status]") == says(page)
    page.get_by_role("button").click()  # reset
    page.wait_for_function("location.search === ''")
    assert says(page) == before


def test_radio_chooses_the_copy(visit):
    page = visit("derivation-table")
    page.get_by_label("step 2", exact=True).focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("location.search === '?copy=3'")
    assert "Its term, 0.452" in says(page)
    page.get_by_label("all steps").check()
    page.evaluate("new Promise(requestAnimationFrame)")
    assert "add up to 0.789" in says(page)
    page.get_by_label("step 1").check()
    page.evaluate("new Promise(requestAnimationFrame)")
    assert "its term is 0 and L stays" in says(page)
    slide(page, "Start h₀", 0.5)
    assert "Its term, 0." in says(page)


def test_clipping_leaves_the_share(visit):
    page = visit("gradient-cliff", "?g=1.5")
    share = says(page).partition("The far half holds ")[2].partition(" of")[0]
    assert share.endswith("%")
    page.get_by_label("Clip at norm 5").check()
    page.evaluate("new Promise(requestAnimationFrame)")
    assert f"holds {share} of" in says(page)
    assert "clipping multiplies every step by" in says(page)
    slide(page, "Scale g of W", 0.9)
    assert "clipping does nothing" in says(page)


def test_noise_flattens_what_should_explode(visit):
    page = visit("gradient-cliff", "?g=1.1")
    assert "until tanh flattens" in says(page)
    slide(page, "Input noise s", 0.5)
    assert "1.4×10⁴ would let the gradient explode, yet" in says(page)


def test_assembly_counts_in_both_conventions(visit):
    page = visit("rz-square")
    count = page.locator("seq-lab .count")
    assert "295,680 parameters, 75 % of the LSTM’s 394,240" in (
        count.text_content()
    )
    page.get_by_label("Biases").select_option("two (PyTorch)")
    page.evaluate("new Promise(requestAnimationFrame)")
    assert "(128 + 256 + 2) = 296,448" in count.text_content()
    page.get_by_label("Cell").select_option("RNN")
    page.wait_for_function("location.search === '?cell=RNN&biases=2'")
    assert "98,816 parameters, 25 %" in count.text_content()
    status = page.text_content("seq-lab [role=status]")
    assert "98,816" in status and "slope" not in status  # only what changed


RESTORED = {
    "gradient-cliff": ("?g=1.1&s=0.5&T=137&clip=1", "going back 137 steps"),
    "derivation-table": ("?copy=all&nudge=-0.2&h0=0.5", "Take 0.20 from all"),
    "rz-square": ("?r=0&z=0.03&cell=LSTM&D=7", "about 66 steps"),
}


@pytest.mark.parametrize("name", RESTORED)
def test_state_comes_from_the_address(visit, name):
    query, text = RESTORED[name]
    page = visit(name, f"{query}&utm=x#after")
    assert text in says(page)
    assert page.evaluate("location.search + location.hash") == (
        f"{query}&utm=x#after"
    )


REFUSED = {
    "gradient-cliff": ("?g=7&s=NaN&T=1e9&clip=maybe", "2.7×10⁻⁵"),
    "derivation-table": ("?copy=4&nudge=&h0=Infinity", "Its term, 0.337"),
    "rz-square": ("?r=-1&z=%3Cb%3E&cell=CNN&D=0&biases=3", "slope 0.945"),
}


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", REFUSED)
def test_nonsense_in_the_address_is_refused_in_a_sentence(visit, name, lang):
    query, text = REFUSED[name]
    page = visit(name, query, lang)
    said = says(page)
    assert said.count("“") == query.count("=")
    shown = page.inner_text("seq-lab").partition(said)[2]
    assert "NaN" not in shown and "Infinity" not in shown
    if lang == "en":
        assert said.startswith("The address asks for") and text in said


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", RESTORED)
def test_extremes_give_sentences(visit, name, lang):
    page = visit(name, lang=lang)
    ends = page.evaluate(EXTREMES)
    assert len(ends) > 20
    for text in ends:
        for bad in "NaN", "Infinity", "undefined", "null", "[object":
            assert bad not in text


EXTREMES = """async () => {
  const ranges = [...document.querySelectorAll("input[type=range]")];
  const texts = [];
  const move = (input, to) => {
    input.value = to;
    input.dispatchEvent(new Event("input"));
  };
  const look = async () => {
    await new Promise(requestAnimationFrame);
    const lab = document.querySelector("seq-lab");
    texts.push(lab.querySelector(".says").textContent);
    texts.push(lab.querySelector(".live").outerHTML);
  };
  const first = ranges.map((input) => input.value);
  for (const a of ranges) {
    for (const b of ranges) {
      for (const i of ["min", "max"]) for (const j of ["min", "max"]) {
        move(a, a[i]);
        move(b, b[j]);
        await look();
      }
    }
    ranges.forEach((input, k) => move(input, first[k]));
  }
  return texts;
}"""


@pytest.mark.parametrize("name", LABS)
def test_touch_on_a_phone(visit, name):
    page = visit(name, **PHONE)
    label = KEYS[name][0]
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
          await new Promise(requestAnimationFrame);
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
    page.evaluate("new Promise(requestAnimationFrame)")
    assert "1.1¹⁰⁰" in says(page)


@pytest.mark.parametrize("name", LABS)
def test_nothing_moves(visit, name, address):
    page = visit(name)
    for lang, width in ("en", 1280), ("en", 700), ("en", 360), ("zh", 360):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{address}{name}-{lang}-default.html")
        page.wait_for_selector("seq-lab[data-live]")
        below = page.locator("#after").bounding_box()["y"]
        page.wait_for_timeout(100)
        assert page.evaluate("shift") == 0
        for control in page.locator("seq-lab input[type=range]").all()[:2]:
            for key in "End", "Home":
                control.focus()
                page.keyboard.press(key)
                page.evaluate("new Promise(requestAnimationFrame)")
                assert page.locator("#after").bounding_box()["y"] == below
        assert page.evaluate(
            "document.documentElement.scrollWidth <= innerWidth"
        )


@pytest.mark.parametrize("name", RESTORED)
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


@pytest.mark.parametrize("name", RESTORED)
def test_from_disk(visit, site, name):
    page = visit(name, "?", base=f"{site.as_uri()}/")
    before = says(page)
    slide(page, KEYS[name][0], 0.3)
    page.wait_for_timeout(500)
    assert says(page) != before


AXE = """async () => {
  const found = await axe.run("seq-lab");
  return found.violations.map(
    (v) => [v.id, v.nodes.map((n) => n.target.join(" "))]);
}"""


@pytest.mark.parametrize(
    "options",
    [
        {"scheme": "default"},
        {"scheme": "slate"},
        {"scheme": "default", "lang": "zh", **PHONE},
    ],
    ids=["light", "dark", "phone"],
)
@pytest.mark.parametrize("name", RESTORED)
def test_accessible(visit, name, options):
    page = visit(name, **options)
    page.add_script_tag(path=node.MODULES / "axe-core" / "axe.min.js")
    assert page.evaluate(AXE) == []


def test_no_motion_at_all(visit):
    page = visit("rz-square", reduced_motion="reduce")
    assert page.evaluate("document.getAnimations().length") == 0
