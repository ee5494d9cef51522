"""How scripts are found and drawn, in a book that is not this one."""

import json
import os
import subprocess
import sys

import pytest

from bookproof.run import figures as build
from bookproof.run.look import Look, palette
from bookproof.sources import PRESS

PLAIN = """import matplotlib.pyplot as plt


def figure(look):
    fig, ax = plt.subplots(figsize=look.size(2, phone=3))
    ax.plot([0, 1])
    return fig
"""
SICK = {  # name: script, what is said after its path
    "sum": ("def figure(look):\n    1 / 0\n", ":2: ZeroDivisionError: "),
    "helper": (
        "import json\n\n\ndef figure(look):\n    return json.loads('x')\n",
        ":5: JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
    ),
    "lines": (
        "def figure(look):\n    raise ValueError('no\\n such shape')\n",
        ":2: ValueError: no such shape",
    ),
    "syntax": ("\nfigure(:\n", ":2: SyntaxError: "),
    "module": ("import nowhere\n", ":1: ModuleNotFoundError: No module "),
    "results": (
        "def results():\n    return {'a': float('nan')}\n",
        ": ValueError: Out of range float values are not JSON compliant",
    ),
    "colour": (
        "def figure(look):\n    look.colour('h')\n",
        ":2: ValueError: no colour for 'h': docs/assets/palette.json is missi",
    ),
}
DRAW_ALL = """
from bookproof.run import figures

for name in figures.names():
    try:
        figures.draw(name)
    except RuntimeError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A book with neither palette nor style sheet, two figures a chapter."""
    root = tmp_path_factory.mktemp("book")
    write(root / "mkdocs.yml", "")
    write(root / "figures_src/one/plain.py", PLAIN)
    for name, (script, _) in SICK.items():
        write(root / f"figures_src/two/{name}.py", script)
    return root


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def run(root, *arguments):
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env={
            **os.environ,
            "BOOKPROOF_ROOT": str(root),
            "PYTHONPATH": os.pathsep.join([str(root), str(PRESS.parent)]),
        },
        capture_output=True,
        encoding="utf-8",
    )


@pytest.fixture(scope="module")
def said(book):
    """{name of a script: what drawing it said}."""
    done = run(book, "-c", DRAW_ALL)
    assert not done.stderr
    lines = done.stdout.splitlines()
    return {line.split("/")[2].split(".py")[0]: line for line in lines}


@pytest.mark.parametrize("name", SICK)
def test_what_a_script_raises_names_its_line_in_one_sentence(said, name):
    want = f"figures_src/two/{name}.py{SICK[name][1]}"
    assert said[name].startswith(want)


def test_a_book_without_palette_or_style_sheet_has_figures(book, said):
    assert said.keys() == SICK.keys()
    kept = book / ".cache" / "figures"
    phone = (kept / "plain-phone.svg").read_text("utf-8")
    assert 'viewBox="0 0 288 216"' in phone  # 4 by 3 inches
    first = (kept / "plain.svg").read_bytes()
    assert run(book, "-c", DRAW_ALL).returncode == 0
    assert (kept / "plain.svg").read_bytes() == first


def test_the_command_says_which_script_failed_and_no_more(book):
    done = run(book, "-m", "bookproof.run.figures", "sum")
    assert done.returncode == 1
    want = "figures_src/two/sum.py:2: ZeroDivisionError: division by zero\n"
    assert done.stderr == want


def test_figures_stand_in_chapters_and_what_they_share_is_none(another):
    folders = "a", "lib", "studies"
    root = another(
        {f"figures_src/{f}/{f}_one.py": PLAIN for f in folders}
        | {"figures_src/__init__.py": "", "figures_src/two.py": PLAIN}
        | {"figures_src/a/a_one.json": "{}"}
    )
    found = build.scripts()
    assert list(found) == ["a_one", "two"]
    assert found["a_one"] == root / "figures_src/a/a_one.py"


def test_one_name_in_two_chapters_is_an_error(another):
    another({f"figures_src/{c}/same.py": PLAIN for c in "ab"})
    with pytest.raises(ValueError) as error:
        build.scripts()
    assert str(error.value) == (
        "figures_src/a/same.py and figures_src/b/same.py: "
        "two figures of one name"
    )


def test_a_look_has_the_colours_and_the_dash_of_the_palette():
    dark, entry = Look("dark"), palette()["show"]
    assert dark.colour("show") == entry["dark"]
    assert dark.line("show") == {
        "color": entry["dark"],
        "linestyle": (0, (9, 3)),
        "linewidth": entry["width"],
    }
    with pytest.raises(ValueError, match="no colour for 'hidden': .* has x, "):
        dark.colour("hidden")


def test_panels_stand_in_a_row_and_on_a_phone_in_a_column():
    wide, phone = Look(), Look(narrow=True)
    assert wide.row(3) == (1, 3)
    assert phone.row(3) == (3, 1)
    assert wide.size(3, phone=5) == (7, 3)
    assert phone.size(3, phone=5) == (4, 5)
    assert phone.size(3) == (4, pytest.approx(2.7))


def test_the_looks_are_the_four_copies():
    suffixes = [build.suffix(look) for look in build.LOOKS]
    assert suffixes == ["", "-phone", "-dark", "-dark-phone"]


def test_each_copy_is_drawn_with_its_own_look():
    import matplotlib.pyplot as plt

    asked = []

    def figure(look):
        asked.append(look)
        return plt.figure(figsize=look.size(1))

    drawn = build.copies(figure)
    assert asked == build.LOOKS
    assert b'viewBox="0 0 288 ' in drawn["-dark-phone"]
    assert b'viewBox="0 0 504 72"' in drawn[""]


def test_results_are_computed_once(book):
    write(book / "figures_src/one/counted.py", COUNTED)
    done = run(book, "-m", "bookproof.run.figures", "counted")
    assert done.returncode == 0, done.stderr
    kept = book / ".cache" / "figures" / "counted.json"
    assert json.loads(kept.read_text("utf-8")) == {"calls": 1}
    assert (book / "calls").read_text("utf-8") == "r"


COUNTED = (
    PLAIN
    + """

def results():
    with open("calls", "a", encoding="utf-8") as file:
        file.write("r")
    return {"calls": 1}
"""
)
