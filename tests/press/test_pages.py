"""Which parts of a page are run (R36), and which are only shown."""

import pytest

from bookproof.read import pages


def kinds(text):
    return [part.kind for part in pages.scan(text)]


RUN = {
    "plain": "```python\nx = 1\n```\n",
    "doctest": "```python\n>>> 1\n1\n```\n",
    "in an admonition": '!!! note "N"\n\n    ```python\n    x = 1\n    ```\n',
    "in a list": "- item\n\n    ```python\n    x = 1\n    ```\n",
    "in a quotation": "> ```python\n> x = 1\n> ```\n",
    "longer fence": "````python\nx = 1\n````\n",
    "space": "``` python\nx = 1\n```\n",
    "tildes": "~~~python\nx = 1\n~~~\n",
    "first line": "```python\nx = 1\n```",
}
NOT_RUN = {
    "title": '```python title="x"\nx = 1\n```\n',
    "highlighted lines": '```python hl_lines="1"\nx = 1\n```\n',
    "numbered lines": '```python linenums="1"\nx = 1\n```\n',
    "attributes": "```{.python}\nx = 1\n```\n",
    "listing": '```{.py title="seqbook/gru.py"}\n--8<-- "a:b"\n```\n',
    "py": "```py\nx = 1\n```\n",
    "pycon": "```pycon\n>>> 1\n1\n```\n",
    "python3": "```python3\nx = 1\n```\n",
    "text": "```text\nx = 1\n```\n",
    "inside another fence": "````markdown\n```python\nx\n```\n````\n",
}


@pytest.mark.parametrize("text", RUN.values(), ids=RUN)
def test_bare_python_is_collected(text):
    assert kinds(text) == ["block"]


@pytest.mark.parametrize("text", NOT_RUN.values(), ids=NOT_RUN)
def test_other_fences_are_not_collected(text):
    assert kinds(text) == []


def test_an_indented_fence_is_dedented():
    (part,) = pages.scan(RUN["in an admonition"])
    assert part.source == "x = 1\n"
    (part,) = pages.scan(RUN["in a quotation"])
    assert part.source == "x = 1\n"


NUMBER = '[3](#= "1 + 2")'
READ = {
    "prose": f"It is {NUMBER}.\n",
    "heading": f"## It is {NUMBER} {{#it}}\n",
    "table": f"| a | b |\n| --- | --- |\n| x | {NUMBER} |\n",
    "caption": f"*It is {NUMBER}.*\n",
    "list": f"- It is {NUMBER}.\n",
    "mathematics": '[$2.7\\times10^{-5}$](#= "0.9**100")\n',
    "brackets in the text": '[x [1] is 3](#= "3 == 3")\n',
    "code in the text": '[`T` is 3](#= "3")\n',
    "after inline code": f"`x` {NUMBER} `y`\n",
}
NOT_READ = {
    "code span": f"`{NUMBER}`\n",
    "long code span": f"`` `{NUMBER}` ``\n",
    "fence": f"```markdown\n{NUMBER}\n```\n",
    "comment": f"<!-- {NUMBER} -->\n",
    "fence in a comment": "<!--\n```python\nx = 1\n```\n-->\n",
    "comment of two blocks": f"<!-- a\n\n{NUMBER} -->\n",
    "other link": "[3](page.md)\n",
    "two lines": '[3\n4](#= "3")\n',
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_a_checked_number_is_collected(text):
    assert kinds(text) == ["number"]


@pytest.mark.parametrize("text", NOT_READ.values(), ids=NOT_READ)
def test_what_only_looks_like_one_is_not(text):
    assert kinds(text) == []


def test_citations_are_found():
    (part,) = pages.scan('See [96 K80](#cite "wu2016gnmt, §6").\n')
    assert (part.kind, part.text) == ("cite", "96 K80")


def test_lines_count_from_one_and_a_block_begins_with_its_code():
    text = f"# A\n\n```python\nx = 1\n```\n\n{NUMBER}\n"
    assert [part.line for part in pages.scan(text)] == [4, 7]


def test_what_begins_first_decides_what_is_text():
    # Comment marks in code spans, and a fence that only looks open.
    text = f"`<!--` {NUMBER} `-->`\n\n`a\n\n{NUMBER}`\n"
    assert kinds(text) == ["number", "number"]
    assert pages.layout(text).faults == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n\n```python\nx = 1\n", 3),
        ("```text\nx\n````\n", 1),
        ("a\n<!-- b\n\nc\n", 2),
    ],
)
def test_what_is_never_closed_is_a_fault_with_its_line(text, line):
    ((found, sentence),) = pages.layout(text).faults
    assert found == line
    assert "never closed" in sentence


def test_prose_has_the_length_and_the_lines_of_the_page():
    text = "a `b` c\n\n```text\nd\n```\n<!-- e -->f\n"
    assert pages.prose(text) == "a     c\n\n       \n \n   \n          f\n"


def test_an_experiment_is_read_by_its_markdown_cells():
    text = "# %% [markdown]\n# # A {#a}\n#\n# x\n\n# %%\nx = 1\n"
    assert pages.cells(text) == [("md", "# A {#a}\n\nx"), ("code", "x = 1")]
    lines = [line for _, _, line in pages.numbered_cells(text)]
    assert lines == [2, 7]


def test_a_byte_order_mark_costs_no_cell(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("\ufeff# %% [markdown]\n# # A {#a}\n", encoding="utf-8")
    assert pages.read(path) == "# A {#a}"
