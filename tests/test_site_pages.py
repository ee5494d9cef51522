"""Every English page of the built site, opened in a real browser.

Apart from test_site.py and test_site_pages_zh.py, so that two workers share
the work.
"""

import itertools

import pytest

from bookproof.book import here
from bookproof.lint.text import page_names
from bookproof.site import browser

ROOT = here().root

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
STATES = [*itertools.product(("light", "dark"), ("desktop", "phone"))]
# Of the library's reference one page in each language: they are all alike.
ENGLISH = [*page_names("en"), "404.html", "api/gru.html"]
CHINESE = [*page_names("zh"), "zh/api/gru.html"]
PAGES = ENGLISH + CHINESE


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


def states(name):
    """All four under CI; else two: each size, each scheme over the pages."""
    if browser.on_ci():
        return STATES
    turn = PAGES.index(name) % 2
    return [STATES[turn * 2], STATES[3 - turn * 2]]


@pytest.mark.parametrize("name", ENGLISH)
def test_a_page_is_quiet_fits_its_width_keeps_still_and_is_accessible(
    opened, name
):
    look_at(opened, name)


def look_at(opened, name):
    shown = states(name)
    thorough = (
        shown if browser.on_ci() else [shown[PAGES.index(name) // 2 % 2]]
    )
    for scheme, size in shown:
        page = opened(name, size, scheme)
        page.evaluate(
            browser.SCROLL_THROUGH
        )  # what is drawn lazily is there now
        assert page.evaluate(WIDER) == [], size
        assert page.evaluate(UNREACHABLE) == [], size
        assert page.evaluate("shifts") == [], size
        if size == "desktop":
            assert page.evaluate(BARRED) == []
        if (scheme, size) in thorough:
            page.evaluate(AXE.read_text("utf-8"))
            found = page.evaluate(AUDIT, browser.on_ci())
            assert [violation(v) for v in found] == [], (scheme, size)
        page.context.close()


# Formulas as drawn are hidden from readers' tools, and half of all elements:
# only a full run looks at their contrast, which test_figures.py measures too.
AUDIT = """async (full) => {
  const where = full ? document : { exclude: [".katex-html"] };
  return (await axe.run(where, { resultTypes: ["violations"] })).violations;
}"""


def violation(found):
    node = found["nodes"][0]
    checks = [*node["any"], *node["all"], *node["none"]]
    why = checks[0]["message"] if checks else found["help"]
    return f"{found['id']}: {node['html'][:150]}: {why}"
