"""The generated tables: numbers, references, the modules of the library.

A page asks for one with a paragraph such as `[[ledger]]`.
"""

import re
import xml.etree.ElementTree as etree

from markdown.util import AtomicString

from bookproof.book import here
from bookproof.read import citations, numbers, pages
from bookproof.run import notebooks, proofs
from bookproof.show import glossary, reference
from bookproof.show.words import WORDS


def table(name, language):
    """The table called for. Raises ValueError for a name it doesn't know."""
    makers = {
        "ledger": ledger,
        "cited": cited,
        "glossary": glossary.table,
        "references": references,
        "modules": modules,
    }
    if name not in makers:
        raise ValueError(f"[[{name}]] is none of {sorted(makers)}")
    return makers[name](language)


def cell(row, text=None, tag="td", href=None, code=False):
    """Append a cell to a table row, as text, code or link."""
    element = etree.SubElement(row, tag)
    if href:
        element = etree.SubElement(element, "a")
        element.set("href", href)
    if code:
        element = etree.SubElement(element, "code")
    element.text = AtomicString(text)
    return element


def grid(head):
    """Column titles -> the box of a wide table, the table, still empty."""
    box = etree.Element("div")
    box.set("class", "generated table ledger")
    found = etree.SubElement(box, "table")
    found.set("class", "rows")  # the theme boxes what has no class
    top = etree.SubElement(etree.SubElement(found, "thead"), "tr")
    for title in head:
        cell(top, title, "th")
    return box, found


def by_page(head, language, rows_of):
    """A table with a heading for each page that has rows_of(path, page)."""
    box, found = grid(head)
    box.set("class", box.get("class") + " numbers")
    for path in pages.sources_of(here().pages(language)):
        page = address(path, language)
        rows = rows_of(path, page)
        if not rows:
            continue
        body = etree.SubElement(found, "tbody")
        heading = etree.SubElement(etree.SubElement(body, "tr"), "th")
        heading.set("colspan", str(len(head)))
        heading.set("scope", "rowgroup")
        link = etree.SubElement(heading, "a")
        link.set("href", page)
        link.text = AtomicString(pages.title(path))
        for row in rows:
            line = etree.SubElement(body, "tr")
            for arguments in row:
                cell(line, **arguments)
    return box


def label(table):
    """Tell each cell the title of its column, for where rows are stacked."""
    titles = ["".join(th.itertext()) for th in table.findall("thead/tr/th")]
    for row in table.findall("tbody/tr"):
        for title, td in zip(titles, row, strict=True):
            td.set("data-title", title)


def address(path, language):
    """Where a link to a page or experiment points, as MkDocs wants it."""
    uri = path.relative_to(here().pages(language)).as_posix()
    return uri.removesuffix(".py") + ".ipynb" * uri.endswith(".py")


def ledger(language):
    """Every checked number: where it stands, its expression, its value."""

    def rows_of(path, page):
        proof = proof_of(path)
        return [
            [
                {
                    "text": number["fill"] or readable(number["text"]),
                    "href": f"{page}#n-{i}",
                },
                {"text": number["expression"], "code": True},
                {"text": number["shown"]},
            ]
            for i, number in enumerate(proof.numbers, 1)
        ]

    words = WORDS[language]
    head = [words[k] for k in ("number", "expression", "value")]
    return by_page(head, language, rows_of)


def proof_of(path):
    """Proof of a page or experiment; an empty one while it is wrong.

    What is wrong is said where the page itself is built.
    """
    try:
        if path.suffix == ".py":
            return notebooks.prove(path)
        return proofs.prove(pages.read(path), path.name)
    except (proofs.FalsePage, notebooks.FailedCell):
        return proofs.Proof()


def readable(text):
    """Link text without its TeX, for a table of many."""
    plain = numbers.plain(text).replace("\\approx", "≈")
    return re.sub(r"10\^(-?\d+)", lambda m: numbers.power(m[1]), plain)


def cited(language):
    """Every number that is taken from a source: where, and from which."""

    def rows_of(path, _):
        rows = []
        for part in pages.links(pages.read(path)):
            if part.kind == "cite" and any(c.isdigit() for c in part.text):
                name, locator = citations.split(part.source)
                source = f"{citations.short(name)}, {locator}"
                href = f"references.md#{name}"
                number = {"text": readable(part.text)}
                rows.append([number, {"text": source, "href": href}])
        return rows

    words = WORDS[language]
    return by_page([words["number"], words["source"]], language, rows_of)


def modules(language):
    """The library: each module, its first sentence, where it is shown."""
    words = WORDS[language]
    head = [words[k] for k in ("module", "purpose", "chapters")]
    box, found = grid(head)
    box.set("class", box.get("class") + " prose")
    body = etree.SubElement(found, "tbody")
    for path in reference.modules():
        row = etree.SubElement(body, "tr")
        cell(row, path.stem, href=f"api/{path.stem}.md", code=True)
        purpose = cell(row, reference.docstring(path).partition("\n")[0])
        purpose.set("lang", "en")
        inside = etree.SubElement(purpose, "div")
        inside.set("class", "names")
        for name in reference.names(path):
            link = etree.SubElement(inside, "a")
            link.set(
                "href",
                f"api/{path.stem}.md#{here().library}.{path.stem}.{name}",
            )
            etree.SubElement(link, "code").text = AtomicString(name)
            link.tail = " "
        shown = etree.SubElement(row, "td")
        for i, page in enumerate(reference.chapters(path, language)):
            if i:
                link.tail = words["comma"]
            link = etree.SubElement(shown, "a")
            link.set("href", address(page, language))
            link.text = AtomicString(pages.title(page))
    label(found)
    return box


def references(language):
    """The bibliography: each cited source, and the pages that cite it."""
    words = WORDS[language]
    found = citations.cited_by(language)
    entries = citations.bibliography()
    box = etree.Element("dl")
    box.set("class", "generated references")
    for name in sorted(found, key=lambda n: entries[n]["authors"]):
        entry = entries[name]
        who = "; ".join(entry["authors"])
        term = etree.SubElement(box, "dt")
        term.set("id", name)
        term.set("lang", "en")
        term.text = AtomicString(f"{who} ({entry['year']})")
        text = etree.SubElement(box, "dd")
        text.set("lang", "en")
        stop = "" if entry["title"].endswith(("?", "!")) else "."
        text.text = AtomicString(f"{entry['title']}{stop} {entry['venue']}. ")
        if "url" in entry:
            link = etree.SubElement(text, "a")
            link.set("href", entry["url"])
            link.text = AtomicString(entry["url"].partition("://")[2])
        back = etree.SubElement(box, "dd")
        back.set("class", "back")
        back.text = AtomicString(f"{words['cited']} ")
        for i, page in enumerate(dict.fromkeys(p for p, _ in found[name])):
            if i:
                link.tail = words["comma"]
            link = etree.SubElement(back, "a")
            path = here().pages(language) / page
            link.set("href", address(path, language))
            link.text = AtomicString(pages.title(path))
    return box
