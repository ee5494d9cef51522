"""The reference of the library: a page for each module, from its docstrings.

The page is a line of Markdown that mkdocstrings turns into signatures,
docstrings and source; docs/overrides/mkdocstrings keeps the shape of our
docstrings, in which shapes and arrows are more than words.
"""

import ast
import pickle
import re
from functools import cache
from pathlib import Path

from bookproof import sources
from bookproof.read.pages import title
from bookproof.show.words import WORDS
from bookproof.sources import ROOT

LIBRARY = ROOT / "seqbook"
KEPT = ROOT / ".cache" / "api"


def modules():
    """Paths of the library's modules, without the press, in order."""
    return sorted(
        p for p in LIBRARY.glob("*.py") if not p.stem.startswith("_")
    )


tree = cache(ast.parse)  # each module is asked about several times


def parsed(path):
    """The syntax tree of a module. ValueError with the line of a mistake."""
    try:
        return tree(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        where = f"{path.relative_to(ROOT).as_posix()}:{error.lineno}"
        raise ValueError(f"{where}: {error.msg}") from None


def whole(path):
    """The text of a module without the marks that cut listings from it."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r"^ *# --8<-- .*\n", "", text, flags=re.MULTILINE)


def docstring(path):
    """The docstring of a module, read without importing it."""
    return ast.get_docstring(parsed(path))


def names(path):
    """What a module gives: its public functions and dataclasses, in order."""
    kinds = ast.FunctionDef | ast.ClassDef
    found = [
        node.name for node in parsed(path).body if isinstance(node, kinds)
    ]
    return [name for name in found if not name.startswith("_")]


def chapters(path, language):
    """Pages of a language that a module's docstring names and that exist."""
    names = dict.fromkeys(re.findall(r"docs/en/(\w+)\.md", docstring(path)))
    folder = ROOT / "docs" / language
    return [folder / f"{n}.md" for n in names if (folder / f"{n}.md").exists()]


def links(path, language):
    """Markdown links to the chapters that show a module."""
    return WORDS[language]["comma"].join(
        f"[{title(page)}](../{page.name})" for page in chapters(path, language)
    )


def pages(language):
    """(address, Markdown) of the page of each module."""
    words = WORDS[language]
    for path in modules():
        name, shown = path.stem, links(path, language)
        yield (
            f"api/{name}.md",
            f"---\nsearch:\n  exclude: true\n---\n"
            f"# seqbook.{name} {{#{name}}}\n\n{words['from docstrings']}\n"
            f"{shown and words['shown in'].format(shown)}\n"
            f"[{words['library']}](../library.md)\n\n"
            f"::: seqbook.{name}\n",
        )


class Kept:
    """The rendered page of a module, kept until what it is made of changes.

    mkdocstrings reads and renders the whole library each time, which costs
    as much as all chapters; an edited chapter should not pay for it.
    """

    def __init__(self, address, language):
        name = address.removeprefix("api/").removesuffix(".md")
        module = LIBRARY / f"{name}.py"
        self.path = KEPT / language / f"{name}.pickle"
        self.key = sources.digest(
            [
                module,
                *sorted((ROOT / "docs" / "overrides").rglob("*.jinja")),
                *(ROOT / f for f in ("mkdocs.yml", "mkdocs.zh.yml")),
                ROOT / "requirements.lock",
                *sorted(Path(__file__).parents[1].rglob("*.py")),
            ],
            links(module, language),
        )

    def stale(self):
        return not self.path.exists() or self.read(whole=True)[0] != self.key

    def read(self, whole=False):
        """-> content (HTML) and table of contents; whole: the key too."""
        kept = pickle.loads(self.path.read_bytes())
        return kept if whole else kept[1:]

    def write(self, content, toc):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(pickle.dumps((self.key, content, toc)))
