"""The two parsers that Sybil runs over every page: examples and numbers."""

from sybil import Region

from bookproof.read import pages


def _regions(document, kind):
    for part in pages.scan(document.text):
        if part.kind == kind:
            yield Region(part.start, part.end, part, _evaluate)


def _evaluate(example):
    """None if the part holds, else one line that says what is wrong."""
    outcome = pages.check(example.parsed, example.namespace)
    if outcome.fault:
        return pages.complaint(example.path, outcome)


def examples(document):
    """Every fence of bare `python`."""
    yield from _regions(document, "block")


def checked_numbers(document):
    """Every link to `#=`."""
    yield from _regions(document, "number")
