"""The glossary: each term once in both languages, and at its first use.

docs/glossary.toml holds the terms. `place` is where the book explains one;
every other page marks its first use of it with a link there, whose tooltip
says it in one sentence.
"""

import re
import tomllib
import xml.etree.ElementTree as etree
from functools import lru_cache

from markdown.util import AtomicString

from bookproof.book import here

FIELDS = {"place", "en", "zh", "en_says", "zh_says"}
OPTIONAL = {"en_also", "zh_also"}  # other forms that mean the same
# Words in these are not prose, or lead somewhere already.
CLOSED = {
    *("a", "code", "pre", "data", "abbr", "h1", "h2", "h3", "h4", "h5", "h6"),
    *("figcaption", "summary", "th", "script", "seq-lab", "details"),
}


def terms():
    """Key -> entry. Raises ValueError when a field is missing or unknown."""
    file = here().docs / "glossary.toml"
    return read(file.read_text(encoding="utf-8")) if file.exists() else {}


@lru_cache(maxsize=4)
def read(text):
    entries = tomllib.loads(text)
    for name, entry in entries.items():
        missing, odd = FIELDS - entry.keys(), entry.keys() - FIELDS - OPTIONAL
        if missing or odd:
            raise ValueError(
                f"docs/glossary.toml: {name} lacks {sorted(missing)}, "
                f"has {sorted(odd)}"
            )
    return entries


def forms(language):
    """(pattern of all terms, form in lower case -> key), longest first."""
    found = tuple(
        (form.lower(), name)
        for name, entry in terms().items()
        for form in [entry[language], *entry.get(f"{language}_also", [])]
    )
    return pattern_of(found, language)


@lru_cache(maxsize=4)
def pattern_of(found, language):
    keys = dict(found)
    ranked = sorted(keys, key=len, reverse=True)
    escaped = [re.escape(form).replace(r"\ ", r"\s+") for form in ranked]
    pattern = "|".join(escaped)
    if language == "en":
        pattern = rf"(?<![\w-])(?:{pattern})(?:e?s)?(?![\w-])"
    return re.compile(pattern, re.IGNORECASE), keys


def key_of(word, keys):
    """A form as found on a page -> its key; a plural is its singular's."""
    word = " ".join(word.lower().split())
    tries = word, word.removesuffix("s"), word.removesuffix("es")
    return next(keys[form] for form in tries if form in keys)


def mark(root, language, page, up=""):
    """Link the first use of each term on a page, in its paragraphs.

    page: its name, such as gru.md; terms that it explains stay as they are.
    """
    entries = terms()
    if not entries:
        return
    pattern, keys = forms(language)
    seen = {
        name
        for name, entry in entries.items()
        if entry["place"].partition("#")[0] == page
    }

    def link(word, name):
        element = etree.Element("a")
        element.set("class", "term")
        element.set("href", f"{up}{entries[name]['place']}")
        element.set("title", entries[name][f"{language}_says"])
        element.text = AtomicString(word)
        return element

    def split(text):
        """-> what is left of a text, and the links that follow it."""
        links, rest, start = [], text, 0
        for match in pattern.finditer(text):
            name = key_of(match.group(), keys)
            if name in seen:
                continue
            seen.add(name)
            before = text[start : match.start()]
            if links:
                links[-1].tail = before
            else:
                rest = before
            links.append(link(match.group(), name))
            start = match.end()
        if links:
            links[-1].tail = text[start:]
        return rest, links

    def walk(element):
        if element.tag in CLOSED or "generated" in element.get("class", ""):
            return
        children = list(element)
        if element.text and not isinstance(element.text, AtomicString):
            element.text, links = split(element.text)
            for i, found in enumerate(links):
                element.insert(i, found)
        for child in children:
            walk(child)
            if child.tail:
                child.tail, links = split(child.tail)
                place = list(element).index(child) + 1
                for i, found in enumerate(links):
                    element.insert(place + i, found)

    for child in list(root):
        walk(child)


def table(language):
    """All terms as a list of definitions, in the order of the alphabet."""
    other = {"en": "zh", "zh": "en"}[language]
    box = etree.Element("dl")
    box.set("class", "generated glossary")
    ranked = sorted(terms().items(), key=lambda item: item[1]["en"].lower())
    for name, entry in ranked:
        term = etree.SubElement(box, "dt")
        term.set("id", name)
        link = etree.SubElement(term, "a")
        link.set("href", entry["place"])
        link.text = AtomicString(entry[language])
        link.tail = " "
        twin = etree.SubElement(term, "span")
        twin.set("lang", other)
        twin.set("class", "twin")
        twin.text = AtomicString(entry[other])
        says = etree.SubElement(box, "dd")
        says.text = AtomicString(entry[f"{language}_says"])
    return box
