"""Each gate of the sources closes on a fault, and only on a fault."""

import textwrap

import pytest

from bookproof.book import here
from bookproof.lint.counts import counts_differ
from bookproof.lint.languages import contents, parity
from bookproof.lint.text import equations_once, figures_used, pages_hold
from tests.press.lint_cases import page

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
def test_what_is_shown_but_not_run_is_reported(pages_of, more):
    pages_of('[3](#= "3")\n\n```python\nx = 1\n```\n')
    both = [page(SHOWN), page(SHOWN, "zh/a.html")]
    assert counts_differ(both) == []
    both[0] = page(SHOWN + more)
    (fault,) = counts_differ(both)
    assert fault.startswith("a.html: shows 2 ")


def test_a_listing_is_not_counted_as_run(pages_of):
    listing = (
        '<div class="language-py highlight"><span class="filename">a</span>'
        "<pre>x</pre></div>"
    )
    pages_of()
    both = [page(listing), page(listing, "zh/a.html")]
    assert counts_differ(both) == []


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
    "no id": ("## B {#b}", "## B", "headings differ"),
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
def test_a_translation_has_parity(pages_of, old, new):
    assert old in BOTH
    pages_of(BOTH, BOTH.replace(old, new))
    assert parity() == []


@pytest.mark.parametrize(
    ("old", "new", "said"), DIFFERENT.values(), ids=DIFFERENT
)
def test_a_page_that_says_something_else_is_reported(pages_of, old, new, said):
    assert old in BOTH
    pages_of(BOTH, BOTH.replace(old, new))
    faults = parity()
    assert len(faults) == 1
    assert said in " ".join(faults)


def test_a_page_of_one_language_is_reported(pages_of):
    root = pages_of()
    (root / "docs" / "zh" / "a.md").unlink()
    assert parity() == ["docs/en/a.md: only in one language"]


def test_experiments_have_the_same_code(pages_of):
    script = "# %% [markdown]\n# # A {#a}\n\n# %%\nx = 1\n"
    name = "experiments/e.py"
    pages_of(script, name=name)
    assert parity() == []
    pages_of(script, script.replace("x = 1", "x = 2"), name=name)
    (fault,) = parity()
    assert fault.startswith("experiments/e.py: code differ")


FENCES = {
    "title": '```python title="x"\nx = 1\n```\n',
    "attributes": "```{.python}\nx = 1\n```\n",
    "py": "```py\nx = 1\n```\n",
    "pycon": "```pycon\n>>> 1\n```\n",
    "python3": "```python3\nx\n```\n",
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
def test_a_fence_that_is_never_run_is_reported(pages_of, text):
    pages_of(text, "# A {#a}\n", files={"seqbook/a.py": "x = 1\n"})
    faults = pages_hold()
    assert faults
    assert faults[0].startswith("docs/en/a.md:1: ")


def test_run_fences_listings_and_text_pass(pages_of):
    pages_of(
        "```python\nx = 1\n```\n\n"
        '```{.py title="seqbook/a.py"}\n--8<-- "seqbook/a.py:x"\n```\n\n'
        "```text\nx\n```\n\n````markdown\n```py\nx\n```\n````\n",
        files={"seqbook/a.py": "x = 1\n"},
    )
    assert pages_hold() == []


EQUATION = "\\begin{align}\na &= b \\tag{gru.4}\n\\end{align}\n\n"
FAULTS = {
    "unclosed fence": ("# A {#a}\n\n```text\nx\n", 3, "never closed"),
    "unclosed comment": ("# A {#a}\n\n<!-- x\n", 3, "never closed"),
    "listing of nothing": (
        '```{.py title="seqbook/a.py"}\n--8<-- "seqbook/a.py:y"\n```\n',
        1,
        "a.py defines no y",
    ),
    "listing of no file": (
        '```{.py title="seqbook/b.py"}\n--8<-- "seqbook/b.py:y"\n```\n',
        1,
        "there is no file b.py to cut y from",
    ),
    "heading without id": ("\n## B\n", 2, "no ASCII id on “B”"),
    "heading with a Chinese id": ("## B {#门}\n", 1, "no ASCII id"),
    "heading in a quotation": ("> ## B\n", 1, "no ASCII id on “B”"),
    "heading in an admonition": (
        '!!! note "N"\n\n    ## B\n',
        3,
        "no ASCII id on “B”",
    ),
    "underlined heading": ("A\n\nTitle\n-----\n", 3, "underlined"),
    "underlined with =": ("Title\n===\n", 1, "underlined"),
    "heading in HTML": ("x\n\n<h2>B</h2>\n", 3, "HTML has no id"),
    "unknown figure": ("![A](figures/g.svg)\n", 1, "no g.py in figures_src/"),
    "unknown lab": (
        "![A](figures/f.svg){lab=nope}\n",
        1,
        "there is no lab nope",
    ),
    "unknown source": ('[1](#cite "x, §1")\n', 1, "“x” is not in"),
    "no place in a source": ('[1](#cite "one")\n', 1, "needs a section"),
    "unknown equation": (f"{EQUATION}By (gru.9).\n", 5, "number (gru.9)"),
    "link to another": (
        f"{EQUATION}[(gru.4)](#eq-gru-3)\n",
        5,
        "leads to #eq-gru-3",
    ),
    "link to no equation": (
        f"{EQUATION}[(gru.4)](a.md#b)\n\n## B {{#b}}\n",
        5,
        "leads to #b",
    ),
    "a wrong count": (
        "Here are three of them:\n\n```text\na b\nc d\n```\n",
        3,
        "“Here are three of them:” announces 2 lines or 4 words",
    ),
    "a wrong Chinese count": (
        "下面是三条：\n\n```text\na\nb\n```\n",
        3,
        "announces 2 lines",
    ),
    "underscore in a number": (
        "$$a \\tag{my_gru.1}$$\n",
        1,
        "numbered like gru.4",
    ),
    "link to no page": ("x\n\n[b](b.md)\n", 3, "b.md leads to no page"),
    "link to no place": ("[b](a.md#b)\n", 1, "leads to no place"),
    "link to no place here": ("[b](#b)\n", 1, "leads to no place"),
}
FILES = {
    "docs/en/references.md": "# R {#r}\n\n[[references]]\n",
    "docs/zh/references.md": "# R {#r}\n\n[[references]]\n",
    "seqbook/a.py": "x = 1\n",
    "figures_src/f.py": "def figure():\n    pass\n",
    "docs/bibliography.toml": (
        '[one]\nauthors = ["A"]\nyear = 1\ntitle = "T"\nvenue = "V"\n'
    ),
}


@pytest.mark.parametrize(("text", "line", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_page_is_one_sentence_with_its_line(
    pages_of, text, line, said
):
    pages_of(text, "# A {#a}\n", files=FILES)
    faults = [x for x in pages_hold() if x.startswith("docs/en")]
    assert any(said in fault for fault in faults)
    assert {x.split(": ")[0] for x in faults} == {f"docs/en/a.md:{line}"}


def test_a_citation_needs_the_page_that_it_leads_to(pages_of):
    pages_of('[1](#cite "one, §1")\n', files=FILES)
    (here().pages("en") / "references.md").unlink()
    (fault,) = pages_hold()
    assert fault.startswith("docs/en/a.md:1: a citation leads to references")


GOOD = {
    "link to an equation": f"{EQUATION}[(gru.4)](#eq-gru-4)\n",
    "with words": f"{EQUATION}[equation (gru.4)](a.md#eq-gru-4)\n",
    "words alone": f"{EQUATION}[the update](a.md#eq-gru-4)\n",
    "equation without a link": f"{EQUATION}By (gru.4).\n",
    "of a chapter to come": f"{EQUATION}By (lstm.9).\n",
    "figure": "![A](figures/f.svg)\n\n[it](#fig-f)\n",
    "number": '[2](#= "2") [it](#n-1)\n',
    "source": '[1](#cite "one, §1")\n',
    "heading": "## B {#b}\n\n[it](#b) [there](a.md)\n",
    "rule and table": "x\n\n---\n\n| a |\n| --- |\n| b |\n",
    "front matter": "---\ndescription: x\n---\n# A {#a}\n",
    "lines counted": "The first two are:\n\n```text\na b\nc d\n```\n",
    "words counted": "The first four:\n\n```text\na b\nc d\n```\n",
    "outputs counted": (
        "下面是两条：\n\n```python\n>>> print('a\\nb')\na\nb\n```\n"
    ),
    "in a comment": "<!--\n```py\nx\n```\n## B\n-->\n",
    "in a code span": '`<!--` and [2](#= "2") and `-->`\n',
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_a_page_without_a_fault_passes(pages_of, text):
    pages_of(text, "# A {#a}\n", files=FILES)
    assert pages_hold() == []


def test_figures_and_scripts_belong_together(pages_of):
    draws = "def figure():\n    pass\n"
    names = "figures_src/gru/f.py", "figures_src/logo.py"
    root = pages_of("![A](figures/f.svg)\n", files=dict.fromkeys(names, draws))
    assert figures_used() == pages_hold() == []
    (root / "figures_src/gru/f.py").rename(root / "figures_src/gru/g.py")
    assert figures_used() == ["figures_src/gru/g.py: used on no page"]


def test_numbers_of_equations_exist_and_stand_once(pages_of):
    text = "\\begin{align}\na &= b \\tag{gru.1}\n\\end{align}\n"
    good = "x = 1  # (gru.1), (lstm.9) of a chapter to come\n"
    module = "seqbook/gru.py"
    pages_of(text, files={module: good})
    assert equations_once() == []
    pages_of(text, files={module: "\nx = 1  # (gru.2)\n"})
    fault = r"seqbook/gru.py:2: no page has \tag{gru.2}"
    assert equations_once() == [fault]
    pages_of(text + text, files={module: good})
    assert equations_once() == ["(gru.1) numbers 2 equations"]


def test_both_tables_of_contents_list_the_same(another):
    english = "nav:\n  - index.md\n  - Gates:\n      - gru.md\n"
    chinese = english.replace("Gates", "门")
    another({"mkdocs.yml": english, "mkdocs.zh.yml": chinese})
    assert contents() == []
    another({"mkdocs.zh.yml": "nav:\n  - index.md\n"})
    assert contents()
