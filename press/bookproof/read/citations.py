"""The bibliography, and the citations that point at it.

`[96 K80](#cite "wu2016gnmt, §8.3")` cites a source with its place. The
sources stand in docs/bibliography.toml, one table each.
"""

import tomllib
from functools import lru_cache

from bookproof.book import here
from bookproof.read import pages

FIELDS = {"authors", "year", "title", "venue"}


def bibliography():
    """Key -> source. Raises ValueError when a field is missing."""
    file = here().docs / "bibliography.toml"
    return read(file.read_text(encoding="utf-8")) if file.exists() else {}


@lru_cache(maxsize=4)
def read(text):
    entries = tomllib.loads(text)
    for name, entry in entries.items():
        if missing := FIELDS - entry.keys():
            raise ValueError(
                f"docs/bibliography.toml: {name} lacks {sorted(missing)}"
            )
    return entries


def split(citation):
    """ "key, locator" -> (key, locator). Raises ValueError in one sentence."""
    name, _, locator = (piece.strip() for piece in citation.partition(","))
    if name not in bibliography():
        raise ValueError(f"“{name}” is not in docs/bibliography.toml")
    if not locator:
        raise ValueError(
            f"the citation of {name} needs a section, table or page"
        )
    return name, locator


def short(name):
    """Authors and year in short: Cho et al. 2014."""
    entry = bibliography()[name]
    authors = entry["authors"]
    if len(authors) > 2:
        who = f"{authors[0].split(',')[0]} et al."
    else:
        who = " and ".join(author.split(",")[0] for author in authors)
    return f"{who} {entry['year']}"


def cited_by(language):
    """Key -> list of (page name, locator), over all pages of a language."""
    found = {}
    folder = here().pages(language)
    for path in pages.sources_of(folder):
        page = path.relative_to(folder).as_posix()
        for part in pages.links(pages.read(path)):
            if part.kind == "cite":
                name, locator = split(part.source)
                found.setdefault(name, []).append((page, locator))
    return found
