"""A page held against its run: right, or one sentence with file and line."""

import re

import pytest

from bookproof import sources
from bookproof.run import execution, proofs

PAGE = '```python\nx = 2\n```\n\nIt is [2](#= "x").\n'


@pytest.fixture(autouse=True)
def book(another):
    return another()


def test_a_true_page_gives_its_values():
    proof = proofs.prove(PAGE)
    assert proof.blocks == 1
    (number,) = proof.numbers
    assert (number["text"], number["shown"]) == ("2", "2")
    assert number["expression"] == "x"
    assert "NumPy" in proof.versions


def test_a_false_number_is_named_in_one_line():
    with pytest.raises(proofs.FalsePage) as error:
        proofs.prove(PAGE.replace("[2]", "[3]"), "docs/en/a.md")
    assert str(error.value) == (
        "docs/en/a.md:5: [3] is not x: the expression gives 2"
    )


def test_lines_above_the_text_are_counted():
    with pytest.raises(proofs.FalsePage, match=r"^a\.md:8: \[3\]"):
        proofs.prove(PAGE.replace("[2]", "[3]"), "a.md", above=3)


def test_every_false_number_of_a_page_is_named():
    with pytest.raises(proofs.FalsePage) as error:
        proofs.prove('[1](#= "2")\n\n[3](#= "4")\n\n[5](#= "5")\n', "a.md")
    assert re.findall(r"a\.md:(\d+): \[(\d)\]", str(error.value)) == [
        ("1", "1"),
        ("3", "3"),
    ]


FALSE = {
    "block": ("```python\nx = 1\n1 / 0\n```\n", 3, "ZeroDivisionError"),
    "syntax": ("```python\nx = 1\nx = =\n```\n", 3, "SyntaxError"),
    "expression": ('a\n\n[3](#= "1 / 0")\n', 3, "ZeroDivisionError"),
    "example": (
        "```python\n>>> 1\n1\n>>> x = 2\n>>> x\n3\n```\n",
        5,
        "expected '3', got '2'",
    ),
    "example raises": ("```python\n>>> 1\n1\n>>> 1/0\n```\n", 4, "ZeroDiv"),
    "unclosed": ("a\n\n```python\nx = 1\n", 3, "never closed"),
}


@pytest.mark.parametrize(("text", "line", "said"), FALSE.values(), ids=FALSE)
def test_what_fails_is_named_with_its_own_line(text, line, said):
    (fault,) = proofs.faults_of(text, "a.md")
    assert fault.startswith(f"a.md:{line}: ")
    assert said in fault


def test_a_page_that_stops_the_process_is_false():
    with pytest.raises(proofs.FalsePage, match="a.md.*exit code 3"):
        proofs.prove("```python\nimport os\nos._exit(3)\n```\n", "a.md")


def test_a_bar_in_a_table_is_escaped_in_the_source_alone():
    proof = proofs.prove('| a |\n| - |\n| [7](#= "3 \\| 4") |\n')
    assert proof.numbers[0]["shown"] == "7"


def test_citations_are_not_run():
    assert not proofs.outcomes('See [96 K80](#cite "wu2016gnmt, §6").\n')


def test_the_languages_of_a_page_share_a_run(another):
    chinese = PAGE.replace("It is", "它是").replace("x = 2", "x = 2  # 二")
    root = another({"docs/en/a.md": PAGE, "docs/zh/a.md": chinese})
    proofs.prove_all(proofs.markdown_pages())
    assert len(list((root / ".cache/runs").glob("*.json"))) == 1


def test_all_pages_are_proved_and_all_faults_named(another):
    false = PAGE.replace("[2]", "[3]")
    another({"docs/en/a.md": false, "docs/zh/a.md": false})
    with pytest.raises(proofs.FalsePage) as error:
        proofs.prove_all(proofs.markdown_pages())
    found = [line.partition(": ")[0] for line in str(error.value).split("\n")]
    assert found == ["docs/en/a.md:5", "docs/zh/a.md:5"]


def test_a_page_without_code_costs_nothing(monkeypatch):
    monkeypatch.setattr(execution, "run_apart", None)
    assert not proofs.prove("# A {#a}\n")


def test_reading_numbers_needs_no_book():
    for name in "bookproof.read.numbers", "bookproof.run.values":
        path = sources.module_file(name)
        found = sources.imported_names(path.read_text("utf-8"))
        own = {n for n in found if n.startswith("bookproof.")}
        assert all(n.startswith("bookproof.read") for n in own)
