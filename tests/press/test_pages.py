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
    "other link": "[3](page.md)\n",
    "two lines": '[3\n4](#= "3")\n',
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_a_checked_number_is_collected(text):
    assert kinds(text) == ["number"]


@pytest.mark.parametrize("text", NOT_READ.values(), ids=NOT_READ)
def test_what_only_looks_like_one_is_not(text):
    assert kinds(text) == []


def test_a_bar_in_a_table_is_escaped_in_the_source_alone():
    (outcome,) = pages.run('| a |\n| - |\n| [7](#= "3 \\| 4") |\n')
    assert outcome.value == 7
    assert outcome.fault is None


def test_citations_are_found_but_not_run():
    text = 'See [96 K80](#cite "wu2016gnmt, §6").\n'
    (part,) = pages.scan(text)
    assert (part.kind, part.text) == ("cite", "96 K80")
    assert pages.run(text) == []


def test_parts_share_one_namespace_in_the_order_of_the_page():
    text = '[1](#= "x")\n\n```python\nx = 1\n```\n\n[1](#= "x")\n'
    first, block, last = pages.run(text)
    assert "NameError" in first.fault
    assert block.fault is None
    assert last.fault is None


def test_lines_count_from_one():
    text = f"# A\n\n```python\nx = 1\n```\n\n{NUMBER}\n"
    assert [part.line for part in pages.scan(text)] == [3, 7]


def test_a_wrong_block_names_what_it_expected():
    (outcome,) = pages.run("```python\n>>> 1 + 1\n3\n```\n")
    assert outcome.fault == "expected '3', got '2'"


def test_an_experiment_is_read_by_its_markdown_cells():
    text = "# %% [markdown]\n# # A {#a}\n#\n# x\n\n# %%\nx = 1\n"
    assert pages.cells(text) == [("md", "# A {#a}\n\nx"), ("code", "x = 1")]
