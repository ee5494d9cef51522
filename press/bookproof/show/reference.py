"""The reference of the library: a page for each module, from its docstrings.

The page is a line of Markdown that mkdocstrings turns into signatures,
docstrings and source; docs/overrides/mkdocstrings keeps the shape of our
docstrings, in which shapes and arrows are more than words.
"""

import ast
import json
import re
from functools import cache
from pathlib import Path

from bookproof import kept
from bookproof.book import here
from bookproof.read import listings
from bookproof.read.pages import title
from bookproof.show.words import WORDS


def modules():
    """Paths of the library's modules, in order."""
    if not here().library:
        return []
    found = (here().root / here().library).glob("*.py")
    return sorted(p for p in found if not p.stem.startswith("_"))


tree = cache(ast.parse)  # each module is asked about several times


def parsed(path):
    """The syntax tree of a module. ValueError with the line of a mistake."""
    try:
        return tree(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        where = f"{here().name(path)}:{error.lineno}"
        raise ValueError(f"{where}: {error.msg}") from None


def whole(path):
    """The text of a module without the marks that cut listings from it."""
    return listings.unmarked(path.read_text(encoding="utf-8"))


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
    folder = here().pages(language)
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
            f"# {here().library}.{name} {{#{name}}}\n\n"
            f"{words['from docstrings']}\n"
            f"{shown and words['shown in'].format(shown)}\n"
            f"[{words['library']}](../library.md)\n\n"
            f"::: {here().library}.{name}\n",
        )


def key(address, language):
    """Digest of all that the rendered page of a module depends on."""
    path = here().root / here().library / f"{name_of(address)}.py"
    own = Path(__file__).parents[1]
    templates = (here().docs / "overrides").rglob("*.jinja")
    configs = [here().root / x.config for x in here().languages.values()]
    lock = here().root / "requirements.lock"
    files = [path, *sorted(templates), *configs, *sorted(own.rglob("*.py"))]
    files += [lock] if lock.exists() else []
    return kept.digest(*files, links(path, language), language)


def name_of(address):
    return address.removeprefix("api/").removesuffix(".md")


def rendered(address, language):
    """The rendered page of a module -> (HTML, its toc_tokens), or None.

    mkdocstrings reads and renders the whole library each time, which costs
    as much as all chapters; an edited chapter should not pay for it.
    """
    text = kept.get("api", f"{key(address, language)}.json")
    return json.loads(text) if text else None


def keep(address, language, html, toc):
    """Keep the rendered page of a module."""
    text = json.dumps([html, [token(link) for link in toc]])
    kept.put("api", f"{key(address, language)}.json", text)


def token(link):
    """An entry of MkDocs' table of contents as Python-Markdown gives it."""
    return {
        "name": link.title,
        "id": link.id,
        "level": link.level,
        "children": [token(child) for child in link.children],
    }
