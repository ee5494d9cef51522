"""What a page of the book holds: code to run, numbers to check, citations.

A page is Markdown. Its executable parts stand in document order and share
one namespace: fences of bare `python`, and links to `#=`. One scanner finds
them for tests, build and lints alike; what stands in a comment, in a code
span or in another fence is none of them. A percent-form script (an
experiment) is read too: its Markdown cells are a page, its code belongs to
Jupyter.
"""

import re
import textwrap
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bookproof.read import numbers

OPENING = re.compile(
    r"(?P<indent>[ \t]*(?:> ?)*)(?P<mark>`{3,}|~{3,})(?P<info>[^\n`]*)$"
)
BLANK_LINE = re.compile(r"\n[ \t>]*\n")
CITE = re.compile(r'\[((?:[^\[\]\n]|\[[^\[\]\n]*\])+)\]\(#cite "([^"\n]*)"\)')


@dataclass(frozen=True)
class Part:
    """One block, number or citation of a page.

    kind: "block" (code), "number" or "cite"; text: the link text;
    source: code, expression or citation; line: where it starts, from 1,
    of a block its first line of code.
    """

    kind: str
    start: int
    end: int
    line: int
    source: str
    text: str = ""


@dataclass(frozen=True)
class Fence:
    """A fenced block: where it stands, its info string, its text."""

    start: int
    end: int
    line: int  # of the opening mark, from 1
    mark: str
    info: str
    body: str  # without the indentation of the fence


@dataclass(frozen=True)
class Layout:
    """Where the text of a page is something else than prose.

    prose: the text, same length, with all else blanked;
    faults: (line, sentence) of what is opened and never closed.
    """

    prose: str
    fences: tuple
    faults: tuple


def line_of(text, place):
    """The line, from 1, of a place in a text."""
    return text.count("\n", 0, place) + 1


@lru_cache(maxsize=64)
def layout(text):
    """Read a page once from start to end -> Layout.

    What begins first wins: a `<!--` inside a code span opens nothing, and a
    fence inside a comment is not there.
    """
    fences, faults, blanked = [], [], []
    place, size = 0, len(text)
    while place < size:
        if place == 0 or text[place - 1] == "\n":
            stop = (text.find("\n", place) + 1 or size + 1) - 1
            if opening := OPENING.match(text[place:stop]):
                fence, closed = read_fence(text, place, opening)
                fences.append(fence)
                blanked.append((fence.start, fence.end))
                if not closed:
                    faults.append((fence.line, "this fence is never closed"))
                place = fence.end
                continue
        if text.startswith("<!--", place):
            end = text.find("-->", place)
            if end < 0:
                fault = line_of(text, place), "this comment is never closed"
                faults.append(fault)
                end = size
            blanked.append((place, min(end + 3, size)))
            place = min(end + 3, size)
        elif text[place] == "`":
            place = read_code_span(text, place, blanked)
        else:
            place += 2 if text.startswith("\\`", place) else 1
    return Layout(blank(text, blanked), tuple(fences), tuple(faults))


def read_fence(text, place, opening):
    """The fence that opens at a place -> Fence, True if it is closed."""
    indent, mark = opening["indent"], opening["mark"]
    start = place + opening.end() + 1
    closing = re.compile(
        rf"^{re.escape(indent.rstrip())}[ \t]*{re.escape(mark)}[ \t]*$",
        re.MULTILINE,
    )
    found = closing.search(text, min(start, len(text)))
    stop, end = found.span() if found else (len(text), len(text))
    body = re.sub(
        "^" + re.escape(indent), "", text[start:stop], flags=re.MULTILINE
    )
    line, info = line_of(text, place), opening["info"].strip()
    return Fence(place, end, line, mark, info, body), bool(found)


def read_code_span(text, place, blanked):
    """Step over a code span, or over backticks that open none -> place."""
    mark = re.compile("`+").match(text, place).group()
    paragraph = BLANK_LINE.search(text, place)
    stop = paragraph.start() if paragraph else len(text)
    inside = place + len(mark)
    closing = re.compile(rf"(?<!`){mark}(?!`)").search(text, inside, stop)
    if not closing:
        return inside
    blanked.append((place, closing.end()))
    return closing.end()


def blank(text, spans):
    """Text of the same length with what lies in spans turned into spaces."""
    pieces, last = [], 0
    for start, end in spans:
        pieces += [text[last:start], re.sub(r"[^\n]", " ", text[start:end])]
        last = end
    return "".join([*pieces, text[last:]])


def prose(text):
    """A page's text with fences, comments and code spans blanked."""
    return layout(text).prose


def fences(text):
    """The fences of a page, in order."""
    return layout(text).fences


def scan(text):
    """Parts of a page, in document order."""
    parts = []
    for fence in fences(text):
        if fence.info == "python":
            body = textwrap.dedent(fence.body)
            place = fence.start, fence.end, fence.line + 1
            parts.append(Part("block", *place, body))
    return sorted([*parts, *links(text)], key=lambda part: part.start)


def links(text):
    """The checked numbers and citations of a page."""
    words = prose(text)
    for kind, pattern in ("number", numbers.LINK), ("cite", CITE):
        for match in pattern.finditer(words):
            start, end = match.span()
            # Code spans inside a link text were blanked: read the original.
            shown, source = pattern.match(text, start).groups()
            yield Part(kind, start, end, line_of(text, start), source, shown)


def cells(text):
    """Percent-form script -> list of (kind, source), kind "md" or "code"."""
    return [(kind, source) for kind, source, _ in numbered_cells(text)]


def numbered_cells(text):
    """The cells of a script, each with the line that it begins at."""
    found = []
    line = text.partition("# %%")[0].count("\n") + 1
    for chunk in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
        head, _, body = chunk.partition("\n")
        if "[markdown]" in head:
            body = re.sub(r"^# ?", "", body, flags=re.MULTILINE)
            found.append(("md", body.strip("\n"), line + 1))
        else:
            found.append(("code", body.strip("\n"), line + 1))
        line += chunk.count("\n")
    return found


def read(path):
    """A page's text; percent-form scripts as their Markdown cells."""
    text = Path(path).read_text(encoding="utf-8-sig")
    if Path(path).suffix != ".py":
        return text
    return "\n\n".join(body for kind, body in cells(text) if kind == "md")


def sources_of(folder):
    """Pages of a language: Markdown and experiments, sorted."""
    return sorted([*folder.glob("**/*.md"), *folder.glob("**/*.py")])


def title(path):
    """First heading of a page, without its id."""
    for line in read(path).splitlines():
        if line.startswith("# "):
            return line[2:].partition("{")[0].strip()
    return path.stem
