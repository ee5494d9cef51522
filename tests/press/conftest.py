"""A small book of its own for a test, in hand until the test ends."""

import textwrap

import pytest

from bookproof import book

TWO = """
    [tool.bookproof]
    library = "seqbook"

    [tool.bookproof.languages]
    en = { config = "mkdocs.yml", pages = "docs/en" }
    zh = { config = "mkdocs.zh.yml", pages = "docs/zh" }
"""


@pytest.fixture
def another(tmp_path):
    """another({name: text}) -> its root; files may be added by calling again.

    It has the two languages of this book, and whatever the test writes.
    """
    home = book.here().root

    def write(files=None):
        for name, text in {"pyproject.toml": TWO, **(files or {})}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        book.use(tmp_path)
        return tmp_path

    yield write
    book.use(home)


@pytest.fixture
def pages_of(another):
    """pages_of(en, zh, name) -> root of a book of one page a language."""

    def write(en="# A {#a}\n", zh=None, name="a.md", files=None):
        zh = en if zh is None else zh
        texts = {f"docs/en/{name}": en, f"docs/zh/{name}": zh}
        return another({**texts, **(files or {})})

    return write
