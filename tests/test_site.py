"""The built site: its files, and what it does in a real browser."""

import itertools
import re

import pytest

from bookproof.book import here
from bookproof.lint.addresses import foreign, links, normal
from bookproof.lint.built import ids, leftovers, notebooks, pictures, read
from bookproof.lint.text import figures, page_names
from bookproof.lint.weights import weights
from bookproof.read import pages
from bookproof.show import reference
from bookproof.site import browser
from bookproof.site import build as builder

ROOT = here().root

KB = 1024
FIRST_VIEW, SECOND_VIEW = 350 * KB, 120 * KB
LIBRARY = [f"api/{path.stem}.html" for path in reference.modules()]
PAGES = [
    *(*page_names("en"), "404.html", *LIBRARY),
    *(*page_names("zh"), *(f"zh/{name}" for name in LIBRARY)),
]
BOTH = pytest.mark.parametrize("language", ["en", "zh"])


@pytest.fixture(scope="module")
def built(site):
    return read(site)


# --- Without a browser ------------------------------------------------------


def test_every_source_has_its_page_and_no_other_page_exists(built):
    assert sorted(page.name for page in built) == sorted(PAGES)


def test_each_module_has_its_reference_and_each_listing_leads_there(built):
    pages_by_name = {page.name: page for page in built}
    for path, name in zip(reference.modules(), LIBRARY, strict=True):
        for prefix in "", "zh/":
            found = pages_by_name[prefix + name].ids
            for own in reference.names(path):
                assert f"seqbook.{path.stem}.{own}" in found
    titles = [t for page in built for t in page.tree.select(".filename")]
    assert titles
    assert all(t.a and "/api/" in "/" + t.a["href"] for t in titles)


def test_every_link_leads_somewhere(built, site):
    assert not links(built, site)


def test_ids_are_unique_in_a_page(built):
    assert not ids(built)


def test_no_markup_and_no_traceback_is_left_in_a_page(built, site):
    assert not leftovers(built) + notebooks(site)


def test_nothing_is_asked_of_another_host(built, site):
    assert not foreign(built, site)


def test_images_have_words_sizes_and_twins(built):
    assert not pictures(built)


def test_search_index_and_own_scripts_are_light(built, site):
    assert not weights(built, site)


def test_the_language_switch_keeps_the_page(built, site):
    for page in built:
        if page.name == "404.html":
            continue
        link = page.tree.select_one(".seq-language a")
        here = page.name.rpartition("/")[0]
        want = (
            page.name[3:] if page.name.startswith("zh/") else f"zh/{page.name}"
        )
        assert normal(f"{here}/{link['href']}") == want, page.name
        own = "zh" if page.name.startswith("zh/") else "en"
        assert page.tree.html["lang"] == own, page.name
        assert link["hreflang"] == link["lang"] != own, page.name


# --- Labs -------------------------------------------------------------------

LAB_PAGES = [
    name
    for name, path in zip(
        page_names("en") + page_names("zh"),
        pages.sources_of(ROOT / "docs" / "en")
        + pages.sources_of(ROOT / "docs" / "zh"),
        strict=True,
    )
    if any(lab for _, lab in figures(path.read_text("utf-8")))
]
HAS_LAB = pytest.mark.parametrize("name", LAB_PAGES)
CONTROLS = "seq-lab[name] :is(input, select, button)"


LAB_NAMES = """[...document.querySelectorAll("seq-lab[name]")]
  .map((lab) => lab.getAttribute("name")).join()"""


def controls(page):
    """Number of controls of each lab of a page, once they are alive."""
    page.wait_for_function(
        """[...document.querySelectorAll("seq-lab[name]")].length
            && [...document.querySelectorAll("seq-lab[name]")].every(
              (lab) => lab.querySelector("input, select, button"))"""
    )
    return page.evaluate(
        """[...document.querySelectorAll("seq-lab[name]")].map((lab) =>
          lab.querySelectorAll("input, select, button").length)"""
    )


def said(lab):
    """What a lab shows: its text, and how it is drawn."""
    return lab.evaluate(
        """(lab) => lab.innerText + [...lab.querySelectorAll("svg, canvas")]
          .map((e) => e.toDataURL ? e.toDataURL() : e.innerHTML).join()"""
    )


@HAS_LAB
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
            page.wait_for_timeout(100)
            assert said(lab) != before, "a key moved nothing"
            for key in "Home", "End":
                slider.press(key)
                page.wait_for_timeout(50)
                words = lab.inner_text()
                assert not re.search(r"NaN|Infinity|undefined|null", words)
        buttons, n = lab.locator("button:visible:enabled"), 0
        while n < buttons.count():  # which a button may change
            buttons.nth(n).focus()
            buttons.nth(n).press("Enter")
            n += 1
        page.wait_for_timeout(50)
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
        if place >= 0:
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
    page.goto(page.url)
    page.reload()
    controls(page)
    again = page.locator("seq-lab[name] input[type=range]:visible").first
    assert again.input_value() == value


# --- Going from page to page ------------------------------------------------


def first_with(marker, language, but=()):
    """Name of the first page of a language whose source holds a marker."""
    folder = ROOT / "docs" / language
    for name, path in zip(
        page_names(language), pages.sources_of(folder), strict=True
    ):
        if re.search(marker, path.read_text("utf-8")) and name not in but:
            return name
    raise LookupError(f"no page of {language} has {marker}")


def click_to(page, name):
    """Follow the link of the side bar to a page of the same language."""
    page.evaluate(
        """(name) => [
          ...document.querySelectorAll(".md-nav--primary a[href]")
        ].find((a) => a.href.split("#")[0].endsWith("/" + name)).click()""",
        name,
    )
    page.wait_for_function(
        "(name) => location.pathname.endsWith('/' + name)"
        " && document.querySelector('article h1')",
        arg=name,
    )


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


def tip(page):
    """The tooltip that is open, as text."""
    page.wait_for_selector(TIP)
    return page.locator(TIP).inner_text().strip()


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
    assert tip(page).endswith(word)


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


# --- Weight of a page -------------------------------------------------------


def is_content(address):
    return "search_index" not in address


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


@pytest.mark.parametrize("name", LAB_PAGES)
def test_controls_stay_in_the_column_and_rings_spare_labels(opened, name):
    page = opened(name)
    assert controls(page)
    assert page.evaluate(BEYOND) == []


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


@BOTH
@pytest.mark.parametrize("name", ["numbers", "corrections", "library"])
def test_long_tables_are_stacks_on_a_phone(opened, name, language):
    prefix = "" if language == "en" else "zh/"
    page = opened(f"{prefix}{name}.html", "phone")
    assert page.locator(".prose, .numbers").count()
    assert page.evaluate(UNSTACKED) == []


@BOTH
def test_first_and_second_view_are_light(opened, site, language):
    """Everything that is sent, compressed, the search index apart."""
    prefix = "" if language == "en" else "zh/"
    chapters = [
        name
        for name in page_names(language)
        if name.rpartition("/")[2]
        not in ("index.html", "numbers.html", "references.html")
        and "experiments/" not in name
    ]
    pairs = [*itertools.pairwise([*chapters, chapters[0]])]
    if not browser.on_ci():  # the heaviest page alone

        def size(pair):
            return -(site / pair[0]).stat().st_size

        pairs = sorted(pairs, key=size)[:1]
    for one, other in pairs:
        with browser.serve(
            site, compress=True, home=builder.environment()["SITE_URL"]
        ) as server:
            page = opened(one, base=server.url)
            page.evaluate(browser.SCROLL_THROUGH)
            page.wait_for_load_state("networkidle")
            first = dict(server.sent)
            click_to(page, other.removeprefix(prefix))
            page.evaluate(browser.SCROLL_THROUGH)
            page.wait_for_load_state("networkidle")
            later = dict(server.sent[len(first) :])
            page.context.close()
        weight = sum(n for a, n in first.items() if is_content(a))
        assert weight <= FIRST_VIEW, (one, first)
        new = {a: n for a, n in later.items() if a not in first}
        weight = sum(n for a, n in new.items() if is_content(a))
        assert weight <= SECOND_VIEW, (other, new)
        fonts = [a for a in {**first, **later} if a.endswith(".woff2")]
        assert all("/katex/fonts/KaTeX_" in font for font in fonts)


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
