"""Experiments: percent-form scripts that Jupyter executes, once.

<pages>/experiments/name.py holds the same code in each language; where only
comments differ, the languages share one run. A cell that fails, or writes to
standard error, fails the build. What came out is kept, and goes into one
notebook a language, which mkdocs-jupyter shows and the reader can take
along. The numbers in the Markdown cells are evaluated in the running
notebook, where they stand.
"""

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

from bookproof import kept, sources
from bookproof.book import environment, here
from bookproof.read import pages
from bookproof.run import execution, proofs

KIND = "experiments"  # in the cache
INLINE = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
PLACE = '<div class="cell" data-cell="{}"></div>'
EVALUATE = """
import json as _json
from bookproof.run.execution import run_number as _run_number
_space = {{**globals()}}
print(_json.dumps([_run_number(_text, _space) for _text in {!r}]))
"""


class FailedCell(RuntimeError):
    """An experiment that does not run; the text says where and why."""


def experiments(language):
    """Paths of a language's experiments."""
    return sorted((here().pages(language) / "experiments").glob("*.py"))


def all_experiments():
    return [path for code in here().languages for path in experiments(code)]


def notebook(path, language):
    """Where the notebook of an experiment is written."""
    folder = here().cache / "notebooks" / language / "experiments"
    return folder / f"{path.stem}.ipynb"


def read(path):
    return path.read_text(encoding="utf-8-sig")


def scan(text):
    """The checked numbers of a script, where they stand in its text."""
    return [part for part in pages.links(as_page(text)) if part.text]


def as_page(text):
    """A script of the same length in which only its prose is left."""
    kind, lines = "code", []
    for line in text.splitlines(keepends=True):
        if line.startswith("# %%"):
            kind = "md" if "[markdown]" in line else "code"
        elif kind == "md" and line.startswith("# "):
            lines.append("  " + line[2:])
            continue
        lines.append(re.sub(r"[^\n]", " ", line))
    return "".join(lines)


def plan(text):
    """Script -> ((kind, source), ...): what is executed, in order.

    kind is "code", or "numbers" with the expressions of a Markdown cell.
    """
    steps = []
    for kind, body in pages.cells(text):
        if kind == "code":
            steps.append(("code", body))
            continue
        asked = [p.source for p in pages.scan(body) if p.kind == "number"]
        if asked:
            steps.append(("numbers", tuple(asked)))
    return tuple(steps)


def key(text):
    """Digest of all that the outcome of an experiment depends on."""
    steps = [
        (kind, sources.bare(source) if kind == "code" else source)
        for kind, source in plan(text)
    ]
    code = "\n".join(source for kind, source in steps if kind == "code")
    files = sources.files_of(code)
    own = sources.files_behind(Path(__file__))
    return sources.digest(files | own, steps, execution.versions())


def recorded(path):
    """What an experiment gave -> {"outputs", "gave", "versions", "date"}.

    outputs: of each code cell; gave: of each number, as execution has it.
    """
    text = read(path)
    name = f"{key(text)}.json"
    kept_text = kept.get(KIND, name)
    if kept_text is None:
        with kept.alone(f"experiment-{name[:16]}"):
            kept_text = kept.get(KIND, name)
            if kept_text is None:
                kept_text = json.dumps(execute(path, text))
                kept.put(KIND, name, kept_text)
    return json.loads(kept_text)


def is_known(path):
    return kept.file(KIND, f"{key(read(path))}.json").exists()


def execute(path, text):
    """Run an experiment in Jupyter; FailedCell when a cell fails."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    from nbformat import v4

    os.environ.setdefault("OMP_NUM_THREADS", "1")
    steps, book = plan(text), v4.new_notebook()
    for kind, source in steps:
        if kind == "numbers":
            source = EVALUATE.format([s.replace(r"\|", "|") for s in source])
        book.cells.append(v4.new_code_cell(source))
    client = NotebookClient(
        book,
        timeout=600,
        kernel_name="python3",
        allow_errors=False,
        extra_arguments=["--log-level=ERROR"],
    )
    try:
        client.execute(cwd=str(here().root))
    except CellExecutionError as error:
        raise FailedCell(failed(path, text, steps, book, error)) from None
    outputs, gave, lines = [], [], iter(code_lines(text))
    for (kind, _), cell in zip(steps, book.cells, strict=True):
        if kind == "numbers":
            printed = "".join(o.get("text", "") for o in cell["outputs"])
            gave += json.loads(printed)
            continue
        quiet(path, next(lines), cell)
        outputs.append(cell["outputs"])
    return {
        "outputs": outputs,
        "gave": gave,
        "versions": execution.versions(),
        "date": date.today().isoformat(),
    }


def code_lines(text):
    """The line at which each code cell of a script begins."""
    cells = pages.numbered_cells(text)
    return [line for kind, _, line in cells if kind == "code"]


def failed(path, text, steps, book, error):
    """Where and why a cell failed, in one sentence."""
    said = re.sub("\x1b\\[[0-9;]*m", "", str(error)).strip()
    ran = [kind for kind, _ in steps[: count_executed(book)]]
    line = code_lines(text)[ran.count("code") - 1]
    if inside := re.findall(r"Cell In\[\d+\], line (\d+)", said):
        line += int(inside[-1]) - 1
    return f"{here().name(path)}:{line}: {said.splitlines()[-1]}"


def count_executed(book):
    """Cells that ran, up to and with the one that failed."""
    numbers = [cell.get("execution_count") for cell in book.cells]
    return sum(number is not None for number in numbers)


def quiet(path, line, cell):
    """Raise FailedCell when a cell has written to standard error."""
    for out in cell["outputs"]:
        if out.get("name") == "stderr":
            last = out["text"].strip().splitlines()[-1]
            raise FailedCell(
                f"{here().name(path)}:{line}: this cell wrote to standard "
                f"error: {last}"
            )


def outcomes(text, path=None):
    """(part, what it gave) of each number of an experiment."""
    path = path or next(p for p in all_experiments() if read(p) == text)
    return list(zip(scan(text), recorded(path)["gave"], strict=True))


def prove(path):
    """Proof of an experiment. Raises FalsePage or FailedCell."""
    text, record = read(path), recorded(path)
    ran = outcomes(text, path)
    wrong = [
        f"{here().name(path)}:{line}: {sentence}"
        for part, gave in ran
        for line, sentence in proofs.faults(part, gave)
    ]
    if wrong:
        raise proofs.FalsePage("\n".join(wrong))
    checked = [proofs.number(part, gave) for part, gave in ran]
    blocks = len(record["outputs"])
    return proofs.Proof(checked, blocks, record["versions"], record["date"])


def markdown(text):
    """Percent-form text -> Markdown with a place for each code cell."""
    found, n = [], 0
    for kind, body in pages.cells(text):
        if kind == "md":
            found.append(body)
        else:
            found.append(PLACE.format(n))
            n += 1
    return "\n\n".join(found) + "\n"


def write(path, language):
    """Write the notebook of an experiment, and its drawings as files."""
    from nbformat import NotebookNode, v4, writes

    book = v4.new_notebook()
    book.metadata["kernelspec"] = {
        "name": "python3",
        "language": "python",
        "display_name": "Python 3",
    }
    outputs = iter(recorded(path)["outputs"])
    for i, (kind, body) in enumerate(pages.cells(read(path))):
        if kind == "code":
            found = [NotebookNode(output) for output in next(outputs)]
            cell = v4.new_code_cell(body, outputs=found)
        else:
            cell = v4.new_markdown_cell(body)
        cell["id"] = f"cell-{i}"
        book.cells.append(cell)
    text = writes(book) + "\n"
    kept.write_new(notebook(path, language), text)
    for drawing, image in drawings(text):
        kept.write_new(drawing, image)


def drawings(text):
    """Drawings inside a notebook or page -> (file for each, its bytes)."""
    folder = here().cache / "assets" / "experiments"
    for data in dict.fromkeys(INLINE.findall(text)):
        yield folder / f"{digest_of(data)}.svg", base64.b64decode(data)


def digest_of(data):
    return hashlib.sha256(data.encode()).hexdigest()[:16]


def stale():
    """Experiments that are new or stale; one of those that share a run."""
    found = {}
    for path in all_experiments():
        if not is_known(path):
            found.setdefault(key(read(path)), path)
    return list(found.values())


def run_apart(path):
    """Execute an experiment from a process of its own, and keep the outcome.

    Raises FailedCell with what that process said.
    """
    done = subprocess.run(
        [sys.executable, "-m", "bookproof.run.notebooks", str(path)],
        cwd=here().root,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise FailedCell((lines or ["it ended without an answer"])[-1])


def write_all():
    """Hold every experiment against its run and write its notebook."""
    for language in here().languages:
        for path in experiments(language):
            prove(path)
            write(path, language)


if __name__ == "__main__":
    try:
        recorded(Path(sys.argv[1]))
    except FailedCell as error:
        sys.exit(str(error))
