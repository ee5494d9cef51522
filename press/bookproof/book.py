"""The book in hand: where it stands, and the few facts that are its own.

They are read from the table [tool.bookproof] of the book's pyproject.toml;
a book without one has its pages in docs/ and one language, English.
"""

import os
import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path


@dataclass(frozen=True)
class Language:
    """config: its configuration for MkDocs; pages: the folder of its pages."""

    config: str = "mkdocs.yml"
    pages: str = "docs"


@dataclass(frozen=True)
class Book:
    """root: the book's folder; all other places are below it.

    library: the package that listings are cut from and that has a reference,
    "" for none; figures: the folder of figure scripts; languages: code ->
    Language, the first one leads; colours: TeX symbol -> the quantity of
    docs/assets/palette.json whose colour it has.
    """

    root: Path
    library: str = ""
    figures: str = "figures_src"
    languages: dict = field(default_factory=lambda: {"en": Language()})
    colours: dict = field(default_factory=dict)

    @property
    def cache(self):
        return self.root / ".cache"

    @property
    def site(self):
        return self.root / "site"

    @property
    def docs(self):
        """The folder that all languages share: bibliography, assets."""
        return self.root / "docs"

    @property
    def scripts(self):
        """The folder of figure scripts."""
        return self.root / self.figures

    def pages(self, language):
        """The folder of a language's pages."""
        return self.root / self.languages[language].pages

    def name(self, path):
        """A file's path below the book, with forward slashes."""
        path = Path(path)
        if path.is_relative_to(self.root):
            path = path.relative_to(self.root)
        return path.as_posix()


def find():
    """Folder of the book: the nearest one, upwards, with a mkdocs.yml."""
    start = Path.cwd().resolve()
    for folder in start, *start.parents:
        if (folder / "mkdocs.yml").is_file():
            return folder
    return start


@cache
def read(root):
    """The book in a folder. ValueError for an entry that is not known."""
    file = root / "pyproject.toml"
    said = {}
    if file.is_file():
        tools = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
        said = dict(tools.get("bookproof", {}))
    known = {"library", "figures", "languages", "colours"}
    if odd := sorted(said.keys() - known):
        raise ValueError(
            f"pyproject.toml: [tool.bookproof] knows {sorted(known)}, "
            f"not {', '.join(odd)}"
        )
    if "languages" in said:
        said["languages"] = {
            code: Language(**entry)
            for code, entry in said["languages"].items()
        }
    return Book(root, **said)


_root = None  # once known


def here():
    """The book in hand."""
    global _root
    if _root is None:
        _root = find()
    return read(_root)


def use(root):
    """Work on the book in another folder from now on."""
    global _root
    _root = Path(root).resolve()
    read.cache_clear()


def environment():
    """For a process that works on this book: one thread, its own modules."""
    root = str(here().root)
    paths = [root, os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "PYTHONUTF8": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }
