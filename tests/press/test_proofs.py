"""Values of a page: computed once, kept by all that they depend on."""

import importlib
import re
import sys

import pytest

from bookproof import sources
from bookproof.run import proofs
from bookproof.sources import ROOT

PAGE = '```python\nx = 2\n```\n\nIt is [2](#= "x").\n'


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(proofs, "CACHE", tmp_path / "proofs")
    return tmp_path / "proofs"


def test_a_true_page_gives_its_values():
    proof = proofs.prove(PAGE)
    assert proof["blocks"] == 1
    (number,) = proof["numbers"]
    assert (number["text"], number["shown"]) == ("2", "2")
    assert number["expression"] == "x"
    assert "NumPy" in proof["versions"]


def test_a_false_number_is_named_in_one_line():
    with pytest.raises(proofs.FalsePage) as error:
        proofs.prove(PAGE.replace("[2]", "[3]"), "docs/en/a.md")
    assert str(error.value) == (
        "docs/en/a.md:5: [3] is not x: the expression gives 2"
    )


def test_every_false_number_of_a_page_is_named():
    with pytest.raises(proofs.FalsePage) as error:
        proofs.prove('[1](#= "2")\n\n[3](#= "4")\n\n[5](#= "5")\n', "a.md")
    assert re.findall(r"a\.md:(\d+): \[(\d)\]", str(error.value)) == [
        ("1", "1"),
        ("3", "3"),
    ]


def test_a_block_that_fails_is_named():
    with pytest.raises(proofs.FalsePage, match=r"a\.md:1: .*ZeroDivision"):
        proofs.prove("```python\n1 / 0\n```\n", "a.md")


def test_a_page_that_stops_the_process_is_false():
    with pytest.raises(proofs.FalsePage, match="a.md"):
        proofs.prove("```python\nimport os\nos._exit(3)\n```\n", "a.md")


def test_a_false_page_is_not_kept(cache):
    with pytest.raises(proofs.FalsePage):
        proofs.prove('[1](#= "2")\n')
    assert not list(cache.glob("*"))


def test_a_proved_page_is_not_run_again(monkeypatch):
    first = proofs.prove(PAGE)
    monkeypatch.setattr(proofs.subprocess, "run", None)
    assert proofs.prove(PAGE) == first
    assert proofs.prove(PAGE.replace("It is", "It was")) == first


@pytest.mark.parametrize(
    "changed",
    [
        PAGE.replace("[2]", "[2.0]"),
        PAGE.replace('"x"', '"x + 0"'),
        PAGE.replace("x = 2", "x = 1 + 1"),
    ],
)
def test_code_expression_and_literal_are_part_of_the_key(changed):
    assert proofs.key(changed) != proofs.key(PAGE)


def test_a_changed_module_makes_its_pages_stale(tmp_path, monkeypatch):
    package = tmp_path / "seqbook"
    package.mkdir()
    (package / "__init__.py").write_text('"""A book."""\n')
    module = package / "fact.py"
    other = package / "other.py"
    module.write_text("VALUE = 1\n")
    other.write_text("VALUE = 1\n")
    original = sources.imported_files

    def in_copy(text, *_):
        return original(text, tmp_path)

    def digest(paths, *extra):
        inside = [p for p in paths if p.is_relative_to(tmp_path)]
        return sources_digest(inside, *extra, root=tmp_path)

    sources_digest = sources.digest
    monkeypatch.setattr(proofs.sources, "imported_files", in_copy)
    monkeypatch.setattr(proofs.sources, "digest", digest)
    page = "```python\nfrom seqbook.fact import VALUE\n```\n"
    first = proofs.key(page)
    other.write_text("VALUE = 2\n")
    assert proofs.key(page) == first
    module.write_text("VALUE = 2\n")
    assert proofs.key(page) != first


def test_a_page_without_code_costs_nothing(monkeypatch):
    monkeypatch.setattr(proofs.subprocess, "run", None)
    assert proofs.prove("# A {#a}\n")["numbers"] == []


def test_the_press_can_be_imported_without_the_book():
    loaded = importlib.import_module("bookproof.read.numbers")
    text = (ROOT / "seqbook" / "press" / "numbers.py").read_text("utf-8")
    names = sources.imported_names(text)
    assert not {n for n in names if n.startswith("seqbook")}
    assert loaded in sys.modules.values()
