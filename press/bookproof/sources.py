"""Which code of this project a piece of Python depends on, and its digest.

Found by reading the source, never by importing it, so that the answer is the
same on every machine and costs milliseconds. What is computed once and kept
is stale when its digest has changed: figures and pages go by whole files,
studies, which are dear, by the definitions they reach.
"""

import ast
import hashlib
import io
import tokenize
from functools import cache
from pathlib import Path

from bookproof.book import ROOT

PRESS = Path(__file__).resolve().parent
PACKAGES = "seqbook", "figures_src"


def module_file(name, root=ROOT):
    """Dotted module name -> its Path, or None if it is not this project's."""
    if name.split(".")[0] == PRESS.name:
        root = PRESS.parent
    elif name.split(".")[0] not in PACKAGES:
        return None
    stem = Path(root, *name.split("."))
    for path in stem.with_suffix(".py"), stem / "__init__.py":
        if path.is_file():
            return path
    return None


@cache
def imported_names(text):
    """Python source -> frozenset of dotted names its imports may load."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            # `from seqbook import gru`: the second part may be a module
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            raise ValueError(f"line {node.lineno}: relative import")
        else:
            continue
        for name in found:  # importing a.b.c runs a and a.b first
            parts = name.split(".")
            names |= {".".join(parts[:n]) for n in range(1, len(parts) + 1)}
    return frozenset(names)


def imported_files(text, root=ROOT, without=()):
    """Python source -> sorted Paths it imports, directly or through others.

    `without` names modules to leave out together with what only they import.
    An `__init__.py` that holds nothing but a docstring does not count.
    """
    found, waiting = set(), [text]
    while waiting:
        for name in imported_names(waiting.pop()) - set(without):
            path = module_file(name, root)
            if path is None or path in found:
                continue
            source = path.read_text(encoding="utf-8")
            if path.name == "__init__.py" and only_docstring(source):
                continue
            found.add(path)
            waiting.append(source)
    return sorted(found)


def only_docstring(text):
    """True if the source does nothing when it is imported."""
    body = ast.parse(text).body
    return len(body) == bool(ast.get_docstring(ast.parse(text)))


def source_files(path_or_module, root=ROOT, without=()):
    """A .py Path or dotted name -> sorted Paths: itself and all it imports."""
    path = path_or_module
    if not isinstance(path, Path) and not str(path).endswith(".py"):
        path = module_file(path_or_module, root)
        if path is None:
            raise ValueError(f"{path_or_module} is no module of this project")
    path = Path(root, path)
    text = path.read_text(encoding="utf-8")
    return sorted({path, *imported_files(text, root, without)})


def digest(paths, *extra, root=ROOT):
    """Files, and texts beside them -> hex SHA-256.

    Line endings are read as one newline, and names are relative to `root`
    with forward slashes, so that a Windows checkout agrees.
    """
    texts = {
        named(Path(path), root): Path(path).read_text("utf-8")
        for path in paths  # text mode: every line ending becomes a newline
    }
    sha = hashlib.sha256()
    for name, text in sorted(texts.items()):
        sha.update(f"{name}\0{text}\0".encode())
    for text in extra:
        sha.update(f"{text}\0".encode())
    return sha.hexdigest()


def named(path, root):
    """A file's name below the book, or below the folder of the press."""
    root = PRESS.parent if path.is_relative_to(PRESS) else root
    return path.relative_to(root).as_posix()


STATEMENT_STARTS = tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT
WHOLE, LOOSE = "*", ""  # a module's every name; its nameless statements


def reached_definitions(module, name, root=ROOT):
    """-> {"module.name": source} of what `name` needs, directly or not.

    Followed are the names that a top-level function, class or assignment
    mentions, into other modules of the project too. A module mentioned as a
    whole counts as a whole; statements that run at import always count.
    """
    reached, tables, seen = {}, {}, set()
    waiting = [(module, name)]
    while waiting:
        module, name = place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        if module not in tables:
            path = module_file(module, root)
            tables[module] = top_level(path.read_text(encoding="utf-8"))
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
                continue  # what draws and stores does not compute
            if module_file(target, root):
                waiting.append((target, WHOLE))
            elif module_file(origin, root):
                waiting.append((origin, attribute))
    return reached


def top_level(text):
    """Source -> {name: [(source, names mentioned)]}, {alias: {target}}."""
    tree, lines = ast.parse(text), text.split("\n")
    defined, imported = {}, {}
    for node in ast.walk(tree):  # an import inside a function counts too
        if isinstance(node, ast.ImportFrom) and node.level:
            raise ValueError(f"line {node.lineno}: relative import")
        if isinstance(node, ast.Import | ast.ImportFrom):
            origin = [node.module] if hasattr(node, "module") else []
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                target = ".".join([*origin, alias.name])
                imported.setdefault(name, set()).add(target)
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) or is_text(node):
            continue
        first = min(n.lineno for n in ast.walk(node) if hasattr(n, "lineno"))
        source = bare("\n".join(lines[first - 1 : node.end_lineno]))
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        for name in names_bound(node):
            defined.setdefault(name, []).append((source, names))
    return defined, imported


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
    kept = [
        line if n in whole else line.rstrip()
        for n, line in enumerate(lines, start=1)
        if n in whole or line.strip()
    ]
    return "\n".join([*kept, ""])


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
