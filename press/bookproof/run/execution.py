"""A page's code and expressions, executed once.

The blocks and expressions of a page run in a process of their own, in order,
in one namespace, and what each gave is kept under a key of all that it
depends on: the code without its comments, the modules, records and figures
of this book that the code reads, the versions of Python, NumPy and PyTorch.
Build, tests and ledger hold the page against that one run; the languages
share it where their code is the same.

    python -m bookproof.run.execution < parts.json   # runs parts, prints JSON
"""

import contextlib
import io
import json
import platform
import subprocess
import sys
import tokenize
import traceback
from datetime import date
from functools import cache
from importlib import metadata
from pathlib import Path

from bookproof import kept, sources
from bookproof.book import environment, here
from bookproof.read import numbers, pages
from bookproof.run import doctests, values

KIND = "runs"  # in the cache


# Runs with an error in them, by their parts as they stand, for its line is
# that of a page: known in this process, and tried again in another.
failed = {}


class Crashed(ValueError):
    """A page whose process ended before it answered."""


def versions():
    """Name and version of what runs the pages."""
    found = {"Python": platform.python_version()}
    for name, title in ("numpy", "NumPy"), ("torch", "PyTorch"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[title] = metadata.version(name).partition("+")[0]
    return found


def stream(text):
    """What of a page is executed: ((kind, source), ...), in order."""
    return tuple(
        (part.kind, part.source)
        for part in pages.scan(text)
        if part.kind != "cite"
    )


def bare(kind, source):
    """A part without comments, prompts and outputs: what runs."""
    if kind == "number":
        return source
    try:
        return "\n".join(map(sources.bare, scripts(source)))
    except (SyntaxError, tokenize.TokenError):  # it will say so when it runs
        return source


def scripts(source):
    """The pieces of Python in a fence: its examples, or all of it."""
    return [e.source for e in doctests.examples(source)] or [source]


def key(parts):
    """Digest of all that the outcome of executable parts depends on."""
    code = [(kind, bare(kind, source)) for kind, source in parts]
    return sources.digest(files(parts), code, versions(), own_digest())


def files(parts):
    """Modules, records and scripts that the code of a page depends on."""
    found = set()
    for kind, source in parts:
        for script in scripts(source) if kind == "block" else ():
            with contextlib.suppress(SyntaxError):  # said when it runs
                found |= sources.files_of(script)
    return found


@cache
def own_digest():
    """Digest of what runs a page, which changes with the press alone."""
    return sources.digest(sources.files_behind(Path(__file__)))


def recorded(parts):
    """What each part gave -> {"gave": [...], "versions", "date"}.

    From the cache, or from a fresh process; a key is run by one process.
    """
    name = f"{key(parts)}.json"
    found = kept.get(KIND, name) or failed.get(parts)
    if found is None:
        with kept.alone(f"run-{name[:16]}"):
            found = kept.get(KIND, name)
            if found is None:
                found = run_apart(parts)
                if any("error" in gave for gave in json.loads(found)["gave"]):
                    failed[parts] = found
                else:
                    kept.put(KIND, name, found)
    return json.loads(found)


def is_known(parts):
    """True if the outcome of these parts is in the cache."""
    return parts in failed or kept.file(KIND, f"{key(parts)}.json").exists()


def run_apart(parts):
    """Execute parts in a process of their own -> JSON.

    Raises Crashed with the last line that the process said.
    """
    done = subprocess.run(
        [sys.executable, "-m", "bookproof.run.execution"],
        input=json.dumps(parts),
        capture_output=True,
        encoding="utf-8",
        cwd=here().root,
        env=environment(),
    )
    if done.returncode:
        said = done.stderr.strip() or f"exit code {done.returncode}"
        raise Crashed(said.splitlines()[-1])
    return done.stdout


def run(parts):
    """Execute parts here -> {"gave": [...], "versions", "date"}."""
    namespace = {"__name__": "__main__"}
    gave = [
        run_block(source, namespace)
        if kind == "block"
        else run_number(source, namespace)
        for kind, source in parts
    ]
    today = date.today().isoformat()
    return {"gave": gave, "versions": versions(), "date": today}


def run_block(source, namespace):
    """A fence -> {"printed": [what each example printed]}, or its error."""
    examples = doctests.examples(source)
    if examples:
        printed = [doctests.run_example(e, namespace) for e in examples]
        return {"printed": printed}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, doctests.PAGE, "exec"), namespace)
    except Exception as error:
        return failure(error)
    return {"printed": []}


def run_number(expression, namespace):
    """An expression -> {"value": its value as JSON}, or its error."""
    try:
        value = numbers.evaluate(expression, namespace)
        return {"value": values.encode(value)}
    except Exception as error:
        return failure(error)


def failure(error):
    """An exception as {"error": one line, "line": in the block or None}."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if f.filename == doctests.PAGE]
    if isinstance(error, SyntaxError) and error.filename == doctests.PAGE:
        lines.append(error.lineno)
    said = traceback.format_exception_only(error)[-1].strip()
    return {"error": said, "line": lines[-1] if lines else None}


def main():
    text = sys.stdin.buffer.read().decode("utf-8")
    parts = [tuple(pair) for pair in json.loads(text)]
    sys.stdout.write(json.dumps(run(parts)))


if __name__ == "__main__":
    main()
