"""A page held against what its code gave: right, or which line is wrong."""

from dataclasses import dataclass, field

from bookproof.book import here
from bookproof.read import numbers, pages
from bookproof.run import doctests, execution, values


class FalsePage(ValueError):
    """A page that says something its code does not: one line a fault."""


@dataclass
class Proof:
    """What stands behind a page: each number, and what was run for it.

    numbers: {"text", "expression", "shown", "fill"}, in order, "fill" None
    but for a number that the build fills in.
    """

    numbers: list = field(default_factory=list)
    blocks: int = 0
    versions: dict = field(default_factory=dict)
    date: str = ""

    def __bool__(self):
        return bool(self.numbers or self.blocks)


def outcomes(text):
    """(part, what it gave) of each executable part of a page, in order."""
    parts = [part for part in pages.scan(text) if part.kind != "cite"]
    if not parts:
        return []
    gave = execution.recorded(execution.stream(text))["gave"]
    return list(zip(parts, gave, strict=True))


def faults(part, gave):
    """(line of the page, what is wrong) for all that does not hold."""
    if "error" in gave:
        what = "this block failed"
        if part.kind == "number":
            what = f"[{part.text}] is not {part.source}"
        line = part.line + (gave["line"] or 1) - 1
        yield line, f"{what}: {gave['error']}"
    elif part.kind == "number":
        value = values.decode(gave["value"])
        expression = part.source.replace(r"\|", "|")
        if wrong := numbers.fault(part.text, expression, value):
            yield part.line, f"[{part.text}] is not {part.source}: {wrong}"
    else:
        examples = doctests.examples(part.source)
        for example, got in zip(examples, gave["printed"], strict=True):
            if wrong := doctests.fault(example.want, got):
                line = part.line + example.lineno
                yield line, f"this example failed: {wrong}"


def faults_of(text, name, above=0):
    """One line for each thing on a page that does not hold.

    name: of its file; above: lines that stand there before this text.
    """
    found = [
        f"{name}:{line + above}: {sentence}"
        for line, sentence in pages.layout(text).faults
    ]
    if found:
        return found
    try:
        ran = outcomes(text)
    except execution.Crashed as error:
        return [f"{name}: its code ended without an answer: {error}"]
    return [
        f"{name}:{line + above}: {sentence}"
        for part, gave in ran
        for line, sentence in faults(part, gave)
    ]


def prove(text, name="page", above=0):
    """Proof of a page. Raises FalsePage with a line for each fault."""
    if wrong := faults_of(text, name, above):
        raise FalsePage("\n".join(wrong))
    ran = outcomes(text)
    if not ran:
        return Proof()
    record = execution.recorded(execution.stream(text))
    checked = [number(p, gave) for p, gave in ran if p.kind == "number"]
    blocks = len(ran) - len(checked)
    return Proof(checked, blocks, record["versions"], record["date"])


def number(part, gave):
    """A checked number, as page and ledger print it."""
    value = values.decode(gave["value"])
    filled = part.text.strip() == numbers.FILLED
    return {
        "text": part.text,
        "expression": part.source,
        "shown": numbers.show(value),
        "fill": numbers.fill(value) if filled else None,
    }


def markdown_pages(languages=None):
    """Path of each Markdown page of the languages, in order."""
    return [
        path
        for language in languages or here().languages
        for path in sorted(here().pages(language).glob("**/*.md"))
    ]


def stale(paths):
    """Of these pages those that have to run; one of those that share a run."""
    found = {}
    for path in paths:
        parts = execution.stream(pages.read(path))
        if parts and not execution.is_known(parts):
            found.setdefault(execution.key(parts), path)
    return list(found.values())


def prove_all(paths):
    """Hold pages against what they gave, FalsePage with all faults."""
    wrong = [
        fault
        for path in paths
        for fault in faults_of(pages.read(path), here().name(path))
    ]
    if wrong:
        raise FalsePage("\n".join(wrong))
