"""What several tests of the site ask of a page: its labs, the next page."""

from bookproof.book import here
from bookproof.lint.text import figures, page_names
from bookproof.read import pages


def sources():
    """Name of each page in the site -> path of its source."""
    return {
        name: path
        for language in ("en", "zh")
        for name, path in zip(
            page_names(language),
            pages.sources_of(here().docs / language),
            strict=True,
        )
    }


LAB_PAGES = [
    name
    for name, path in sources().items()
    if any(lab for _, lab in figures(path.read_text("utf-8")))
]


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


SAID = """(lab) =>
  lab.innerText + [...lab.querySelectorAll("svg, canvas")]
    .map((e) => e.toDataURL ? e.toDataURL() : e.innerHTML).join()"""


def said(lab):
    """What a lab shows: its text, and how it is drawn."""
    return lab.evaluate(SAID)


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
