"""The built site in a real browser: from page to page, search, paper."""

import re

import pytest

from bookproof.lint.text import page_names
from tests.site.page import click_to, controls, said, sources

BOTH = pytest.mark.parametrize("language", ["en", "zh"])
LAB_NAMES = """[...document.querySelectorAll("seq-lab[name]")]
  .map((lab) => lab.getAttribute("name")).join()"""

# --- Going from page to page ------------------------------------------------


def first_with(marker, language, but=()):
    """Name of the first page of a language whose source holds a marker."""
    for name in page_names(language):
        text = sources()[name].read_text("utf-8")
        if re.search(marker, text) and name not in but:
            return name
    raise LookupError(f"no page of {language} has {marker}")


@BOTH
def test_instant_navigation_there_and_back(opened, language):
    home = page_names(language)[
        [n.endswith("index.html") for n in page_names(language)].index(True)
    ]
    target = first_with(r"\{[^}]*lab=", language, but=[home])
    straight = opened(target)
    direct = controls(straight)
    names = straight.evaluate(LAB_NAMES)
    page = opened(home)
    page.wait_for_timeout(500)  # the theme has read the list of pages
    page.evaluate("window.same = true")
    for _ in range(2):
        click_to(page, target)  # the address changes before the page does
        page.wait_for_function(f"(names) => {LAB_NAMES} === names", arg=names)
        assert page.evaluate("window.same"), "the page was loaded anew"
        assert controls(page) == direct, "a lab is alive more than once"
        formula = page.locator("article .katex").first
        assert formula.bounding_box()["width"] > 2
        assert page.evaluate("document.fonts.check('16px KaTeX_Math', 'h')")
        assert "$" not in page.locator("article p").first.inner_text()
        page.go_back()
        page.wait_for_function(
            "(name) => !location.pathname.endsWith('/' + name)", arg=target
        )
        page.wait_for_timeout(300)
    page.go_forward()
    page.wait_for_function(
        "(name) => location.pathname.endsWith('/' + name)", arg=target
    )
    page.wait_for_timeout(300)
    assert controls(page) == direct
    slider = page.locator("seq-lab[name] input[type=range]:visible").first
    lab = page.locator("seq-lab[name]").first
    before = said(lab)
    slider.focus()
    slider.press("Home")
    slider.press("ArrowRight")
    page.wait_for_timeout(150)
    assert said(lab) != before, "the lab is dead"


@BOTH
def test_the_language_switch_leads_to_the_same_page(opened, language):
    name = first_with(r"\{[^}]*lab=", language)
    page = opened(name)
    page.locator(".seq-language a").click()
    other = {"en": "zh", "zh": "en"}[language]
    page.wait_for_function(
        "(lang) => document.documentElement.lang === lang", arg=other
    )
    want = name[3:] if language == "zh" else "zh/" + name
    assert page.url.partition("?")[0].endswith(want)


@BOTH
def test_a_missing_page_answers_in_the_readers_language(opened, language):
    prefix = "zh/" if language == "zh" else ""
    page = opened(prefix + "some/nowhere.html")
    shown = page.locator("[data-language]:visible")
    assert shown.count() == 1
    assert shown.get_attribute("data-language") == language
    assert page.evaluate("document.documentElement.lang") == language
    shown.locator("a").click()
    page.wait_for_function("!location.pathname.includes('nowhere')")
    assert page.evaluate("document.documentElement.lang") == language
    assert page.locator("[data-language]").count() == 0, "the link is dead"


@BOTH
def test_the_folder_opens_from_disk(opened, site, language):
    name = first_with(r"\{[^}]*lab=", language)
    page = opened(name, base=site.as_uri() + "/")
    controls(page)
    assert page.locator("article .katex").first.bounding_box()["width"] > 2
    find(page, *WORDS[language])
    page.keyboard.press("Escape")
    page.locator(".seq-language a").click()
    page.wait_for_function(
        "(lang) => document.documentElement.lang !== lang", arg=language
    )
    page.wait_for_selector("article h1")


# --- Search -----------------------------------------------------------------

# What is typed, and a word of a page that it is found in.
WORDS = {"en": ("gradient", "gradient"), "zh": ("隐藏", "隐藏状态")}


def find(page, typed, inside):
    """Type a word into the search; the first results hold it."""
    page.locator("body").press("/")
    field = page.locator(".md-search__input")
    field.fill(typed)
    field.press("End")  # the theme listens to keys, not to input methods
    page.wait_for_selector(".md-search-result__item", timeout=15000)
    texts = page.locator(".md-search-result__item").all_inner_texts()
    texts = [text.replace("\u200b", "").lower() for text in texts]
    assert any(inside in text for text in texts), texts


@BOTH
def test_search_finds_a_word(opened, language):
    home = "index.html" if language == "en" else "zh/index.html"
    find(opened(home), *WORDS[language])


def test_chinese_search_finds_english_words(opened):
    find(opened("zh/index.html"), "gru", "gru")


# --- Checked numbers, paper, focus ------------------------------------------

TIP = ".md-tooltip2--active"


def wait_for_tip(page, end):
    """Until a tooltip is open whose text ends so."""
    page.wait_for_function(
        """([tip, end]) => [...document.querySelectorAll(tip)]
          .some((e) => e.innerText.trim().endsWith(end))""",
        arg=[TIP, end],
    )


@BOTH
@pytest.mark.parametrize("way", ["mouse", "keyboard", "touch"])
def test_a_checked_number_shows_its_proof(opened, language, way):
    word = {"en": "checked", "zh": "已核对"}[language]
    name = "index.html" if language == "en" else "zh/index.html"
    size = "phone" if way == "touch" else "desktop"
    page = opened(name, size, has_touch=way == "touch")
    number = page.locator("article data.checked").first
    number.scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    if way == "mouse":
        number.hover()
    elif way == "touch":
        number.tap()
    else:
        reach(page, "article data.checked")
    wait_for_tip(page, word)


def reach(page, selector, limit=60):
    """Press Tab until the first element of a kind has the focus."""
    for _ in range(limit):
        page.keyboard.press("Tab")
        if page.evaluate(
            "(s) => document.activeElement === document.querySelector(s)",
            selector,
        ):
            return
    raise AssertionError(f"Tab does not reach {selector}")


@BOTH
def test_paper_has_solutions_open_and_labs_as_pictures(opened, language):
    name = first_with(r"\{[^}]*lab=", language)
    page = opened(name)
    controls(page)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for lab in page.locator("seq-lab[name]").all():
        drawn = [i for i in lab.locator("figure img").all() if i.is_visible()]
        assert len(drawn) == 1, "the picture of a lab is not on paper"
        for control in lab.locator("input, select, button").all():
            assert not control.is_visible(), "a control is on paper"
    assert (
        page.evaluate(
            "getComputedStyle(document.querySelector('article data'))"
            ".textDecorationLine"
        )
        == "none"
    )
    page.evaluate("dispatchEvent(new Event('afterprint'))")


@BOTH
def test_solutions_are_open_on_paper_and_as_they_were_afterwards(
    opened, language
):
    page = opened(first_with(r"(?m)^\?\?\? ", language))
    closed = page.locator("article details:not([open])").count()
    assert closed
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for details in page.locator("article details").all():
        inner = details.locator(":scope > :not(summary)")
        assert all(part.is_visible() for part in inner.all())
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("article details:not([open])").count() == closed


FOCUS = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  if (e.closest(".md-search__output")) return { skip: true };
  // The theme draws this switch as what follows it.
  const shown = e.matches(".md-option") ? e.nextElementSibling : e;
  const box = shown.getBoundingClientRect(), style = getComputedStyle(shown);
  const drawn = (s) => s.outlineStyle !== "none" && parseFloat(s.outlineWidth)
    || s.boxShadow !== "none" || s.backgroundColor !== "rgba(0, 0, 0, 0)";
  return {
    html: e.outerHTML.slice(0, 120),
    place: [...document.querySelectorAll("*")].indexOf(e),
    seen: box.width > 0 && box.height > 0 && box.bottom > 0
      && box.top < innerHeight,
    marked: !!drawn(style),
  };
}"""


@BOTH
def test_focus_is_seen_and_goes_down_the_page(opened, language):
    page = opened("gru.html" if language == "en" else "zh/gru.html")
    places = []
    for _ in range(40):
        page.keyboard.press("Tab")
        page.wait_for_timeout(60)
        focus = page.evaluate(FOCUS)
        if focus is None:
            break
        if "skip" in focus:  # the results, before anything is sought
            continue
        assert focus["seen"], f"out of sight: {focus['html']}"
        assert focus["marked"], f"not marked: {focus['html']}"
        places.append(focus["place"])
    assert len(places) > 10
    assert places == sorted(places), "the focus jumps back"


def test_a_finger_opens_the_proof_of_a_number_from_disk_too(opened, site):
    touch = {"has_touch": True, "is_mobile": True}
    base = f"{site.resolve().as_uri()}/"
    page = opened("index.html", "phone", base=base, **touch)
    number = page.locator("data").first
    number.tap()
    page.wait_for_function(OPEN)


# The theme's tooltip, or where that does not come, the book's own.
OPEN = """() => {
  const number = document.querySelector("data");
  const own = getComputedStyle(number, "::after").content;
  const theirs = document.querySelector(".md-tooltip2--active");
  const said = theirs ? theirs.textContent : own;
  return said.includes("0.9**100 = 2.656e-05, checked");
}"""
