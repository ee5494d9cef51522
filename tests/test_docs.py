"""The text: both languages, what is run and what is shown, every digit."""

import re

import pytest
from mkdocs.utils import yaml_load

from bookproof import sources
from bookproof.book import here
from bookproof.lint import every
from bookproof.lint.built import read
from bookproof.lint.languages import leaves
from bookproof.read import numbers, pages
from bookproof.run import doctests, notebooks, proofs, values

ROOT = here().root
DOCS = here().docs


@pytest.mark.parametrize("check", every.OF_SOURCES, ids=lambda f: f.__name__)
def test_the_sources_hold(check):
    assert check() == []


def test_every_page_stands_in_the_table_of_contents():
    with (ROOT / "mkdocs.yml").open("rb") as file:
        listed = leaves(yaml_load(file)["nav"])
    folder = DOCS / "en"
    written = [
        path.relative_to(folder).as_posix().replace(".py", ".ipynb")
        for path in pages.sources_of(folder)
    ]
    assert sorted(listed) == sorted(written)


NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?")


def test_every_test_named_on_a_page_exists():
    missing = []
    for name, path in texts().items():
        for file, function in NAMED.findall(path.read_text("utf-8")):
            source = ROOT / file
            code = source.read_text("utf-8") if source.is_file() else ""
            if not re.search(
                rf"^def {function}\b" if function else r"\S", code, re.M
            ):
                missing.append(f"{name}: {file}::{function}")
    assert missing == []


# --- What a reader sees -----------------------------------------------------


@pytest.fixture(scope="module")
def built(site):
    return read(site)


@pytest.mark.parametrize("check", every.OF_SITE, ids=lambda f: f.__name__)
def test_the_built_site_holds(built, site, check):
    assert check(built, site) == []


# --- Mutation: a changed digit never goes unnoticed --------------------------


def texts():
    """Page or experiment as "en/gru.md" -> Path."""
    return {
        path.relative_to(here().docs).as_posix(): path
        for language in here().languages
        for path in pages.sources_of(here().pages(language))
    }


def outcomes(path):
    if path.suffix == ".py":
        return notebooks.outcomes(notebooks.read(path), path)
    return proofs.outcomes(pages.read(path))


def mutants(part, gave):
    """(changed number or output, True if it is noticed) of a part."""
    if part.kind == "number":
        value = values.decode(gave["value"])
        expression = part.source.replace(r"\|", "|")
        for mutant in numbers.mutants(part.text, value):
            fault = numbers.fault(mutant, expression, value)
            yield f"[{mutant}] for [{part.text}]", fault is not None
        return
    examples = doctests.examples(part.source)
    for example, got in zip(examples, gave["printed"], strict=True):
        for mutant in doctests.mutants(example.want):
            noticed = not doctests.agree(mutant, got)
            yield f"{mutant!r} for {example.want!r}", noticed


@pytest.mark.mutation
@pytest.mark.parametrize("name", texts())
def test_no_changed_digit_goes_unnoticed(name):
    total, alive = 0, []
    for part, gave in outcomes(texts()[name]):
        assert not list(proofs.faults(part, gave))
        for mutant, noticed in mutants(part, gave):
            total += 1
            if not noticed:
                alive.append(f"{name}:{part.line}: {mutant}")
    print(f"{name}: {total - len(alive)} of {total} mutants killed")
    assert alive == []


# --- What the press says about itself ---------------------------------------


def test_the_press_knows_nothing_of_the_models():
    for path in (ROOT / "press").rglob("*.py"):
        names = sources.imported_names(path.read_text("utf-8"))
        assert not [n for n in names if n.startswith("seqbook")], path.name


def test_the_models_know_nothing_of_the_press():
    for path in (ROOT / "seqbook").glob("*.py"):
        names = sources.imported_names(path.read_text("utf-8"))
        assert not [n for n in names if n.startswith("bookproof")]
