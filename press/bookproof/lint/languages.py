"""Parity: the pages of both languages say the same, in the same order."""

import ast
import re
from itertools import zip_longest
from pathlib import Path

from mkdocs.utils import yaml_load

from bookproof.lint.text import (
    DISPLAY,
    LANGUAGES,
    figures,
)
from bookproof.read import numbers, pages
from bookproof.sources import ROOT

HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*$", re.MULTILINE)
HEADING_ID = re.compile(r"\{[^{}]*#([a-z][a-z0-9_.-]*)[^{}]*\}$")


def parity(root=ROOT):
    """Both languages say the same: pages, ids, formulas, code, numbers."""
    docs = Path(root, "docs")
    names = {
        language: [
            path.relative_to(docs / language).as_posix()
            for path in pages.sources_of(docs / language)
        ]
        for language in LANGUAGES
    }
    faults = [
        f"{language}/{name}: only in one language"
        for language, other in (LANGUAGES, LANGUAGES[::-1])
        for name in names[language]
        if name not in names[other]
    ]
    for name in names["en"]:
        if name in names["zh"]:
            faults += compare(name, docs / "en" / name, docs / "zh" / name)
    return faults


def compare(name, one, other):
    """Where two languages of a page part, one fault a kind."""
    faults = []
    texts = pages.read(one), pages.read(other)
    for language, text in zip(LANGUAGES, texts, strict=True):
        faults += [
            f"{language}/{name}: no ASCII id on “{title}”"
            for title, place in headings(text)
            if place is None
        ]
    for what, found in (
        ("headings", [[i for _, i in headings(text)] for text in texts]),
        ("numbered equations", [displays(text) for text in texts]),
        ("code", [python_of(path) for path in (one, other)]),
        ("figures and labs", [figures(text) for text in texts]),
        ("citations", [cited_keys(text) for text in texts]),
    ):
        if part := first_difference(*found):
            faults.append(f"{name}: {what} differ: {part}")
    return faults + compare_numbers(name, *texts)


def headings(text):
    """(title, id or None) of each heading, in order."""
    found = []
    for match in HEADING.finditer(pages.prose(text)):
        place = HEADING_ID.search(match[2])
        found.append((match[2], place and place[1]))
    return found


def displays(text):
    """Displayed formulas with numbers, words in them left out."""
    found = []
    for match in DISPLAY.finditer(pages.prose(text)):
        if r"\tag" in match.group():
            tex = re.sub(r"\\text\{[^{}]*\}", r"\\text{}", match.group())
            found.append(" ".join(tex.split()))
    return found


def python_of(path):
    """Executed blocks and listings of a page, or cells of an experiment."""
    text = path.read_text("utf-8")
    if path.suffix == ".py":
        return [body for kind, body in pages.cells(text) if kind == "code"]
    return [
        match["body"].strip()
        for match in pages.FENCE.finditer(text)
        if is_python(match["info"].strip())
    ]


def is_python(info):
    return info == "python" or info.startswith("{")


def cited_keys(text):
    """Keys of the sources that a page cites, sorted: word order differs."""
    found = [p.source for p in pages.scan(text) if p.kind == "cite"]
    return sorted(source.partition(",")[0].strip() for source in found)


def compare_numbers(name, one, other):
    """Same expressions in the same order, with the same values printed."""
    pair = [
        [p for p in pages.scan(text) if p.kind == "number"]
        for text in (one, other)
    ]
    part = first_difference(*[[p.source for p in found] for found in pair])
    if part:
        return [f"{name}: checked numbers differ: {part}"]
    faults = []
    for en, zh in zip(*pair, strict=True):
        left, right = worth(en.text), worth(zh.text)
        if left == right or (None in (left, right) and is_claim(en.source)):
            continue
        faults.append(
            f"{name}: {en.source} is [{en.text}] in en, [{zh.text}] in zh"
        )
    return faults


def worth(text):
    """The value of a link text, or None if it is not one number."""
    try:
        return numbers.read_literal(text).value
    except ValueError:
        return None


def is_claim(expression):
    """True if an expression looks like a comparison."""
    try:
        node = ast.parse(expression.replace(r"\|", "|"), mode="eval").body
    except SyntaxError:
        return False
    return isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Call)


def first_difference(left, right):
    """The first place where two lists part, as words; None if nowhere."""
    for a, b in zip_longest(left, right):
        if a != b:
            return f"en has {brief(a)}, zh has {brief(b)}"
    return None


def brief(item):
    text = " ".join(str(item).split())
    return text if len(text) < 60 else text[:57] + "…"


def contents(root=ROOT):
    """Both tables of contents list the same files in the same order."""
    listed = []
    for name in "mkdocs.yml", "mkdocs.zh.yml":
        with Path(root, name).open("rb") as file:
            listed.append(leaves(yaml_load(file)["nav"]))
    part = first_difference(*listed)
    return [f"mkdocs.zh.yml: the contents differ: {part}"] if part else []


def leaves(nav):
    """Files of a table of contents, in order."""
    if isinstance(nav, str):
        return [nav]
    below = nav.values() if isinstance(nav, dict) else nav
    return [leaf for item in below for leaf in leaves(item)]
