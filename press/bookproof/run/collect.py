"""The two parsers that Sybil runs over every page: examples and numbers.

Each item holds its part of the page against the page's one run. What was
kept of an earlier run is used; `pytest --fresh` runs every page anew.
"""

from pathlib import Path

from sybil import Region

from bookproof import kept
from bookproof.book import here
from bookproof.read import pages
from bookproof.run import execution, notebooks, proofs


def _regions(document, kind):
    """A region for each part of a kind; experiments have numbers alone."""
    text = document.text
    is_script = Path(document.path).suffix == ".py"
    scan = notebooks.scan if is_script else pages.scan
    parts = [part for part in scan(text) if part.kind != "cite"]
    for place, part in enumerate(parts):
        if part.kind == kind:
            yield Region(part.start, part.end, place, _evaluate)


def _evaluate(example):
    """None if the part holds, else one line for each fault."""
    path = Path(example.path)
    is_script = path.suffix == ".py"
    outcomes = notebooks.outcomes if is_script else proofs.outcomes
    part, gave = outcomes(example.document.text)[example.parsed]
    found = [
        f"{here().name(path)}:{line}: {sentence}"
        for line, sentence in proofs.faults(part, gave)
    ]
    return "\n".join(found) or None


def examples(document):
    """Every fence of bare `python`."""
    yield from _regions(document, "block")


def checked_numbers(document):
    """Every link to `#=`."""
    yield from _regions(document, "number")


def pytest_addoption(parser):
    parser.addoption(
        "--fresh",
        action="store_true",
        help="run the code of every page anew, whatever was kept",
    )


def pytest_configure(config):
    is_worker = hasattr(config, "workerinput")
    if config.getoption("--fresh") and not is_worker:
        kept.clear(execution.KIND)
