"""The values behind a page's numbers, computed once and kept.

A page is executed in a process of its own (so that an edited library is
read anew) and its values are kept under a digest of all that they depend
on: the page's code and expressions, every module of this project that the
code imports, and the versions of Python and NumPy.

    python -m bookproof.run.proofs < page.md     # prints the values as JSON
"""

import json
import os
import platform
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from importlib import metadata
from pathlib import Path

from bookproof import sources
from bookproof.read import numbers, pages
from bookproof.run import figures
from bookproof.sources import ROOT

CACHE = ROOT / ".cache" / "proofs"
PAGES = ROOT / "docs"


class FalsePage(ValueError):
    """A page that says something its code does not; the text says what."""


def versions():
    """Name and version of what runs the pages."""
    found = {"Python": platform.python_version()}
    for name, title in ("numpy", "NumPy"), ("torch", "PyTorch"):
        try:
            found[title] = metadata.version(name).partition("+")[0]
        except metadata.PackageNotFoundError:
            continue
    return found


def code_of(parts):
    """The Python of a page's blocks, prompts and outputs left out."""
    blocks = []
    for part in parts:
        if part.kind != "block":
            continue
        if ">>> " in part.source:
            examples = pages.doctests.PARSER.get_examples(part.source)
            blocks += [example.source for example in examples]
        else:
            blocks.append(part.source)
    return "\n".join(blocks)


def key(text):
    """Digest of all that the values of a page depend on."""
    parts = [p for p in pages.scan(text) if p.kind != "cite"]
    stream = [f"{p.kind}\0{p.text}\0{p.source}" for p in parts]
    code = code_of(parts)
    try:
        files = set(sources.imported_files(code))
    except SyntaxError:
        files = set()
    for name in re.findall(r"""results\(["'](\w+)["']\)""", code):
        files |= figures.inputs(name)
    own = sources.source_files(Path(__file__))
    return sources.digest({*files, *own}, *stream, str(versions()))


def execute(text):
    """Run a page here -> what site and ledger print of it."""
    outcomes = pages.run(text)
    faults = [pages.complaint("line", o) for o in outcomes if o.fault]
    if faults:
        return {"faults": faults}
    checked = [
        {
            "text": o.part.text,
            "expression": o.part.source,
            "shown": numbers.show(o.value),
            "fill": numbers.fill(o.value)
            if o.part.text.strip() == numbers.FILLED
            else None,
        }
        for o in outcomes
        if o.part.kind == "number"
    ]
    return {
        "numbers": checked,
        "blocks": sum(o.part.kind == "block" for o in outcomes),
        "versions": versions(),
        "date": date.today().isoformat(),
    }


def prove(text, path="page"):
    """Values of a page, from the cache or from a fresh process.

    Raises FalsePage with one line for each thing that does not hold.
    """
    if not pages.scan(text):
        return {"numbers": [], "blocks": 0}
    kept = file(text)
    if kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    done = subprocess.run(
        [sys.executable, "-m", "bookproof.run.proofs"],
        input=text,
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"},
    )
    if done.returncode:
        said = done.stderr.strip() or f"exit code {done.returncode}"
        raise FalsePage(f"{path}: {said.splitlines()[-1]}")
    proof = json.loads(done.stdout)
    if "faults" in proof:
        lines = [re.sub("^line", str(path), f) for f in proof["faults"]]
        raise FalsePage("\n".join(lines))
    keep(text, proof)
    return proof


def file(text):
    """Where the values of a page are kept."""
    return CACHE / f"{key(text)}.json"


def keep(text, proof):
    """Store the values of a page; another process never sees half a file."""
    CACHE.mkdir(parents=True, exist_ok=True)
    kept = file(text)
    fresh = kept.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(proof), encoding="utf-8")
    fresh.replace(kept)


def chapters(language):
    """Markdown pages of a language, in the order of their names."""
    return sorted((PAGES / language).glob("**/*.md"))


def prove_all(languages=("en", "zh"), say=print):
    """Run every page that is new or stale, side by side."""
    paths = [path for lang in languages for path in chapters(lang)]
    first = {}  # the two languages of a page share code and values
    for path in paths:
        text = pages.read(path)
        if pages.scan(text):
            first.setdefault(key(text), path)
    stale = [p for k, p in first.items() if not (CACHE / f"{k}.json").exists()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(prove, pages.read(p), p.relative_to(ROOT).as_posix())
            for p in stale
        ]
        wrong = []
        for done, (path, job) in enumerate(zip(stale, jobs, strict=True), 1):
            try:
                job.result()
                say(f"page {done} of {len(jobs)}: {path.name}")
            except FalsePage as error:
                wrong.append(str(error))
    if wrong:
        raise FalsePage("\n".join(wrong))


if __name__ == "__main__":
    page = sys.stdin.buffer.read().decode("utf-8")
    answer = json.dumps(execute(page), ensure_ascii=True)
    sys.stdout.write(answer)
