"""Parity: the pages of both languages say the same, in the same order."""

import ast
import re
from itertools import zip_longest

from mkdocs.utils import yaml_load

from bookproof.book import here
from bookproof.lint.text import DISPLAY, HEADING, HEADING_ID, figures
from bookproof.read import numbers, pages


def parity():
    """All languages say the same: pages, ids, formulas, code, numbers."""
    first, *others = here().languages
    return [fault for other in others for fault in compare_all(first, other)]


def compare_all(one, other):
    """Where two languages part, one fault a kind and page."""
    folders = here().pages(one), here().pages(other)
    names = [
        [p.relative_to(folder).as_posix() for p in pages.sources_of(folder)]
        for folder in folders
    ]
    faults = [
        f"{here().name(here().pages(language) / name)}: only in one language"
        for language, own, theirs in ((one, *names), (other, *names[::-1]))
        for name in own
        if name not in theirs
    ]
    for name in names[0]:
        if name in names[1]:
            faults += compare(name, *(folder / name for folder in folders))
    return faults


def compare(name, one, other):
    """Where two languages of a page part, one fault a kind."""
    faults = []
    texts = pages.read(one), pages.read(other)
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
        place = HEADING_ID.search(match["title"])
        found.append((match["title"], place and place[1]))
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
        fence.body.strip()
        for fence in pages.fences(text)
        if is_python(fence.info)
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


def contents():
    """All tables of contents list the same files in the same order."""
    listed, faults = {}, []
    for language in here().languages.values():
        with (here().root / language.config).open("rb") as file:
            listed[language.config] = leaves(yaml_load(file).get("nav", []))
    first, *others = listed
    for other in others:
        if part := first_difference(listed[first], listed[other]):
            faults.append(f"{other}: the contents differ: {part}")
    return faults


def pages_are_announced():
    """A page is in the table of contents, says what it holds, and the first
    page leads to it."""
    faults = []
    for code, language in here().languages.items():
        folder = here().pages(code)
        with (here().root / language.config).open("rb") as file:
            listed = leaves(yaml_load(file).get("nav", []))
        first = folder / (listed or ["index.md"])[0]
        led_to = pages.prose(pages.read(first)) if first.exists() else ""
        for path in pages.sources_of(folder):
            name, uri = here().name(path), path.relative_to(folder).as_posix()
            uri = uri.removesuffix(".py") + ".ipynb" * uri.endswith(".py")
            text = path.read_text(encoding="utf-8-sig")
            if listed and uri not in listed:
                faults.append(f"{name}: not named in {language.config}")
            head = text.partition("\n---\n")[0]
            if path.suffix == ".md" and "\ndescription: " not in head:
                faults.append(f"{name}:1: its head has no description")
            if path != first and f"]({uri}" not in led_to:
                where = here().name(first)
                faults.append(f"{name}: {where} does not lead to it")
    return faults


def leaves(nav):
    """Files of a table of contents, in order."""
    if isinstance(nav, str):
        return [nav]
    below = nav.values() if isinstance(nav, dict) else nav
    return [leaf for item in below for leaf in leaves(item)]
