"""Each gate of the sources closes on a fault, and only on a fault."""

import textwrap

import pytest

from bookproof.lint.counts import counts_differ
from bookproof.lint.languages import contents, parity
from bookproof.lint.text import (
    equation_links,
    equations,
    fences,
    figure_use,
)
from tests.press.lint_cases import page


@pytest.fixture
def book(tmp_path):
    """write(en, zh) -> root of a book with one page a language, and more."""

    def write(en="# A {#a}\n", zh=None, name="a.md", **files):
        for language, text in ("en", en), ("zh", en if zh is None else zh):
            path = tmp_path / "docs" / language / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        for key, text in files.items():
            path = tmp_path / key.replace("__", "/").replace("_py", ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


SHOWN = (
    '<data class="checked">3</data>'
    '<div class="language-python highlight"><pre>x</pre></div>'
)


@pytest.mark.parametrize(
    "more",
    [
        '<data class="checked">4</data>',
        '<div class="language-pycon highlight"><pre>x</pre></div>',
        '<div class="language-python3 highlight"><pre>x</pre></div>',
        '<div class="language-py highlight"><pre>x = 1</pre></div>',
        '<div class="language-text highlight"><pre>&gt;&gt;&gt; 1</pre></div>',
    ],
)
def test_what_is_shown_but_not_run_is_reported(book, more):
    root = book('[3](#= "3")\n\n```python\nx = 1\n```\n')
    both = [page(SHOWN), page(SHOWN, "zh/a.html")]
    assert counts_differ(both, root) == []
    both[0] = page(SHOWN + more)
    (fault,) = counts_differ(both, root)
    assert fault.startswith("a.html: shows 2 ")


def test_a_listing_is_not_counted_as_run(book):
    listing = (
        '<div class="language-py highlight"><span class="filename">a</span>'
        "<pre>x</pre></div>"
    )
    root = book()
    both = [page(listing), page(listing, "zh/a.html")]
    assert counts_differ(both, root) == []


BOTH = textwrap.dedent(
    r"""
    # A {#a}

    ## B {#b}

    \begin{align}
    h &= x \text{ if } y \tag{a.1}
    \end{align}

    See [(a.1)](#eq-a-1).

    ```python
    x = 160_000
    ```

    It is [160,000](#= "x").
    By [here](#cite "one, §1"), [so](#cite "two, §2").

    ![A](figures/f.svg){lab=l}
    """
)
DIFFERENT = {
    "id": ("{#b}", "{#c}", "headings differ"),
    "no id": ("## B {#b}", "## B", "no ASCII id on “B”"),
    "Chinese id": ("{#b}", "{#门}", "no ASCII id"),
    "equation": ("h &= x", "h &= y", "numbered equations differ"),
    "code": ("x = 160_000", "x = 16_0000", "code differ"),
    "expression": ('"x"', '"x + 0"', "checked numbers differ"),
    "value": ("[160,000]", "[17 万]", "x is [160,000] in en"),
    "words": ("[160,000]", "[很多]", "x is [160,000] in en"),
    "citation": ("one, §1", "three, §1", "citations differ"),
    "figure": ("figures/f.svg", "figures/g.svg", "figures and labs differ"),
    "lab": ("lab=l", "lab=m", "figures and labs differ"),
}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[160,000]", "[16 万]"),
        (r"\text{ if }", r"\text{若}"),
        ("## B", "## 乙"),
        ("![A]", "![图]"),
        (
            '[here](#cite "one, §1"), [so](#cite "two, §2")',
            '[此](#cite "two, §2")，[彼](#cite "one, 表 1")',
        ),
    ],
)
def test_a_translation_has_parity(book, old, new):
    assert old in BOTH
    assert parity(book(BOTH, BOTH.replace(old, new))) == []


@pytest.mark.parametrize(
    ("old", "new", "said"), DIFFERENT.values(), ids=DIFFERENT
)
def test_a_page_that_says_something_else_is_reported(book, old, new, said):
    assert old in BOTH
    faults = parity(book(BOTH, BOTH.replace(old, new)))
    assert len(faults) in (1, 2)
    assert said in " ".join(faults)


def test_a_page_of_one_language_is_reported(book):
    root = book()
    (root / "docs" / "zh" / "a.md").unlink()
    assert parity(root) == ["en/a.md: only in one language"]


def test_experiments_have_the_same_code(book):
    script = "# %% [markdown]\n# # A {#a}\n\n# %%\nx = 1\n"
    name = "experiments/e.py"
    assert parity(book(script, name=name)) == []
    root = book(script, script.replace("x = 1", "x = 2"), name=name)
    (fault,) = parity(root)
    assert fault.startswith("experiments/e.py: code differ")


FENCES = {
    "title": '```python title="x"\nx = 1\n```\n',
    "attributes": "```{.python}\nx = 1\n```\n",
    "py": "```py\nx = 1\n```\n",
    "pycon": "```pycon\n>>> 1\n```\n",
    "python3": "```python3\nx\n```\n",
    "space": "``` python\nx = 1\n```\n",
    "none": "```\nx = 1\n```\n",
    "prompts in text": "```text\n>>> 1\n```\n",
    "pasted listing": '```{.py title="seqbook/a.py"}\nx = 1\n```\n',
    "two snippets": '```{.py title="seqbook/a.py"}\n'
    '--8<-- "seqbook/a.py:x"\n--8<-- "seqbook/a.py:y"\n```\n',
    "other title": '```{.py title="seqbook/b.py"}\n'
    '--8<-- "seqbook/a.py:x"\n```\n',
    "loose snippet": '--8<-- "seqbook/a.py:x"\n',
    "byte-order mark": "\ufeff```python\nx = 1\n```\n",
    "tildes": "~~~python\nx = 1\n~~~\n",
    "four": "````python\nx = 1\n````\n",
}


@pytest.mark.parametrize("text", FENCES.values(), ids=FENCES)
def test_a_fence_that_is_never_run_is_reported(book, text):
    root = book(text, "# A {#a}\n")
    faults = fences(root)
    assert faults
    assert faults[0].startswith("docs/en/a.md:1: ")


def test_run_fences_listings_and_text_pass(book):
    root = book(
        "```python\nx = 1\n```\n\n"
        '```{.py title="seqbook/a.py"}\n--8<-- "seqbook/a.py:x"\n```\n\n'
        "```text\nx\n```\n\n````markdown\n```py\nx\n```\n````\n"
    )
    assert fences(root) == []


def test_figures_and_scripts_belong_together(book):
    draws = "def figure():\n    pass\n"
    used = "![A](figures/f.svg)\n"
    root = book(used, figures_src__f_py=draws, figures_src__logo_py=draws)
    assert figure_use(root) == []
    root = book(used, figures_src__g_py=draws)
    assert figure_use(root) == ["figures_src/g.py: used on no page"]
    (root / "figures_src" / "f.py").unlink()
    faults = figure_use(root)
    assert "docs/en/a.md: no f.py with a figure() in figures_src/" in faults


def test_numbers_of_equations_exist_and_stand_once(book):
    text = "\\begin{align}\na &= b \\tag{gru.1}\n\\end{align}\n"
    good = "x = 1  # (gru.1), (lstm.9) of a chapter to come\n"
    assert equations(book(text, seqbook__gru_py=good)) == []
    root = book(text, seqbook__gru_py="\nx = 1  # (gru.2)\n")
    assert equations(root) == [r"seqbook/gru.py:2: no page has \tag{gru.2}"]
    root = book(text + text, seqbook__gru_py=good)
    assert equations(root) == ["(gru.1) numbers 2 equations"]


@pytest.mark.parametrize(
    ("link", "good"),
    [
        ("[(gru.4)](#eq-gru-4)", True),
        ("[equation (gru.4)](gru.md#eq-gru-4)", True),
        ("[(gru.4)](#eq-gru-3)", False),
        ("[(gru.4)](gru.md#one-step)", False),
        ("[the update](gru.md#eq-gru-4)", True),
        ("[see](gru.md#one-step)", True),
    ],
)
def test_the_text_of_an_equation_link_is_its_target(book, link, good):
    faults = equation_links(book(f"See {link}.\n", "# A {#a}\n"))
    assert bool(faults) is not good


def test_both_tables_of_contents_list_the_same(tmp_path):
    english = "nav:\n  - index.md\n  - Gates:\n      - gru.md\n"
    chinese = english.replace("Gates", "门")
    (tmp_path / "mkdocs.yml").write_text(english, "utf-8")
    (tmp_path / "mkdocs.zh.yml").write_text(chinese, "utf-8")
    assert contents(tmp_path) == []
    (tmp_path / "mkdocs.zh.yml").write_text("nav:\n  - index.md\n", "utf-8")
    assert contents(tmp_path)
