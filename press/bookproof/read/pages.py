"""What a page of the book holds: code to run, numbers to check, citations.

A page is Markdown. Its executable parts stand in document order and share
one namespace: fences of bare `python`, and links to `#=`. `scan` finds them
for pytest and for the build alike; `run` executes a page and keeps what
each part gave. A percent-form script (an experiment) is scanned too: its
Markdown cells are read, its code belongs to Jupyter.
"""

import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

from bookproof.read import numbers
from bookproof.run import doctests

FENCE = re.compile(
    r"^(?P<indent>[ \t]*(?:> ?)*)(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)\n"
    r"(?P<body>.*?)"
    r"(?:^(?P=indent)(?P=mark)[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CITE = re.compile(r'\[((?:[^\[\]\n]|\[[^\[\]\n]*\])+)\]\(#cite "([^"\n]*)"\)')


@dataclass
class Part:
    """One block, number or citation of a page.

    kind: "block" (code), "number" or "cite"; text: the link text;
    source: code, expression or citation; line: where it starts, from 1.
    """

    kind: str
    start: int
    end: int
    line: int
    source: str
    text: str = ""


@dataclass
class Outcome:
    """What a part gave when its page ran."""

    part: Part
    value: object = None
    fault: str | None = None
    outputs: list = field(default_factory=list)  # (wanted, got) of a doctest


def blank(text, pattern):
    """Text of the same length with each match turned into spaces."""
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def prose(text):
    """A page's text with fences, comments and code spans blanked."""
    for pattern in FENCE, COMMENT, CODE_SPAN:
        text = blank(text, pattern)
    return text


def sources_of(folder):
    """Pages of a language: Markdown and experiments, sorted."""
    return sorted([*folder.glob("**/*.md"), *folder.glob("**/*.py")])


def scan(text):
    """Parts of a page, in document order."""
    parts = []
    for match in FENCE.finditer(text):
        if match["info"].strip() != "python":
            continue
        body = re.sub(
            "^" + re.escape(match["indent"]),
            "",
            match["body"],
            flags=re.MULTILINE,
        )
        line = text.count("\n", 0, match.start()) + 1
        body = textwrap.dedent(body)
        parts.append(Part("block", *match.span(), line, body))
    words = prose(text)
    for kind, pattern in ("number", numbers.LINK), ("cite", CITE):
        for match in pattern.finditer(words):
            start, end = match.span()
            # Code spans inside a link text were blanked: read the original.
            shown, source = pattern.match(text, start).groups()
            line = text.count("\n", 0, start) + 1
            parts.append(Part(kind, start, end, line, source, shown))
    return sorted(parts, key=lambda part: part.start)


def cells(text):
    """Percent-form script -> list of (kind, source), kind "md" or "code"."""
    found = []
    for chunk in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
        head, _, body = chunk.partition("\n")
        if "[markdown]" in head:
            body = re.sub(r"^# ?", "", body, flags=re.MULTILINE)
            found.append(("md", body.strip("\n")))
        else:
            found.append(("code", body.strip("\n")))
    return found


def check(part, namespace):
    """Run one part in a page's namespace -> Outcome."""
    if part.kind == "block":
        return run_block(part, namespace)
    try:
        value = numbers.evaluate(part.source, namespace)
        problem = numbers.fault(part.text, part.source, value)
    except Exception as error:
        value, problem = None, f"{type(error).__name__}: {error}"
    return Outcome(part, value, problem)


def run_block(part, namespace):
    """Execute a fence: a script, or a doctest whose outputs must match."""
    outcome = Outcome(part)
    try:
        for want, got in doctests.run(part.source, namespace):
            outcome.outputs.append((want, got))
            if not doctests.agree(want, got):
                outcome.fault = (
                    f"expected {want.rstrip()!r}, got {got.rstrip()!r}"
                )
                break
    except Exception as error:
        outcome.fault = f"{type(error).__name__}: {error}"
    return outcome


def run(text):
    """Execute a page -> list of Outcome, in document order."""
    namespace = {"__name__": "__main__"}
    parts = [p for p in scan(text) if p.kind != "cite"]
    return [check(part, namespace) for part in parts]


def complaint(path, outcome):
    """One line that says what is wrong where."""
    part = outcome.part
    if part.kind == "number":
        what = f"[{part.text}] is not {part.source}"
    else:
        what = "this block failed"
    return f"{path}:{part.line}: {what}: {outcome.fault}"


def read(path):
    """A page's text; percent-form scripts as their Markdown cells."""
    text = Path(path).read_text(encoding="utf-8")
    if Path(path).suffix != ".py":
        return text
    return "\n\n".join(body for kind, body in cells(text) if kind == "md")


def title(path):
    """First heading of a page, without its id."""
    for line in read(path).splitlines():
        if line.startswith("# "):
            return line[2:].partition("{")[0].strip()
    return path.stem
