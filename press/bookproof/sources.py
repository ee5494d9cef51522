"""Which code and data of this book a piece of Python depends on.

Found by reading sources, never by importing them, so that the answer is the
same on every machine and costs milliseconds. What is computed once and kept
is stale when its key has changed: pages and figures go by whole modules,
studies, which are dear, by the definitions they reach. Comments and
docstrings compute nothing, and do not count.
"""

import ast
import io
import symtable
import tokenize
from functools import cache
from pathlib import Path

from bookproof import kept
from bookproof.book import here

PRESS = Path(__file__).resolve().parent
# Functions that read what is kept under a name: results("clipping").
FIGURE_READERS = {"results"}
RECORD_READERS = {"runs", "record"}


def module_file(name):
    """Dotted module name -> its Path, or None if it is not this book's."""
    parts = name.split(".")
    if parts[0] == PRESS.name:
        folders = [PRESS.parent]
    else:
        folders = [here().root, here().root / "src"]
    for folder in folders:
        stem = folder.joinpath(*parts)
        for path in stem.with_suffix(".py"), stem / "__init__.py":
            if path.is_file():
                return path
    return None


def module_name(path):
    """The dotted name that a file of this book is imported by, or ""."""
    for folder in here().root / "src", here().root, PRESS.parent:
        if path.is_relative_to(folder):
            parts = path.relative_to(folder).with_suffix("").parts
            return ".".join(parts).removesuffix(".__init__")
    return ""


def package_of(path):
    """The dotted name that a relative import in a file starts from."""
    name = module_name(path)
    return name if path.name == "__init__.py" else name.rpartition(".")[0]


@cache
def tree(text):
    return ast.parse(text)


@cache
def imported_names(text, package=""):
    """Python source -> frozenset of dotted names its imports may load."""
    names = set()
    for node in ast.walk(tree(text)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # `from seqbook import gru`: the second part may be a module
            origin = origin_of(node, package)
            found = [origin, *(f"{origin}.{a.name}" for a in node.names)]
        else:
            continue
        for name in found:  # importing a.b.c runs a and a.b first
            parts = name.split(".")
            names |= {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
    return frozenset(names)


def origin_of(node, package):
    """The module that `from ... import` names, from a file of a package."""
    if not node.level:
        return node.module
    parts = package.split(".")
    above = parts[: len(parts) - node.level + 1]
    return ".".join([*above, *filter(None, [node.module])])


@cache
def files_read(text):
    """Python source -> frozenset of (reader, name): results("clipping")."""
    found = set()
    for node in ast.walk(tree(text)):
        if not (isinstance(node, ast.Call) and node.args):
            continue
        function, first = node.func, node.args[0]
        name = getattr(function, "id", getattr(function, "attr", ""))
        value = getattr(first, "value", None)
        if name in FIGURE_READERS | RECORD_READERS and isinstance(value, str):
            found.add((name, value))
    return frozenset(found)


def figure_script(name):
    """Path of the script that draws a figure, or None."""
    found = [
        path
        for path in sorted(here().scripts.rglob(f"{name}.py"))
        if path.parent.name not in ("lib", "studies")
    ]
    return found[0] if found else None


def record_file(name):
    """Path of a study's record."""
    return here().scripts / "studies" / f"{name}.json"


def files_of(code, package=""):
    """Python source -> set of Paths of this book that it depends on.

    Modules that it imports, the records it reads and the scripts of figures
    whose results it reads, and all that these depend on.
    """
    found, waiting = set(), [(code, package)]
    while waiting:
        for path in files_named(id(here()), *waiting.pop()) - found:
            if path.suffix == ".py":
                source = path.read_text(encoding="utf-8")
                if path.name == "__init__.py" and not bare(source).strip():
                    continue
                waiting.append((source, package_of(path)))
            if path.exists():
                found.add(path)
    return found


@cache
def files_named(book, text, package):
    """The files that a source itself imports and reads, in this book."""
    near = {module_file(name) for name in imported_names(text, package)}
    for reader, name in files_read(text):
        is_figure = reader in FIGURE_READERS
        near.add(figure_script(name) if is_figure else record_file(name))
    return frozenset(near - {None})


def files_behind(path):
    """A module's Path -> set of Paths: itself and all it depends on."""
    text = path.read_text(encoding="utf-8")
    return {path, *files_of(text, package_of(path))}


def digest(paths, *more):
    """Digest of files, Python without comments, and of texts."""
    things = []
    for path in sorted(paths):
        things.append(name_of(path))
        is_python = path.suffix == ".py"
        text = path.read_text(encoding="utf-8")
        things.append(bare(text) if is_python else text)
    return kept.digest(*things, *more)


def name_of(path):
    """A file's name below the book, or below the folder of the press."""
    if path.is_relative_to(PRESS):
        return path.relative_to(PRESS.parent).as_posix()
    return here().name(path)


STATEMENT_STARTS = (
    *(tokenize.ENCODING, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT),
)


@cache
def bare(source):
    """Python source without comments, docstrings and blank lines.

    What is left is what runs, as its author laid it out; a syntax tree would
    say the same of other layouts, but differs from Python to Python.
    """
    lines = source.splitlines()
    cuts, whole, before = [], set(), tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.type == tokenize.STRING and before in STATEMENT_STARTS
        if text or token.type == tokenize.COMMENT:
            cuts.append((token.start, token.end))
        elif token.start[0] < token.end[0]:  # a string of several lines
            whole |= {*range(token.start[0], token.end[0])}
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            before = token.type
    for (first, start), (last, end) in reversed(cuts):
        rest = lines[last - 1][end:]
        lines[first - 1] = lines[first - 1][:start] + rest
        lines[first:last] = [""] * (last - first)
    rows = [
        line if n in whole else line.rstrip()
        for n, line in enumerate(lines, start=1)
        if n in whole or line.strip()
    ]
    return "\n".join([*rows, ""])


# --- Definitions, one by one ------------------------------------------------

WHOLE, LOOSE = "*", ""  # a module's every name; its nameless statements


def reached_definitions(module, name):
    """-> {"module.name": source} of what `name` needs, directly or not.

    Followed are the names that a top-level function, class or assignment
    takes from its module, into other modules of the book too. A module
    mentioned as a whole counts as a whole; statements that run at import
    always count. What the press does is no part of a result.
    """
    reached, tables, seen = {}, {}, set()
    waiting = [(module, name)]
    while waiting:
        module, name = place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        if module not in tables:
            path = module_file(module)
            text = path.read_text(encoding="utf-8")
            tables[module] = top_level(text, package_of(path))
            waiting.append((module, LOOSE))
        defined, imported = tables[module]
        if name == WHOLE:
            waiting += [(module, each) for each in defined]
        for source, mentioned in defined.get(name, ()):
            key = f"{module}.{name}"
            reached[key] = reached.get(key, "") + source
            waiting += [(module, each) for each in mentioned]
        for target in imported.get(name, ()):
            origin, _, attribute = target.rpartition(".")
            if target.split(".")[0] == PRESS.name:
                continue
            if module_file(target):
                waiting.append((target, WHOLE))
            elif module_file(origin):
                waiting.append((origin, attribute))
    return reached


@cache
def top_level(text, package=""):
    """Source -> {name: [(source, names mentioned)]}, {alias: {target}}."""
    lines = text.split("\n")
    defined, imported = {}, {}
    for node in ast.walk(tree(text)):  # one inside a function counts too
        if isinstance(node, ast.Import | ast.ImportFrom):
            origin = []
            if isinstance(node, ast.ImportFrom):
                origin = [origin_of(node, package)]
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                target = ".".join([*origin, alias.name])
                imported.setdefault(name, set()).add(target)
    for node in tree(text).body:
        if isinstance(node, ast.Import | ast.ImportFrom) or is_text(node):
            continue
        first = min(n.lineno for n in ast.walk(node) if hasattr(n, "lineno"))
        source = "\n".join(lines[first - 1 : node.end_lineno]) + "\n"
        bound = names_bound(node)
        names = names_taken(source) | {*bound} - {LOOSE}
        for name in bound:
            defined.setdefault(name, []).append((bare(source), names))
    return defined, imported


def names_taken(source):
    """The names that a definition takes from its module.

    Its own local variables are none of them, whatever they are called.
    """
    table = symtable.symtable(source, "<definition>", "exec")
    names = {s.get_name() for s in table.get_symbols() if s.is_referenced()}
    waiting = list(table.get_children())
    while waiting:
        inner = waiting.pop()
        names |= {
            symbol.get_name()
            for symbol in inner.get_symbols()
            if symbol.is_global() or symbol.is_imported()
        }
        waiting += inner.get_children()
    return names


def names_bound(node):
    """Top-level statement -> the names it gives a value, or [LOOSE]."""
    if hasattr(node, "name"):  # a function or a class
        return [node.name]
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    stored = [n for target in targets if target for n in ast.walk(target)]
    return [n.id for n in stored if isinstance(n, ast.Name)] or [LOOSE]


def is_text(node):
    """True for a docstring, or a string that stands as a comment."""
    value = getattr(node, "value", None)
    return isinstance(node, ast.Expr) and isinstance(value, ast.Constant)
