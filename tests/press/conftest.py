"""A book of one page a language, for the tests of the press."""

import pytest


@pytest.fixture
def pages_of(another):
    """pages_of(en, zh, name) -> root of a book of one page a language."""

    def write(en="# A {#a}\n", zh=None, name="a.md", files=None):
        zh = en if zh is None else zh
        texts = {f"docs/en/{name}": en, f"docs/zh/{name}": zh}
        return another({**texts, **(files or {})})

    return write
