"""Experiments: run once for both languages, and never half."""

import json

import pytest

from bookproof.book import here
from bookproof.run import notebooks, proofs
from bookproof.show import notebooks as shown

SCRIPT = """# %% [markdown]
# # A {{#a}}
#
# First.

# %%
x = 1
print(x)

# %% [markdown]
# {words} [{number}](#= "x").

# %%
x = {last}
print(x)
"""


@pytest.fixture
def experiment(another):
    """write(number, last) -> Path of the English copy of an experiment."""

    def write(number="1", last="2"):
        texts = {
            f"docs/{language}/experiments/a.py": SCRIPT.format(
                words=words, number=number, last=last
            )
            for language, words in (("en", "It is"), ("zh", "它是"))
        }
        return another(texts) / "docs" / "en" / "experiments" / "a.py"

    return write


def cells(path, language):
    book = json.loads(notebooks.notebook(path, language).read_text("utf-8"))
    return book["cells"]


def test_an_experiment_gives_a_notebook_in_each_language(experiment):
    path = experiment()
    notebooks.write_all()
    for language, word in ("en", "It is"), ("zh", "它是"):
        found = cells(path, language)
        kinds = [cell["cell_type"] for cell in found]
        assert kinds == ["markdown", "code", "markdown", "code"]
        assert word in "".join(found[2]["source"])
        printed = [
            "".join(output["text"])
            for cell in found
            for output in cell.get("outputs", [])
        ]
        assert printed == ["1\n", "2\n"]


def test_languages_share_a_run_where_only_comments_differ(experiment):
    path = experiment()
    notebooks.write_all()
    kept = here().cache / notebooks.KIND
    assert len(list(kept.glob("*.json"))) == 1
    chinese = here().pages("zh") / "experiments" / "a.py"
    text = chinese.read_text("utf-8")
    chinese.write_text(text.replace("x = 1", "x = 1  # 一"), "utf-8")
    assert notebooks.is_known(chinese) and notebooks.is_known(path)


def test_a_cell_that_fails_in_one_language_fails_the_build(experiment):
    experiment()
    chinese = here().pages("zh") / "experiments" / "a.py"
    text = chinese.read_text("utf-8")
    chinese.write_text(text.replace("x = 2", "x = nothing"), "utf-8")
    with pytest.raises(notebooks.FailedCell) as error:
        notebooks.write_all()
    assert str(error.value).startswith("docs/zh/experiments/a.py:14: NameE")


def test_a_number_is_checked_where_it_stands(experiment):
    path = experiment(number="1", last="7")  # x is 7 only afterwards
    assert notebooks.prove(path).numbers[0]["shown"] == "1"


def test_a_false_number_fails_with_file_line_and_value(experiment):
    with pytest.raises(proofs.FalsePage) as error:
        notebooks.prove(experiment(number="2"))
    assert str(error.value) == (
        "docs/en/experiments/a.py:11: [2] is not x: the expression gives 1"
    )


def test_a_failing_cell_fails_with_file_line_and_error(experiment):
    path = experiment(last="1 / 0")
    with pytest.raises(notebooks.FailedCell) as error:
        notebooks.prove(path)
    assert str(error.value) == (
        "docs/en/experiments/a.py:14: ZeroDivisionError: division by zero"
    )
    assert not notebooks.notebook(path, "en").exists()


def test_a_cell_that_warns_fails_too(experiment):
    path = experiment(last="2; import sys; print('w', file=sys.stderr)")
    with pytest.raises(notebooks.FailedCell, match=r"a\.py:14: .*error: w$"):
        notebooks.prove(path)


def test_code_cells_are_put_where_the_script_has_them():
    text = SCRIPT.format(words="It is", number="1", last="2")
    page = notebooks.markdown(text)
    filled = shown.put_cells(page, ["<p>one</p>", "<p>two</p>"])
    assert filled.index("First") < filled.index("one") < filled.index("It is")
    assert filled.index("It is") < filled.index("two")
    with pytest.raises(ValueError, match="2 places for 1 code cells"):
        shown.put_cells(page, ["<p>one</p>"])
