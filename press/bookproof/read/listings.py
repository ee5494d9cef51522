"""Listings: cut from a module by the name of what they show.

A fence `{.py title="seqbook/gru.py"}` holds one line, `--8<--
"seqbook/gru.py:gru_step"`. The name is that of a function, a class or an
assignment at the top of the module, or several, joined by commas; a part of
one stands between the marks `# --8<-- [start:name]` and `# --8<-- [end:name]`.
"""

import ast
import re
import textwrap
from functools import cache
from pathlib import Path

SNIPPET = re.compile(r'^( *)--8<-- "([^":\n]+):([\w.,-]+)"[ \t]*$', re.M)
MARK = re.compile(r"^[ \t]*# --8<-- \[(start|end):([\w.-]+)\][ \t]*\n", re.M)


def cut(path, wanted):
    """The lines of a module that names stand for, without indentation.

    Raises ValueError when the module or one of the names is not there.
    """
    path, pieces = Path(path), []
    if not path.is_file():
        raise ValueError(f"there is no file {path.name} to cut {wanted} from")
    text = path.read_text(encoding="utf-8")
    for name in wanted.split(","):
        found = definitions(text).get(name) or marked(text).get(name)
        if found is None:
            raise ValueError(f"{path.name} defines no {name}")
        pieces.append(textwrap.dedent(unmarked(found)).strip("\n"))
    return "\n\n\n".join(pieces)


@cache
def definitions(text):
    """Source -> {name: its lines} of what stands at the top of a module."""
    lines, found = text.splitlines(keepends=True), {}
    for node in ast.parse(text).body:
        first = min([node.lineno, *(d.lineno for d in decorators(node))])
        for name in names(node):
            found[name] = "".join(lines[first - 1 : node.end_lineno])
    return found


def decorators(node):
    return getattr(node, "decorator_list", [])


def names(node):
    """The names that a statement at the top of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    return []


def marked(text):
    """Source -> {name: the lines between its marks}."""
    found, open_at = {}, {}
    for match in MARK.finditer(text):
        edge, name = match.groups()
        if edge == "start":
            open_at[name] = match.end()
        elif name in open_at:
            found[name] = text[open_at.pop(name) : match.start()]
    return found


def unmarked(text):
    """Source without the marks that cut parts from it."""
    return MARK.sub("", text)


def shown(text):
    """A page's text -> (module, names) of each of its listings."""
    return [match.groups()[1:] for match in SNIPPET.finditer(text)]


def title(names):
    """Of the names in a listing, the definition that it is about."""
    public = [name for name in names.split(",") if not name.startswith("_")]
    return (public or names.split(","))[0].partition(".")[0]
