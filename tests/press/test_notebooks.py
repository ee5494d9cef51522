"""Experiments: run once for both languages, and never half."""

import json

import pytest

from bookproof.run import notebooks, proofs

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
def experiment(tmp_path, monkeypatch):
    """write(number, last) -> Path of the English copy of an experiment."""
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    monkeypatch.setattr(notebooks, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(proofs, "CACHE", tmp_path / "proofs")

    def write(number="1", last="2"):
        for language, words in ("en", "It is"), ("zh", "它是"):
            folder = tmp_path / "docs" / language / "experiments"
            folder.mkdir(parents=True, exist_ok=True)
            text = SCRIPT.format(words=words, number=number, last=last)
            (folder / "a.py").write_text(text, encoding="utf-8")
        return tmp_path / "docs" / "en" / "experiments" / "a.py"

    return write


def cells(path, language):
    book = json.loads(notebooks.notebook(path, language).read_text("utf-8"))
    return book["cells"]


def test_an_experiment_gives_a_notebook_in_each_language(experiment):
    path = experiment()
    assert notebooks.execute(path) > 0
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


def test_a_number_is_checked_where_it_stands(experiment):
    path = experiment(number="1", last="7")  # x is 7 only afterwards
    notebooks.execute(path)
    page = notebooks.markdown(path.read_text("utf-8"))
    assert proofs.prove(page)["numbers"][0]["shown"] == "1"


def test_a_false_number_fails_with_file_and_value(experiment):
    with pytest.raises(notebooks.FailedCell) as error:
        notebooks.execute(experiment(number="2"))
    assert str(error.value) == (
        "docs/en/experiments/a.py: [2] is not x: the expression gives 1"
    )


def test_a_failing_cell_fails_with_file_and_error(experiment):
    path = experiment(last="1 / 0")
    with pytest.raises(notebooks.FailedCell) as error:
        notebooks.execute(path)
    assert str(error.value) == (
        "docs/en/experiments/a.py: a cell failed: "
        "ZeroDivisionError: division by zero"
    )
    assert not notebooks.notebook(path, "en").exists()


def test_code_cells_are_put_where_the_script_has_them():
    text = SCRIPT.format(words="It is", number="1", last="2")
    page = notebooks.markdown(text)
    filled = notebooks.put_cells(page, ["<p>one</p>", "<p>two</p>"])
    assert filled.index("First") < filled.index("one") < filled.index("It is")
    assert filled.index("It is") < filled.index("two")
    with pytest.raises(ValueError, match="2 places for 1 code cells"):
        notebooks.put_cells(page, ["<p>one</p>"])
