"""TeX to HTML at build time."""

import dataclasses

import pytest
from bs4 import BeautifulSoup

from bookproof import kept
from bookproof.run import node
from bookproof.show import mathematics


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache for the formulas of a test."""
    node.install()
    place = kept.file

    def file(kind, key):
        return tmp_path / key if kind == "formulas" else place(kind, key)

    monkeypatch.setattr(kept, "file", file)
    return tmp_path


def test_bad_tex_is_refused_and_named():
    with pytest.raises(ValueError, match=r"in the formula h_t = \\oops"):
        mathematics.typeset(r"h_t = \oops{x}")


def test_unicode_in_mathematics_is_refused():
    with pytest.raises(ValueError, match="in the formula"):
        mathematics.typeset("门 = 1")


def test_what_was_typeset_is_kept(cache, monkeypatch):
    first = mathematics.typeset("h_t")
    assert len(list(cache.glob("*.html"))) == 1
    monkeypatch.setattr(mathematics, "_ask", None)
    assert mathematics.typeset("h_t") == first


def test_a_colour_and_another_katex_are_part_of_the_key(cache, monkeypatch):
    mathematics.typeset("h_t")
    colours = {**mathematics.here().colours, "h": "show"}
    other = dataclasses.replace(mathematics.here(), colours=colours)
    with monkeypatch.context() as patch:
        patch.setattr(mathematics, "here", lambda: other)
        assert "q-show" in mathematics.typeset("h_t")
    assert len(list(cache.glob("*.html"))) == 2
    locked = cache / "npm"
    locked.mkdir()
    (locked / "package-lock.json").write_text("another KaTeX")
    monkeypatch.setattr(node, "OWN", locked)
    monkeypatch.setattr(mathematics, "_ask", lambda _: asked())
    with pytest.raises(RuntimeError, match="asked again"):
        mathematics.typeset("h_t")


def asked():
    raise RuntimeError("asked again")


def test_inline_and_display_are_kept_apart():
    inline = mathematics.typeset("h_t")
    assert "katex-display" in mathematics.typeset("h_t", display=True)
    assert "katex-display" not in inline


def test_search_reads_the_tex_once_and_nothing_else():
    tree = BeautifulSoup(mathematics.typeset("a < b_t"), "lxml")
    for tag in tree.select("[data-search-exclude]"):
        tag.decompose()
    assert tree.get_text() == "a < b_t"


def test_a_screen_reader_gets_mathml_and_no_drawing():
    tree = BeautifulSoup(mathematics.typeset("h_t"), "lxml")
    assert tree.select("math msub")
    assert tree.select_one(".katex-html")["aria-hidden"] == "true"


@pytest.mark.parametrize(
    ("tex", "classes"),
    [
        ("h_t", ["h"]),
        ("h_{t-1} + z_t", ["h", "write"]),
        (r"\tilde h_t", ["candidate"]),
        (r"\tilde{h}_t", ["candidate"]),
        (r"[\overrightarrow{h}_t;\, \overleftarrow{h}_{t+1}]", ["h", "show"]),
        (r"\exp(x)", []),
        ("x_i", []),
        (r"W_{xh} x_t", ["x"]),
        ("c_0", ["c"]),
    ],
)
def test_a_quantity_at_a_time_has_its_colour(tex, classes):
    tree = BeautifulSoup(mathematics.typeset(tex), "lxml")
    found = [
        c.removeprefix("q-")
        for tag in tree.select(".katex-html [class*=q-]")
        for c in tag["class"]
        if c.startswith("q-")
    ]
    assert found == classes


def test_numbers_of_equations_and_their_ids():
    tex = r"\begin{align} a &= b \tag{gru.1} \\ c &= d \tag{gru.2} \end{align}"
    assert mathematics.tags(tex) == ["gru.1", "gru.2"]
    assert mathematics.equation_id("gru.1") == "eq-gru-1"
    assert "(gru.1" not in mathematics.equation_id("gru.1")
