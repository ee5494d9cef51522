"""Every page of the built site, opened in a real browser.

Each test stands for itself, and names its page: `-k "[zh/gru.html]"`.
"""

import itertools
import json
import re

import pytest

from bookproof.book import here
from bookproof.lint.text import page_names
from bookproof.site import browser
from tests.browsing import SIZES, violations
from tests.site.page import LAB_PAGES, click_to, controls, said

# Of the library's reference one page in each language: they are all alike.
ENGLISH = [*page_names("en"), "404.html", "api/gru.html"]
CHINESE = [*page_names("zh"), "zh/api/gru.html"]
PALETTE = here().docs / "assets" / "palette.json"
KB = 1024
FIRST_VIEW, SECOND_VIEW = 350 * KB, 120 * KB


@pytest.mark.parametrize("name", ENGLISH + CHINESE)
def test_a_page_is_quiet_fits_keeps_still_is_accessible_and_light(
    opened, served, name
):
    """In both sizes and both schemes.

    A page is loaded once in each size and once in each scheme; the reader's
    own switch then leads to the other scheme, and moves nothing. axe looks
    once at each load, at what this size shows, in this scheme: what a page
    is made of does not depend on colours, and of the colours FAINT sees
    every pair in all four states.
    """
    for size, scheme, other in (
        ("desktop", "light", "dark"),
        ("phone", "dark", "light"),
    ):
        before = len(served.sent)
        page = opened(name, size, scheme)
        page.evaluate(browser.SCROLL_THROUGH)  # draws what is drawn lazily
        look_at(page, size, scheme)
        page.wait_for_load_state("networkidle")
        first = dict(served.sent[before:])
        assert violations(page) == [], (size, scheme)
        page.evaluate(KEEP_PLACES)
        page.evaluate(SWITCH)
        page.evaluate(LOAD_PICTURES)
        look_at(page, size, other)
        assert page.evaluate(MOVED) == [], (size, other)
        if name in LAB_PAGES:
            assert controls(page)
            assert page.evaluate(BEYOND) == [], size
        if size == "desktop" and name in NEXT:
            page.evaluate(SWITCH)
            assert_views_are_light(page, name, served.sent, first)
        page.context.close()


def look_at(page, size, scheme):
    state = size, scheme
    page.wait_for_function(AT_REST)
    assert page.evaluate(STATE) == expected(size, scheme)
    assert page.evaluate(OTHER_PICTURES) == [], state
    assert page.evaluate(WIDER) == [], state
    assert page.evaluate(UNREACHABLE) == [], state
    assert page.evaluate(FAINT) == [], state
    assert page.evaluate(IN_FORMULAS) == [], state
    assert page.evaluate("shifts") == [], state
    if size == "desktop":
        assert page.evaluate(BARRED) == [], state
    else:
        assert page.evaluate(UNSTACKED) == [], state


def chapters(language):
    """Pages that are read one after the other."""
    apart = "index.html", "numbers.html", "references.html"
    return [
        name
        for name in page_names(language)
        if name.rpartition("/")[2] not in apart and "experiments/" not in name
    ]


NEXT = {
    one: other
    for language in ("en", "zh")
    for one, other in itertools.pairwise(
        [*chapters(language), chapters(language)[0]]
    )
}


def assert_views_are_light(page, name, sent, first):
    """All that is sent, compressed, for a page and for the one after it.

    The search index apart, which comes when somebody searches.
    """
    before = len(sent)
    click_to(page, NEXT[name].removeprefix("zh/"))
    page.evaluate(browser.SCROLL_THROUGH)
    page.wait_for_load_state("networkidle")
    new = {a: n for a, n in sent[before:] if a not in first}
    for view, bound in (first, FIRST_VIEW), (new, SECOND_VIEW):
        weight = sum(n for a, n in view.items() if "search_index" not in a)
        assert weight <= bound, (name, view)
    fonts = [a for a in {**first, **new} if a.endswith(".woff2")]
    assert all("/katex/fonts/KaTeX_" in font for font in fonts)


# The switch in the header, pressed.
SWITCH = """() => document.querySelector(
  "[data-md-component=palette] label:not([hidden])").click()"""

# What is in sight need not be scrolled to.
LOAD_PICTURES = """() => {
  for (const image of document.querySelectorAll("article img"))
    if (image.checkVisibility()) image.loading = "eager";
}"""

KEEP_PLACES = """() => {
  window.placed = () => [...document.querySelectorAll("article *")]
    .filter((e) => !e.closest("picture, .katex") && e.checkVisibility())
    .map((e) => [e, JSON.stringify(e.getBoundingClientRect())]);
  window.places = new Map(placed());
}"""

MOVED = """() => placed()
  .filter(([e, box]) => places.get(e) !== box)
  .map(([e]) => e.outerHTML.slice(0, 120))"""

# Width of the window, and the colour of the paper.
STATE = """() => [innerWidth,
  getComputedStyle(document.body).backgroundColor]"""


def expected(size, scheme):
    paper = json.loads(PALETTE.read_text("utf-8"))["paper"][scheme]
    rgb = [int(paper[i : i + 2], 16) for i in (1, 3, 5)]
    return [SIZES[size]["width"], f"rgb({rgb[0]}, {rgb[1]}, {rgb[2]})"]


# Pictures have come, and nothing is on the way to another colour.
AT_REST = """() => [...document.querySelectorAll("article img")]
  .every((e) => !e.checkVisibility() || e.complete && e.naturalWidth)
  && document.getAnimations().every((a) => a.playState !== "running")"""

# Pictures that are not the copy for this size and scheme.
OTHER_PICTURES = """() => {
  const scheme = { default: "light", slate: "dark" }[
    document.body.dataset.mdColorScheme];
  return [...document.querySelectorAll("article picture img")]
    .filter((e) => e.checkVisibility())
    .filter((e) => {
      const picture = e.closest("picture");
      const wanted = innerWidth < 600
        ? picture.querySelector("source").getAttribute("srcset")
        : e.getAttribute("src");
      return !picture.matches(`.only-${scheme}`)
        || e.currentSrc !== new URL(wanted, document.baseURI).href;
    })
    .map((e) => e.currentSrc);
}"""

WIDER = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return [...document.querySelectorAll("body *")]
    .filter((e) => e.getBoundingClientRect().right > wide + 1
      && getComputedStyle(e).position !== "fixed")
    .slice(-3).map((e) => e.outerHTML.slice(0, 120));
}"""
UNREACHABLE = """() => [...document.querySelectorAll("article *")]
  .filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth
    && /auto|scroll/.test(getComputedStyle(e).overflowX)
    && e.tabIndex < 0 && !e.querySelector("a, button, input, [tabindex]"))
  .map((e) => e.outerHTML.slice(0, 120))"""

# A scroll bar under a formula for which there is room.
BARRED = """() => [...document.querySelectorAll(".equation")]
  .filter((e) => e.scrollWidth > e.clientWidth)
  .map((e) => e.textContent.slice(0, 120))"""

# Tables whose rows stand as stacks on a phone: those that do not.
UNSTACKED = """() => [...document.querySelectorAll(".prose, .numbers")]
  .flatMap((box) => {
    const left = box.getBoundingClientRect().left;
    const beside = [...box.querySelectorAll(".prose td")].filter((td) =>
      td.getBoundingClientRect().left > left + 1 || td.innerText.trim()
        && getComputedStyle(td, "::before").content !==
          JSON.stringify(td.dataset.title));
    return box.scrollWidth > box.clientWidth ? [box, ...beside] : beside;
  }).map((e) => e.outerHTML.slice(0, 120))"""

# What reaches beyond the column, and labels that a ring cuts through.
BEYOND = """() => {
  const found = [];
  for (const lab of document.querySelectorAll("seq-lab[name]")) {
    const { right } = lab.getBoundingClientRect();
    for (const e of lab.querySelectorAll(".workbench *"))
      if (e.getBoundingClientRect().right > right + 1)
        found.push(e.outerHTML.slice(0, 120));
    for (const input of lab.querySelectorAll("input[type=range]")) {
      input.focus({ focusVisible: true });
      const ring = getComputedStyle(input);
      const out = parseFloat(ring.outlineOffset)
        + parseFloat(ring.outlineWidth);
      const label = input.closest(".control").querySelector("label");
      const { top } = input.getBoundingClientRect();
      if (top - out < label.getBoundingClientRect().bottom - 1)
        found.push(label.textContent);
    }
  }
  return found;
}"""

# Text, also that of formulas, whose colour is too near to what it stands on.
# Colours are mixed as they are drawn: each ground lies on its parent's, and
# what is translucent lets the ground through.
FAINT = """() => {
  const pixel = new OffscreenCanvas(1, 1)
    .getContext("2d", { willReadFrequently: true });
  const numbers = new Map();
  const parse = (colour) => {
    if (!numbers.has(colour)) {
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = colour;
      pixel.fillRect(0, 0, 1, 1);
      numbers.set(colour, [...pixel.getImageData(0, 0, 1, 1).data]);
    }
    return numbers.get(colour);
  };
  const over = (colour, ground, opacity) => ground.map((under, i) =>
    under + (colour[i] - under) * opacity * colour[3] / 255);
  const known = new Map([[null, [[255, 255, 255], 1]]]);
  const look = (e) => {  // the ground below an element's text; its opacity
    if (!known.has(e)) {
      const [under, above] = look(e.parentElement);
      const style = getComputedStyle(e);
      const opacity = above * style.opacity;
      const ground = over(parse(style.backgroundColor), under, opacity);
      known.set(e, [ground, opacity]);
    }
    return known.get(e);
  };
  const light = (rgb) => rgb.map((c) => c / 255)
    .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0.05);
  const found = new Set();
  const texts = document.createTreeWalker(document.body, 4);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !shown(e)) continue;
    const style = getComputedStyle(e);
    const [ground, opacity] = look(e);
    const drawn = over(parse(style.color), ground, opacity);
    const pair = [light(drawn), light(ground)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || size >= 56 / 3 && style.fontWeight >= 700;
    if (pair[0] / pair[1] < (large ? 3 : 4.5))
      found.add(`${(pair[0] / pair[1]).toFixed(2)}: `
        + e.outerHTML.slice(0, 120));
  }
  return [...found];

  function shown(e) {
    const all = { opacityProperty: true, visibilityProperty: true };
    return e.checkVisibility(all)
      && !e.closest("svg, :disabled, .katex-mathml");
  }
}"""

# What can take the focus in a formula as drawn, which is hidden from
# readers' tools, and which axe is not shown.
IN_FORMULAS = """() => [...document.querySelectorAll(
    ".katex-html :is(a, button, input, select, textarea, [tabindex])")]
  .map((e) => e.outerHTML.slice(0, 120))"""


@pytest.mark.parametrize("name", LAB_PAGES)
def test_a_lab_works_by_keyboard_and_keeps_its_state(opened, name):
    page = opened(name)
    controls(page)
    assert_tab_reaches_all(page)
    for lab in page.locator("seq-lab[name]").all():
        assert lab.locator("[aria-live], [role=status], output").count()
        assert lab.locator("figure img").count(), "no static picture"
        sliders = [
            s for s in lab.locator("input[type=range]").all() if s.is_visible()
        ]
        for slider in sliders:
            slider.focus()
            before, value = said(lab), slider.input_value()
            slider.press("ArrowRight")
            if slider.input_value() == value:
                slider.press("ArrowLeft")
            assert slider.input_value() != value
            page.evaluate("nextFrame()")
            assert said(lab) != before, "a key moved nothing"
            for key in "Home", "End":
                slider.press(key)
                page.evaluate("nextFrame()")
                words = lab.inner_text()
                assert not re.search(r"NaN|Infinity|undefined|null", words)
        buttons, n = lab.locator("button:visible:enabled"), 0
        while n < buttons.count():  # which a button may change
            buttons.nth(n).focus()
            buttons.nth(n).press("Enter")
            n += 1
        page.evaluate("nextFrame()")
        assert not re.search(r"NaN|undefined", lab.inner_text())
    if page.locator("seq-lab[name] input[type=range]:visible").count():
        assert_address_keeps_state(page)


def assert_tab_reaches_all(page):
    """Tab goes to every control of the first lab."""
    page.evaluate(
        """() => {
          const lab = document.querySelector("seq-lab[name]");
          lab.tabIndex = -1;
          lab.focus();
        }"""
    )
    wanted = page.evaluate(
        """() => [...document.querySelectorAll("seq-lab[name]")][0]
          .querySelectorAll(":is(input, select, button):enabled").length"""
    )
    reached = set()
    for _ in range(3 * wanted + 10):
        page.keyboard.press("Tab")
        place = page.evaluate(
            """() => [...document.querySelector("seq-lab[name]")
              .querySelectorAll("*")].indexOf(document.activeElement)"""
        )
        if place < 0:
            break
        reached.add(place)
    missed = page.evaluate(
        """(reached) => {
          const lab = document.querySelector("seq-lab[name]");
          const all = [...lab.querySelectorAll("*")];
          const radios = new Set(reached.map((i) => all[i])
            .filter((e) => e.type === "radio").map((e) => e.name));
          return all.filter((e, i) => e.matches("input, select, button")
            && !e.disabled && e.checkVisibility() && !reached.includes(i)
            && !(e.type === "radio" && radios.has(e.name)))
            .map((e) => e.outerHTML);
        }""",
        sorted(reached),
    )
    assert missed == []


def assert_address_keeps_state(page):
    """A lab opened at its address again is as it was left."""
    slider = page.locator("seq-lab[name] input[type=range]:visible").first
    slider.focus()
    slider.press("End")
    slider.press("ArrowLeft")
    page.wait_for_timeout(600)
    value = slider.input_value()
    page.reload()
    controls(page)
    again = page.locator("seq-lab[name] input[type=range]:visible").first
    assert again.input_value() == value


PLANTED = """<body style="color: #111; background: #fff">
<p>black</p>
<p style="color: #777">4.48</p>
<p style="color: #767676">4.54</p>
<p style="color: #949494; font-size: 24px">3.03, large</p>
<p style="color: rgb(0 0 0 / 50%)">4.00, mixed</p>
<p style="opacity: 0.5">3.54, veiled</p>
<p style="background: rgb(0 0 0 / 80%)">1.49, on a dark ground</p>
<p style="background: rgb(0 0 0 / 80%)"><b style="color: #eee">10.9</b></p>
<span class="katex-html"><i style="color: #999">h</i></span>
<p style="color: #eee" hidden>hidden</p>
<button style="color: #eee" disabled>disabled</button>"""


def test_too_faint_a_colour_is_found_in_one_letter_of_a_formula_too(chrome):
    page = chrome.new_page()
    page.set_content(PLANTED)
    found = [line.partition(":")[0] for line in page.evaluate(FAINT)]
    page.close()
    assert found == ["4.48", "4.00", "3.54", "1.49", "2.85"]
