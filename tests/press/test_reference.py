"""The pages of the library: what they name, and when they are kept."""

import ast
from dataclasses import dataclass

import pytest
from mkdocs.structure.toc import get_toc

from bookproof import kept
from bookproof.book import here
from bookproof.show import reference

GRU = here().root / "seqbook" / "gru.py"


def test_public_functions_and_dataclasses_in_the_order_of_the_source():
    found = reference.names(GRU)
    assert found[:3] == ["GRUParams", "init_gru", "gru_step"]
    assert not any(name.startswith("_") for name in found)


def test_the_press_is_not_part_of_the_library():
    stems = [path.stem for path in reference.modules()]
    assert "gru" in stems and "press" not in stems and "__init__" not in stems


def test_chapters_are_those_of_the_docstring_that_exist():
    found = [path.name for path in reference.chapters(GRU, "zh")]
    assert found == ["gru.md", "conventions.md"]


def test_a_mistake_in_a_module_is_one_line_that_says_where(another):
    path = another({"cell.py": '"""A cell."""\n\nreal =\n'}) / "cell.py"
    with pytest.raises(ValueError, match=r"^cell\.py:3: invalid syntax"):
        reference.names(path)


def test_a_page_names_its_module_and_stays_out_of_the_search():
    pages = dict(reference.pages("en"))
    text = pages["api/gru.md"]
    assert "::: seqbook.gru\n" in text and "exclude: true" in text


def test_a_page_leads_to_the_chapters_that_show_its_module():
    text = dict(reference.pages("en"))["api/gru.md"]
    chapters = (
        "[Gated recurrent units](../gru.md), [Conventions](../conventions.md)"
    )
    assert f"Shown in {chapters}." in text
    assert "Shown in" not in dict(reference.pages("en"))["api/bleu.md"]


@dataclass
class Link:
    title: str
    id: str
    level: int
    children: list


def test_a_kept_page_is_used_until_its_module_changes(tmp_path, monkeypatch):
    page = "api/gru.md", "en"
    monkeypatch.setattr(kept, "file", lambda kind, key: tmp_path / key)
    assert reference.rendered(*page) is None
    below = Link("Below", "b", 2, [])
    reference.keep(*page, "<p>", [Link("Gru", "a", 1, [below])])
    html, toc = reference.rendered(*page)
    assert html == "<p>"
    assert get_toc(toc).items[0].children[0].title == "Below"
    with monkeypatch.context() as other:
        other.setattr(reference, "links", lambda *_: "[Other title](gru.md)")
        assert reference.rendered(*page) is None
    monkeypatch.setattr(kept, "digest", lambda *a: "another")
    assert reference.rendered(*page) is None


def test_a_module_can_be_had_whole_without_the_marks_of_listings():
    for path in reference.modules():
        text = reference.whole(path)
        assert "--8<--" not in text
        assert ast.dump(ast.parse(text)) == ast.dump(reference.parsed(path))
