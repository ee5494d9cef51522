"""All checks there are: of the sources, and of a site built from them.

`python -m bookproof.lint` and the tests go through these two lists.
"""

from bookproof.lint import (
    addresses,
    built,
    counts,
    digits,
    languages,
    text,
    weights,
)

# Each takes nothing and returns faults, one line each.
OF_SOURCES = [
    text.pages_hold,
    text.figures_used,
    text.equations_once,
    languages.parity,
    languages.contents,
    languages.pages_are_announced,
]

# Each takes the built pages and the folder of the site.
OF_SITE = [
    addresses.links,
    built.ids,
    built.leftovers,
    built.notebooks,
    addresses.foreign,
    built.pictures,
    digits.unaccounted,
    counts.counts_differ,
    weights.weights,
]


def of_sources():
    """Faults of the book's text."""
    return [fault for check in OF_SOURCES for fault in check()]


def of_site(site):
    """Faults of a built site."""
    pages = built.read(site)
    if not pages:
        return [f"{site}: there is no page"]
    return [fault for check in OF_SITE for fault in check(pages, site)]
