"""Nothing unaccounted: every digit that a reader sees has its reason.

A digit in prose, a table or a caption (or heard, in the words of a picture)
is accounted for when it stands in a checked number, a citation, code or its
output, generated text, a link within the book, an equation number "(gru.4)"
or the number of a chapter, a section or an exercise; when it belongs to a
name, that is a word whose letters come first (INT8, word2vec, WordSim-353)
or one like 3CosAdd; when it is a year and its paragraph, item or caption has
a citation; or when docs/waivers.toml holds it with a reason. Number words
and ordinals are not digits. formulas.py has the rules for formulas.
"""

import re
import tomllib
from dataclasses import dataclass, field

from bs4 import Comment, NavigableString

from bookproof.book import here
from bookproof.lint.addresses import is_foreign
from bookproof.lint.built import MUTE, around
from bookproof.lint.formulas import loose_formula

BLOCKS = {
    *("p", "li", "td", "th", "dt", "dd", "figcaption", "caption", "summary"),
    *("h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "div", "figure"),
    *("ul", "ol", "dl", "table", "thead", "tbody", "tr", "section", "article"),
    *("details", "seq-lab", "picture", "hr", "br"),
}
DIGIT = "[\\d¼½¾⅓⅔⁰¹²³⁴-⁹]"
DIGITS = re.compile(rf"{DIGIT}+(?:(?:[.,⁻⁺]|e[-+]?){DIGIT}+)*")
HOLE = "\ufffc"  # what has been accounted for as a whole
FINE = re.compile(
    r"""
      ^\s*\d+\.(?=\s)                                    # 1. an exercise
    | \([a-z_]+\.\d+\)                                  # (gru.4)
    | (?:\b(?:[Cc]hapters?|[Ss]ections?|[Pp]arts?|[Aa]ppendix)|§{1,2})
      [\s\u00a0]*\d+(?:\.\d+)*
    | 第\s*\d+\s*[章节部]
    | (?<![A-Za-z0-9.])[A-Za-z](?:[A-Za-z0-9]|[-._](?=[A-Za-z0-9]))*   # INT8
    | (?<![\w.])\d[A-Z][A-Za-z]*[a-z][A-Za-z]*                 # 3CosAdd
    | (?<=[A-Za-z])[⁰¹²³⁴-⁹]+                                   # x²
    """,
    re.VERBOSE,
)
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


@dataclass
class Passage:
    """The visible text of one block, holes where it is accounted for."""

    text: str = ""
    formulas: list = field(default_factory=list)
    cites: bool = False


def passages(article):
    """The blocks of an article, in order, with what they say."""
    found = [Passage()]
    collect(article, found)
    return [p for p in found if p.text.strip() or p.formulas]


def collect(node, found):
    """Add what a node says to the last passage, or to new ones."""
    for child in node.children:
        if isinstance(child, NavigableString):
            if not isinstance(child, Comment):
                found[-1].text += str(child)
            continue
        classes = child.get("class", ())
        if child.name in MUTE or {"headerlink", "filename"} & {*classes}:
            found[-1].text += HOLE
        elif "generated" in classes:
            found.append(Passage())
        elif child.name == "data" and {"checked", "measured"} & {*classes}:
            found[-1].text += HOLE
        elif child.name == "a" and "cite" in classes:
            found[-1].text += HOLE
            found[-1].cites = True
        elif child.name == "a" and not is_foreign(child.get("href", "//x")):
            found[-1].text += HOLE
        elif "katex" in classes:
            tex = child.select_one('annotation[encoding="application/x-tex"]')
            found[-1].formulas.append(tex.get_text() if tex else "")
            found[-1].text += HOLE
        elif child.name == "img":
            found.append(Passage(child.get("alt", "")))
            found.append(Passage())
        elif child.name in BLOCKS:
            cites = found[-1].cites if child.name == "br" else False
            found.append(Passage(cites=cites))
            collect(child, found)
            found.append(Passage())
        else:
            if child.name == "abbr" and child.get("title"):
                found.insert(-1, Passage(child["title"]))
            collect(child, found)


def loose_digits(passage):
    """Places (start, end) of the digits in prose that nothing accounts for."""
    text = FINE.sub(lambda m: "\0" * len(m.group()), passage.text)
    if passage.cites:
        text = YEAR.sub(lambda m: "\0" * len(m.group()), text)
    return [match.span() for match in DIGITS.finditer(text)]


@dataclass
class Waiver:
    """An entry of docs/waivers.toml: page ("*": any), text and reason."""

    page: str
    text: str
    reason: str
    used: bool = False


def waivers(file=None):
    """The list of waivers. Raises ValueError for one that says too little."""
    file = file or here().docs / "waivers.toml"
    if not file.exists():
        return []
    found = []
    for entry in tomllib.loads(file.read_text("utf-8")).get("waiver", []):
        wanted = {"page", "text", "reason"}
        if entry.keys() != wanted or not all(map(str.strip, entry.values())):
            raise ValueError(f"{file.name}: needs {sorted(wanted)}: {entry}")
        found.append(Waiver(**entry))
    return found


def is_waived(page, text, start, end, known):
    """True if a waiver for this page holds the place start..end of text."""
    for waiver in known:
        if waiver.page not in ("*", page):
            continue
        for match in re.finditer(re.escape(waiver.text), text):
            if match.start() <= start and end <= match.end():
                waiver.used = True
                return True
    return False


def unaccounted(built, site=None, known=None):
    """Every digit that a reader sees is accounted for; see above."""
    known = waivers() if known is None else known
    faults = []
    for page in built:
        for passage in passages(page.article) if page.article else ():
            text = " ".join(passage.text.split())
            squeezed = Passage(text, passage.formulas, passage.cites)
            for start, end in loose_digits(squeezed):
                if not is_waived(page.name, text, start, end, known):
                    faults.append(
                        f"{page.name}: {text[start:end]} in "
                        f"“{around(text, start).replace(HOLE, '…')}” is not "
                        "accounted for"
                    )
            for tex in passage.formulas:
                for loose in loose_formula(tex):
                    start = max(tex.find(loose), 0)
                    end = start + len(loose)
                    if not is_waived(page.name, tex, start, end, known):
                        faults.append(
                            f"{page.name}: {loose} in the formula "
                            f"{' '.join(tex.split())} is not accounted for"
                        )
    faults = [*dict.fromkeys(faults)]  # both schemes have the same alt
    faults += [
        f"docs/waivers.toml: nothing on {w.page} needs “{w.text}”"
        for w in known
        if not w.used
    ]
    return faults
