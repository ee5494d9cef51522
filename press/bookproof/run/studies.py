"""Studies: results that take too long to compute at every build.

A study is a module of figures_src that defines study(tell) and SEEDS. `make
studies` runs it and writes what it returns beside it as JSON, with where it
came from. Pages and figures read that file; a test fails once any code that
study() reaches has changed. What draws or sums up the results is not part
of that code and may change freely.
"""

import ast
import datetime
import importlib
import json
import os
import platform
import re
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bookproof import kept
from bookproof.book import here
from bookproof.sources import module_file, reached_definitions

ROOT = here().root

PACKAGE = "figures_src"
LIBRARIES = "numpy", "torch"  # whose versions may change a result


def study_names(root=ROOT):
    """Names of the modules in figures_src that define study(), sorted."""
    found = []
    for path in sorted(Path(root, PACKAGE).glob("*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        if "study" in [getattr(node, "name", None) for node in body]:
            found.append(path.stem)
    return found


def study_sources(name, root=ROOT):
    """-> sorted names of the definitions a study reaches, their digest."""
    module = f"{PACKAGE}.{name}"
    if module_file(module) is None:
        raise ValueError(f"there is no study {PACKAGE}/{name}.py")
    reached = sorted(reached_definitions(module, "study").items())
    return [key for key, _ in reached], kept.digest(*map("\0".join, reached))


def study_file(name, root=ROOT):
    return Path(root, PACKAGE, f"{name}.json")


def load_study(name, root=ROOT):
    """-> the committed record; ValueError if it is missing or stale."""
    path = study_file(name, root)
    if not path.is_file():
        raise ValueError(f"{path.name} is missing: run `make studies`")
    record = json.loads(path.read_text(encoding="utf-8"))
    if record["sha256"] != study_sources(name, root)[1]:
        raise ValueError(
            f"{path.name} was computed from other code: run `make studies`"
        )
    return record


def check_study(name, root=ROOT):
    """Raise ValueError unless the committed record fits the code."""
    load_study(name, root)


def run_study(name, tell=print, root=ROOT):
    """Run one study and write its record; returns its Path.

    The digest is that of the code that is about to run: if a file changes in
    the meantime, the record is stale from the start.
    """
    sources, sha256 = study_sources(name, root)
    module = importlib.import_module(f"{PACKAGE}.{name}")
    wall, cpu = time.monotonic(), time.process_time()
    results = module.study(tell)
    record = {
        "study": name,
        "sources": sources,
        "sha256": sha256,
        "date": datetime.date.today().isoformat(),
        "seconds": round(time.monotonic() - wall, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "seeds": module.SEEDS,
        "python": platform.python_version(),
        **library_versions(),
        "system": platform.system(),
        "machine": platform.machine(),
        "cpus": os.cpu_count(),
        "results": results,
    }
    path = study_file(name, root)
    path.write_text(as_json(record), encoding="utf-8", newline="\n")
    return path


def library_versions():
    """Versions of those libraries that are installed."""
    found = {}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def as_json(record):
    """JSON with each innermost list or object on a line of its own."""
    text = json.dumps(record, indent=1, allow_nan=False, ensure_ascii=False)
    innermost = r"[\[{][^][{}]*[]}]"
    text = re.sub(innermost, lambda found: " ".join(found[0].split()), text)
    return text + "\n"


def main(names):
    """Run the studies named, or all of them."""
    known = study_names()
    names = names or known
    for name in names:
        if name not in known:
            sys.exit(f"no study {name}; there are {', '.join(known)}")
    for number, name in enumerate(names, start=1):
        print(f"study {number} of {len(names)}: {name}", flush=True)
        path = run_study(name, tell=lambda line: print(line, flush=True))
        print(f"wrote {path.relative_to(ROOT).as_posix()}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
