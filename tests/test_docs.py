"""The text: both languages, what is run and what is shown, every digit."""

import re
from functools import cache

import pytest

from bookproof import sources
from bookproof.lint.built import read
from bookproof.lint.counts import counts_differ
from bookproof.lint.digits import unaccounted
from bookproof.lint.languages import contents, leaves, parity
from bookproof.lint.text import (
    LANGUAGES,
    equations,
    fences,
    figure_use,
)
from bookproof.read import numbers, pages
from bookproof.run import doctests, proofs
from bookproof.sources import ROOT

DOCS = ROOT / "docs"


def test_both_languages_say_the_same():
    assert parity() == []


def test_both_tables_of_contents_list_the_same_pages():
    assert contents() == []


def test_every_page_stands_in_the_table_of_contents():
    from mkdocs.utils import yaml_load

    with (ROOT / "mkdocs.yml").open("rb") as file:
        listed = leaves(yaml_load(file)["nav"])
    folder = DOCS / "en"
    written = [
        path.relative_to(folder).as_posix().replace(".py", ".ipynb")
        for path in pages.sources_of(folder)
    ]
    assert sorted(listed) == sorted(written)


def test_every_fence_is_run_or_a_listing_or_no_python():
    assert fences() == []


def test_every_figure_has_a_script_and_every_script_is_used():
    assert figure_use() == []


def test_every_cited_equation_exists():
    assert equations() == []


NAMED = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?")


def test_every_test_named_on_a_page_exists():
    missing = []
    for name, path in {**texts(), **experiments()}.items():
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


def test_what_is_shown_was_run(built):
    assert counts_differ(built) == []


def test_no_digit_is_unaccounted_for(built):
    assert unaccounted(built) == []


# --- Mutation: a changed digit never goes unnoticed --------------------------


def texts():
    """Page as "en/gru.md" -> Path, experiments apart: Jupyter runs those."""
    return {
        path.relative_to(DOCS).as_posix(): path
        for language in LANGUAGES
        for path in pages.sources_of(DOCS / language)
        if path.suffix == ".md"
    }


def experiments():
    return {
        path.relative_to(DOCS).as_posix(): path
        for language in LANGUAGES
        for path in pages.sources_of(DOCS / language)
        if path.suffix == ".py"
    }


@cache
def executed(stream):
    """Outcomes of code and expressions; the two languages share them."""
    namespace = {"__name__": "__main__"}
    found = []
    for kind, source in stream:
        part = pages.Part(kind, 0, 0, 0, source, numbers.FILLED)
        if kind == "block":
            found.append(pages.run_block(part, namespace))
        else:
            value = numbers.evaluate(source, namespace)
            found.append(pages.Outcome(part, value))
    return found


def run(text):
    """(part, outcome) of each executable part of a page."""
    parts = [part for part in pages.scan(text) if part.kind != "cite"]
    stream = tuple((part.kind, part.source) for part in parts)
    return list(zip(parts, executed(stream), strict=True))


def killed(text, expression, value):
    """(mutant, True if it is noticed) for one checked number."""
    for mutant in numbers.mutants(text, value):
        yield mutant, numbers.fault(mutant, expression, value) is not None


@pytest.mark.mutation
@pytest.mark.parametrize("name", texts())
def test_no_changed_digit_goes_unnoticed(name):
    text = pages.read(texts()[name])
    total, alive = 0, []
    for part, outcome in run(text):
        where = f"{name}:{part.line}"
        assert outcome.fault is None, f"{where}: {outcome.fault}"
        if part.kind == "number":
            source = part.source.replace(r"\|", "|")
            for mutant, noticed in killed(part.text, source, outcome.value):
                total += 1
                if not noticed:
                    alive.append(f"{where}: [{mutant}] for [{part.text}]")
        for want, got in outcome.outputs:
            for mutant in doctests.mutants(want):
                total += 1
                if doctests.agree(mutant, got):
                    alive.append(f"{where}: {mutant!r} for {want!r}")
    print(f"{name}: {total - len(alive)} of {total} mutants killed")
    assert alive == []


@pytest.mark.mutation
@pytest.mark.parametrize("name", experiments())
def test_no_changed_digit_of_an_experiment_goes_unnoticed(name):
    """Each number stays what it is to its four printed digits."""
    from bookproof.run import notebooks

    notebooks.build(say=lambda line: None)
    path = experiments()[name]
    page = notebooks.markdown(path.read_text("utf-8"))
    proof = proofs.prove(page, name)
    total, alive = 0, []
    parts = [part for part in pages.scan(page) if part.kind == "number"]
    for part, number in zip(parts, proof["numbers"], strict=True):
        value = value_of(number["shown"])
        for mutant, noticed in killed(part.text, part.source, value):
            total += 1
            if not noticed:
                alive.append(f"[{mutant}] for [{part.text}]")
    print(f"{name}: {total - len(alive)} of {total} mutants killed")
    assert alive == []


def value_of(shown):
    """A value as the press keeps it, read back."""
    if shown in ("true", "false"):
        return shown == "true"
    try:
        return float(shown)
    except ValueError:
        return shown


# --- What the press says about itself ---------------------------------------


def test_every_study_quoted_is_up_to_date():
    from bookproof.run import studies

    for name in studies.study_names():
        studies.check_study(name)


def test_the_press_knows_nothing_of_the_models():
    for path in (ROOT / "press").rglob("*.py"):
        names = sources.imported_names(path.read_text("utf-8"))
        assert not [n for n in names if n.startswith("seqbook")], path.name


def test_the_models_know_nothing_of_the_press():
    for path in (ROOT / "seqbook").glob("*.py"):
        names = sources.imported_names(path.read_text("utf-8"))
        assert not [n for n in names if n.startswith("bookproof")]
