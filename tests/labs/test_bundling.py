"""From the folders of the labs to scripts, a style sheet and faults."""

import dataclasses

import pytest

from bookproof import kept
from bookproof.book import here
from bookproof.run import node
from bookproof.site import assets


@pytest.fixture
def book(tmp_path, monkeypatch):
    """Folder of a book with one lab, `blink`, which the press now builds."""
    other = dataclasses.replace(here(), root=tmp_path)
    folder = node.folder()
    monkeypatch.setattr(assets, "here", lambda: other)
    monkeypatch.setattr(assets, "drawn", lambda: tmp_path / "drawn")
    monkeypatch.setattr(kept, "here", lambda: other)
    monkeypatch.setattr(node, "folder", lambda: folder)
    own = assets.own()
    texts = {
        "book.js": "window.book = 1;",
        "palette.json": "{}",
        "labs.css": "seq-lab { display: block; }",
        "labs/blink/lab.js": 'import { name } from "../parts/name.js";\n'
        "window.lab = name;",
        "labs/blink/style.css": ".blink { color: red; }",
        "labs/parts/name.js": 'export const name = "blink";',
    }
    for name, text in texts.items():
        write(own / name, text)
    write(tmp_path / "package-lock.json", "{}")
    return tmp_path


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def built(book):
    """Address of all that is shipped below assets -> its text."""
    assets.bundle(say=lambda _: None)
    files = [each for each in assets.shared() if each[0].startswith("assets")]
    assert len(files) == len(dict(files))
    return {name: path.read_text(encoding="utf-8") for name, path in files}


def test_a_folder_is_a_lab_with_a_script_and_rules_in_the_one_sheet(book):
    assert assets.labs() == ["blink"]
    shipped = built(book)
    assert sorted(shipped) == [
        "assets/book.js",
        "assets/bookproof.css",
        "assets/labs.css",
        "assets/labs/blink.js",
    ]
    assert '"blink"' in shipped["assets/labs/blink.js"]
    sheet = shipped["assets/labs.css"]
    assert sheet.index("display:block") < sheet.index(".blink{")


def test_a_lab_that_is_renamed_leaves_nothing_behind(book):
    built(book)
    lab = assets.own() / "labs" / "blink"
    lab.rename(lab.with_name("wink"))
    shipped = built(book)
    assert "assets/labs/wink.js" in shipped
    assert "assets/labs/blink.js" not in shipped


def test_a_folder_without_a_script_is_named(book):
    write(assets.own() / "labs" / "wink" / "model.js", "")
    with pytest.raises(ValueError, match=r"^the lab wink has no lab\.js$"):
        assets.bundle()


@pytest.mark.parametrize(
    "name, text, fault",
    [
        ("lab.js", "let a;\nlet a;", '2: The symbol "a" has already'),
        ("lab.js", '\nimport "./words.js";', '2: Could not resolve "./w'),
        (
            "lab.js",
            'import { off } from "../parts/name.js";\nwindow.off = off;',
            "1: No matching export in ",
        ),
        ("style.css", ".a {\n color red;\n}", '2: Expected ":"'),
    ],
)
def test_a_fault_is_one_line_with_its_place(book, name, text, fault):
    built(book)
    path = assets.own() / "labs" / "blink" / name
    write(path, text)
    with pytest.raises(ValueError) as caught:
        assets.bundle()
    found = str(caught.value)
    assert found.startswith(f"docs/assets/labs/blink/{name}:{fault}")
    assert found.count("\n") == 0
    write(path, "window.lab = 2;" if name == "lab.js" else "")
    assert "assets/labs/blink.js" in built(book)


def test_every_fault_has_a_line(book):
    write(assets.own() / "book.js", "let a = ;")
    write(assets.own() / "labs" / "blink" / "lab.js", "let = 1;\nlet b = ;")
    with pytest.raises(ValueError) as caught:
        assets.bundle()
    places = [line.split(": ")[0] for line in str(caught.value).splitlines()]
    assert "docs/assets/book.js:1" in places
    assert "docs/assets/labs/blink/lab.js:2" in places
