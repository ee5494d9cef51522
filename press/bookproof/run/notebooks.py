"""Experiments: percent-form scripts, executed once for both languages.

docs/<language>/experiments/name.py holds the same code in each language. It
is executed by Jupyter at build time; a cell that fails fails the build. What
came out goes into one notebook a language, which mkdocs-jupyter shows and
the reader can download. The numbers in its Markdown cells are evaluated in
the running notebook, where they stand.
"""

import base64
import hashlib
import html
import json
import os
import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from bookproof import sources
from bookproof.read import pages
from bookproof.run import proofs
from bookproof.show.words import WORDS
from bookproof.sources import ROOT

CACHE = ROOT / ".cache"
PRINTED = '<pre class="output" tabindex="0">'
DRAWN = CACHE / "assets" / "experiments"
INLINE = re.compile(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)")
PLACE = '<div class="cell" data-cell="{}"></div>'
EVALUATE = """
import math as _math, json as _json
from bookproof.read import numbers as _numbers
_space = {{**globals()}}
_found = []
for _text, _expression in _json.loads({!r}):
    try:
        _value = _numbers.evaluate(_expression, _space)
        _fault = _numbers.fault(_text, _expression, _value)
        _found.append([_fault, _numbers.show(_value),
            _numbers.fill(_value) if _text == "…" else None])
    except Exception as _error:
        _found.append([f"{{type(_error).__name__}}: {{_error}}", "", None])
print(_json.dumps(_found))
"""


class FailedCell(RuntimeError):
    """An experiment that does not run; the text says which cell and why."""


def experiments(language="en"):
    """Paths of a language's experiments."""
    return sorted((ROOT / "docs" / language / "experiments").glob("*.py"))


def notebook(path, language):
    """Where the executed notebook of an experiment is kept."""
    return CACHE / language / "experiments" / f"{path.stem}.ipynb"


def twin(path, language):
    """The same experiment in another language."""
    return ROOT / "docs" / language / "experiments" / path.name


def code(path):
    """Code cells of an experiment, in order."""
    text = path.read_text(encoding="utf-8")
    return [body for kind, body in pages.cells(text) if kind == "code"]


def key(path, languages):
    """Digest of all that the outcome of an experiment depends on."""
    files = {*sources.imported_files("\n".join(code(path)))}
    files |= {twin(path, language) for language in languages}
    files |= set(sources.source_files(Path(__file__)))
    return sources.digest(files, str(proofs.versions()))


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


def execute(path, languages=("en", "zh")):
    """Run an experiment and write its notebooks -> seconds.

    Raises FailedCell when a cell fails or a number does not hold.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    started = time.perf_counter()
    texts = {
        language: twin(path, language).read_text(encoding="utf-8")
        for language in languages
    }
    book, questions = plan(texts[languages[0]])
    client = NotebookClient(
        book,
        timeout=600,
        kernel_name="python3",
        allow_errors=False,
        extra_arguments=["--log-level=ERROR"],
    )
    try:
        client.execute(cwd=str(ROOT))
    except CellExecutionError as error:
        last = re.sub("\x1b\\[[0-9;]*m", "", str(error)).strip()
        raise FailedCell(
            f"{path.relative_to(ROOT).as_posix()}: a cell failed: "
            f"{last.splitlines()[-1]}"
        ) from None
    answers = take_answers(book)
    check(path, questions, answers)
    quiet(path, book)
    outputs = [
        cell["outputs"] for cell in book.cells if cell["cell_type"] == "code"
    ]
    for language, text in texts.items():
        write(notebook(path, language), text, outputs, nbformat)
        keep_proof(text, answers)
    return time.perf_counter() - started


def plan(text):
    """Notebook with a hidden cell after each Markdown cell that counts."""
    from nbformat import v4

    book, questions = v4.new_notebook(), []
    for kind, body in pages.cells(text):
        if kind == "code":
            book.cells.append(v4.new_code_cell(body))
            continue
        asked = [
            (p.text, p.source) for p in pages.scan(body) if p.kind == "number"
        ]
        if asked:
            cell = v4.new_code_cell(EVALUATE.format(json.dumps(asked)))
            cell["metadata"]["tags"] = ["numbers"]
            book.cells.append(cell)
            questions += asked
    return book, questions


def take_answers(book):
    """Remove the hidden cells from a notebook -> what they printed."""
    answers = []
    for cell in list(book.cells):
        if "numbers" in cell["metadata"].get("tags", []):
            printed = "".join(o.get("text", "") for o in cell["outputs"])
            answers += json.loads(printed)
            book.cells.remove(cell)
    return answers


def check(path, questions, answers):
    """Raise FailedCell when a number of an experiment does not hold."""
    name = path.relative_to(ROOT).as_posix()
    wrong = [
        f"{name}: [{text}] is not {expression}: {fault}"
        for (text, expression), (fault, _, _) in zip(
            questions, answers, strict=True
        )
        if fault
    ]
    if wrong:
        raise FailedCell("\n".join(wrong))


def quiet(path, book):
    """Raise FailedCell when a cell has written to standard error."""
    for cell in book.cells:
        for out in cell.get("outputs", []):
            if out.get("name") == "stderr":
                raise FailedCell(
                    f"{path.relative_to(ROOT).as_posix()}: a cell wrote to "
                    f"standard error: {out['text'].strip().splitlines()[-1]}"
                )


def write(target, text, outputs, nbformat):
    """Notebook in one language, with the outputs that both share."""
    book = nbformat.v4.new_notebook()
    book.metadata["kernelspec"] = {
        "name": "python3",
        "language": "python",
        "display_name": "Python 3",
    }
    left = iter(outputs)
    for i, (kind, body) in enumerate(pages.cells(text)):
        if kind == "code":
            cell = nbformat.v4.new_code_cell(body, outputs=next(left))
        else:
            cell = nbformat.v4.new_markdown_cell(body)
        cell["id"] = f"cell-{i}"
        book.cells.append(cell)
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(book, target)
    for drawing, image in drawings(target.read_text(encoding="utf-8")):
        drawing.parent.mkdir(parents=True, exist_ok=True)
        drawing.write_bytes(image)


def drawings(text):
    """Drawings inside a notebook or page -> (file for each, its bytes)."""
    for data in dict.fromkeys(INLINE.findall(text)):
        yield DRAWN / f"{digest_of(data)}.svg", base64.b64decode(data)


def digest_of(data):
    return hashlib.sha256(data.encode()).hexdigest()[:16]


def keep_proof(text, answers):
    """Store an experiment's values where its page looks for them."""
    page = markdown(text)
    found = [p for p in pages.scan(page) if p.kind == "number"]
    checked = [
        {
            "text": part.text,
            "expression": part.source,
            "shown": shown,
            "fill": fill,
        }
        for part, (_, shown, fill) in zip(found, answers, strict=True)
    ]
    proof = {
        "numbers": checked,
        "blocks": sum(kind == "code" for kind, _ in pages.cells(text)),
        "versions": proofs.versions(),
        "date": time.strftime("%Y-%m-%d"),
    }
    proofs.keep(page, proof)


def build(languages=("en", "zh"), say=print):
    """Execute every experiment that is new or stale, side by side."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    paths = experiments(languages[0])
    stale = [path for path in paths if is_stale(path, languages)]
    if not stale:
        return
    with ProcessPoolExecutor(min(len(stale), os.cpu_count() or 1)) as pool:
        jobs = [pool.submit(execute, path, languages) for path in stale]
        for done, (path, job) in enumerate(zip(stale, jobs, strict=True), 1):
            seconds = job.result()
            stamp(path).write_text(key(path, languages), encoding="utf-8")
            say(
                f"experiment {done} of {len(stale)}: {path.stem} "
                f"({seconds:.0f} s)"
            )


def stamp(path):
    return notebook(path, "en").with_suffix(".key")


def is_stale(path, languages=("en", "zh")):
    kept = stamp(path)
    if not kept.exists():
        return True
    texts = [twin(path, lang).read_text("utf-8") for lang in languages]
    return kept.read_text(encoding="utf-8") != key(path, languages) or not all(
        proofs.file(markdown(text)).exists() for text in texts
    )


def code_cells(rendered):
    """HTML of a notebook by mkdocs-jupyter -> its code cells, undressed.

    What stays is the highlighted input and the outputs; Jupyter's wrappers,
    styles and scripts go.
    """
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(rendered, "lxml")
    found = []
    for cell in soup.select(".jp-CodeCell[id]"):
        source = cell.select_one(".highlight-ipynb pre")
        code_html = (
            '<div class="language-python highlight experiment"><pre><code>'
            f"{source.decode_contents().strip()}\n</code></pre></div>"
        )
        shown = "".join(map(output, cell.select(".jp-OutputArea-output")))
        # What one cell prints is one output, however Jupyter received it.
        found.append(code_html + shown.replace(f"</pre>{PRINTED}", "\n"))
    return found


def output(area):
    """One output of a cell, as it stands on the page."""
    if area.find(["img", "table", "svg", "div"]):
        # A notebook carries its drawings, a page points at them.
        inner = INLINE.sub(
            lambda m: f"../assets/experiments/{digest_of(m[1])}.svg",
            area.decode_contents().strip(),
        )
        return f'<div class="output">{inner}</div>'
    return f"{PRINTED}{html.escape(area.get_text().strip())}</pre>"


def put_cells(rendered, cells):
    """Fill the places for code cells in a rendered page."""
    places = rendered.count('data-cell="')
    if places != len(cells):
        raise ValueError(f"{places} places for {len(cells)} code cells")
    for n, cell in enumerate(cells):
        rendered = rendered.replace(PLACE.format(n), cell)
    return rendered


def links(name, language, repository):
    """Where to take an experiment away from its page."""
    words = WORDS[language]
    link = f'<a href="{name}.ipynb" download>{words["notebook"]}</a>'
    if repository and "github.com/" in repository:
        project = repository.partition("github.com/")[2].strip("/")
        folder = "" if language == "en" else f"{language}/"
        colab = (
            f"https://colab.research.google.com/github/{project}/blob/"
            f"gh-pages/{folder}experiments/{name}.ipynb"
        )
        link += f' · <a href="{colab}">{words["colab"]}</a>'
    return f'<p class="download">{link}</p>'


if __name__ == "__main__":
    try:
        build()
    except FailedCell as error:
        sys.exit(str(error))
