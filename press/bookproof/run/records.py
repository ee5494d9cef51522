"""Records of studies: what their runs gave, and where that came from.

A study is figures_src/studies/<name>.py. Its run() is called with each job
that its jobs() names, and what it gives is kept beside it, in <name>.json,
which is committed: see studies.py. Figures and pages read it here:

    runs("recall", cell="LSTM", T=20)

A record is stale once code that run() reaches has changed. What draws or
sums up the runs is not part of that code and may change freely.
"""

import contextlib
import itertools
import json
import os
import platform
from importlib import metadata
from pathlib import Path

from bookproof import kept
from bookproof.book import here
from bookproof.sources import reached_definitions

LIBRARIES = "numpy", "torch"  # whose versions may change a result


def folder():
    """The folder of all studies and their records."""
    return here().scripts / "studies"


def names():
    """Names of all studies, sorted."""
    found = {path.stem for path in folder().glob("*.py")}
    return sorted(found - {"__init__"})


def module(name):
    """The dotted name that a study is imported by."""
    return f"{here().figures}.studies.{name}"


def check_name(name):
    """Raise ValueError unless there is such a study."""
    if name not in names():
        raise ValueError(f"no study {name}; there are {', '.join(names())}")


def stamp(name):
    """-> the definitions that a study's run() reaches, and their digest."""
    check_name(name)
    reached = sorted(reached_definitions(module(name), "run").items())
    return [key for key, _ in reached], kept.digest(*map("\0".join, reached))


def file(name):
    return folder() / f"{name}.json"


def read(name):
    """A study's record, stale or not; ValueError if it is missing."""
    check_name(name)
    if not file(name).is_file():
        raise ValueError(
            f"{name}.json is missing: run `make studies NAME={name}`"
        )
    return json.loads(file(name).read_text(encoding="utf-8"))


def is_fresh(found):
    """True if no code that a record came from has changed."""
    return found["sha256"] == stamp(found["study"])[1]


def record(name):
    """A study's record; ValueError if it is missing or stale."""
    found = read(name)
    if not is_fresh(found):
        raise ValueError(
            f"{name}.json comes from other code: confirm it with `python -m "
            f"bookproof.run.studies confirm {name}`, or run all of it again "
            f"with `make studies NAME={name}`"
        )
    return found


def runs(name, **wanted):
    """The runs of a study that fit -> list of dicts, in the record's order.

    In each stand what the job asked for, what it gave, and the "seconds" of
    a processor that it took (None in records from before runs were timed).
    seed=0 asks for that seed, seed=[0, 1] for either. Raises ValueError if
    no run fits, or the record is missing or stale.
    """
    found = select(flat(record(name)["runs"]), **wanted)
    if not found:
        raise ValueError(f"{name}.json has no run of {spelt(wanted)}")
    return found


def flat(entries):
    """Entries of a record -> one dict each: job, result and seconds."""
    return [
        {**entry["job"], **entry["result"], "seconds": entry["seconds"]}
        for entry in entries
    ]


def select(some, **wanted):
    """Those of some runs that have the values wanted; a list: one of them."""

    def fits(run, key, value):
        values = value if isinstance(value, list) else [value]
        return key in run and run[key] in values

    return [
        run
        for run in some
        if all(fits(run, key, value) for key, value in wanted.items())
    ]


def crossed(**values):
    """crossed(cell="GRU", T=[20, 50], seed=[0, 1]) -> four jobs, in order."""
    lists = [v if isinstance(v, list) else [v] for v in values.values()]
    for row in itertools.product(*lists):
        yield dict(zip(values, row, strict=True))


def spelt(job):
    """{"T": 20, "seed": 1} -> "T=20 seed=1"."""
    return " ".join(f"{key}={value}" for key, value in job.items())


def job_key(job):
    """A text that two jobs share only if they ask for the same."""
    return json.dumps(job, sort_keys=True)


def as_json(found):
    """A record as JSON: a run, a confirmation, a source on a line each."""

    def dumps(value):
        return json.dumps(value, allow_nan=False, ensure_ascii=False)

    entries = []
    for key, value in found.items():
        text = dumps(value)
        if value and isinstance(value, list):
            text = "[\n  " + ",\n  ".join(map(dumps, value)) + "\n ]"
        entries.append(f" {dumps(key)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def write(found):
    """Write a record to its place, whole or not at all."""
    kept.write(file(found["study"]), as_json(found))


# --- Where runs were made ---------------------------------------------------


def surroundings():
    """What a result may depend on beside the code."""
    versions = {}
    for library in LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[library] = metadata.version(library)
    return {
        "python": platform.python_version(),
        **versions,
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": processor(),
        "cpus": os.cpu_count(),
    }


def processor():
    """Model of the processor, as far as the system tells."""
    told = Path("/proc/cpuinfo")
    if told.is_file():
        for line in told.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor()


def unlike(found, now):
    """What forbids comparing a record's numbers with some of now -> texts.

    What an older record does not say of itself, its last confirmation may.
    """
    made = {**found["made"], **(found["confirmed"] or [{}])[-1]}
    return [
        f"{key} {made[key]}, here {now.get(key)}"
        for key in (*LIBRARIES, "system", "machine", "processor")
        if key in made and made[key] != now.get(key)
    ]
