"""A page's code: run once, kept by all that it depends on."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from bookproof.book import environment, here
from bookproof.run import execution

PAGE = '```python\nx = 2  # two\n```\n\nIt is [2](#= "x").\n'


@pytest.fixture(autouse=True)
def book(another):
    return another()


def run(text):
    return execution.recorded(execution.stream(text))


def key(text):
    return execution.key(execution.stream(text))


def test_parts_share_one_namespace_in_the_order_of_the_page():
    text = '[1](#= "x")\n\n```python\nx = 1\n```\n\n[1](#= "x")\n'
    first, block, last = run(text)["gave"]
    assert first["error"].startswith("NameError")
    assert block == {"printed": []}
    assert last == {"value": ["integer", "1"]}


def test_what_a_plain_block_prints_disturbs_nothing():
    (block,) = run("```python\nprint('x')\n```\n")["gave"]
    assert block == {"printed": []}


def test_an_error_names_its_line_in_the_block():
    (block,) = run("```python\nx = 1\n\n1 / 0\n```\n")["gave"]
    assert block["line"] == 3
    assert block["error"] == "ZeroDivisionError: division by zero"
    (block,) = run("```python\nx = 1\nx = =\n```\n")["gave"]
    assert block["line"] == 2


def test_a_page_is_run_once(monkeypatch):
    first = run(PAGE)
    monkeypatch.setattr(execution, "run_apart", None)
    assert run(PAGE) == first
    assert run(PAGE.replace("It is", "It was")) == first


def test_an_error_is_not_kept_for_another_process(another, monkeypatch):
    text = "```python\nfrom pathlib import Path\n1 / Path('n').exists()\n```\n"
    root = another()
    assert "error" in run(text)["gave"][0]
    (root / "n").touch()
    assert "error" in run(text)["gave"][0]  # this process knows
    execution.failed.clear()
    assert "error" not in run(text)["gave"][0]


@pytest.mark.parametrize(
    ("old", "new"),
    [("# two", "# 二"), ("[2]", "[2.0]"), ("  # two", "")],
)
def test_comments_and_literals_do_not_count(old, new):
    assert key(PAGE.replace(old, new)) == key(PAGE)


@pytest.mark.parametrize(
    ("old", "new"), [('"x"', '"x + 0"'), ("x = 2", "x = 1 + 1")]
)
def test_code_and_expressions_do(old, new):
    assert key(PAGE.replace(old, new)) != key(PAGE)


def test_versions_are_part_of_the_key(monkeypatch):
    first = key(PAGE)
    monkeypatch.setattr(execution, "versions", lambda: {"Python": "3.99"})
    assert key(PAGE) != first


def test_outputs_that_are_awaited_do_not_count():
    text = "```python\n>>> 1 + 1\n{}\n```\n"
    assert key(text.format(2)) == key(text.format(3))


IMPORTS = "```python\nfrom seqbook.fact import VALUE\n```\n"


@pytest.mark.parametrize(
    ("name", "before", "after", "stale"),
    [
        ("seqbook/fact.py", "VALUE = 1\n", "VALUE = 2\n", True),
        ("seqbook/fact.py", "VALUE = 1\n", "VALUE = 1  # one\n", False),
        ("seqbook/fact.py", "VALUE = 1\n", '"""A."""\nVALUE = 1\n', False),
        ("seqbook/other.py", "VALUE = 1\n", "VALUE = 2\n", False),
    ],
)
def test_a_changed_module_makes_its_pages_stale(
    another, name, before, after, stale
):
    another({"seqbook/fact.py": "VALUE = 1\n", name: before})
    first = key(IMPORTS)
    another({name: after})
    assert (key(IMPORTS) != first) is stale


def test_a_figure_and_a_record_that_are_read_make_it_stale(another):
    text = "```python\nfound = results('f')\n```\n"
    files = {
        "figures_src/gru/f.py": "runs('s')\n",
        "figures_src/studies/s.json": "1",
    }
    another(files)
    keys = [key(text)]
    for name in files:
        another({name: "runs('s')\nx = 2\n"})
        keys.append(key(text))
    assert len(set(keys)) == 3


def test_code_that_is_only_a_docstring_hides_no_dependency(another):
    another({"figures_src/gru/f.py": "x = 1\n"})
    text = (
        "```python\n"
        '>>> def quiet(line):\n...     """Tell nobody."""\n'
        ">>> found = results('f')\n>>> x = =\n```\n"
    )
    found = execution.files(execution.stream(text))
    assert [path.name for path in found] == ["f.py"]


def test_two_that_want_the_same_page_run_it_once():
    text = (
        "```python\nfrom pathlib import Path\n"
        "with Path('runs.txt').open('a') as file:\n    _ = file.write('x')\n"
        "```\n"
    )
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, [text, text]))
    assert (here().root / "runs.txt").read_text() == "x"


def test_a_process_that_ends_early_is_a_sentence():
    with pytest.raises(execution.Crashed, match="exit code 3"):
        run("```python\nimport os\nos._exit(3)\n```\n")
    assert not list((here().cache / execution.KIND).glob("*"))


def test_fresh_runs_every_page_anew(another):
    root = another({"docs/en/a.md": PAGE, "conftest.py": CONFTEST})
    run(PAGE)
    (record,) = (root / ".cache" / "runs").glob("*.json")
    spoiled = json.loads(record.read_text())
    spoiled["gave"][1]["value"] = ["integer", "3"]
    record.write_text(json.dumps(spoiled))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    for more, status in ([], 1), (["--fresh"], 0), ([], 0):
        done = subprocess.run(
            [*command, *more, "docs"],
            cwd=root,
            env=environment(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == status, done.stdout
    assert "docs/en/a.md:5: [2] is not x" not in done.stdout


CONFTEST = """
from sybil import Sybil

from bookproof.run.collect import checked_numbers, examples

pytest_collect_file = Sybil(
    parsers=[examples, checked_numbers], patterns=["docs/**/*.md"]
).pytest()
"""
