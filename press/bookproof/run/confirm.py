"""Confirm a stale record: one run of each row repeated, and compared.

A row are the jobs with one "row", or those that differ in their seed alone.
Counts and texts have to be equal; numbers with a point may differ by the
study's TOLERANCE, relative; what its TIMES names is only measured anew. If
all agree, the record is stamped anew and says which runs were repeated, when
and at which revision; if not, all of it has to run again. With another
processor or PyTorch nothing is compared.
"""

import datetime
import math
import subprocess

from bookproof.book import here
from bookproof.run import records, studies
from bookproof.run.records import job_key, spelt

TOLERANCE = 1e-6  # of a study that names no other


def confirm(name, say=print):
    """Repeat one run of each row; stamp the record anew if all agree.

    Raises ValueError if one differs, or if this is another machine.
    """
    study, found = studies.load(name), records.read(name)
    sources, sha256 = records.stamp(name)
    now = records.surroundings()
    if other := records.unlike(found, now):
        raise ValueError(
            f"{name} is not comparable: made with {', '.join(other)}"
        )
    tolerance = getattr(study, "TOLERANCE", TOLERANCE)
    first = {}
    for entry in found["runs"]:
        first.setdefault(row_of(entry["job"]), entry)
    before = {job_key(e["job"]): e["result"] for e in first.values()}
    jobs = [entry["job"] for entry in first.values()]
    say(f"{name}: {len(jobs)} runs, {studies.duration(name, len(jobs))}")
    for n, entry in enumerate(studies.side_by_side(name, jobs), 1):
        pair = before[job_key(entry["job"])], entry["result"]
        pair = [without_times(study, result) for result in pair]
        if said := difference(*pair, tolerance):
            raise ValueError(
                f"{name} {spelt(entry['job'])} is different: {said}; all of "
                f"it must run again: make studies NAME={name}"
            )
        say(studies.report(n, len(jobs), name, entry))
    found |= {"sources": sources, "sha256": sha256}
    found["confirmed"].append(
        {
            "date": datetime.date.today().isoformat(),
            "revision": revision(),
            "processor": now["processor"],
            "jobs": jobs,
        }
    )
    records.write(found)
    say(f"{name}: confirmed")


def row_of(job):
    """A text that the jobs of one row share."""
    if "row" in job:
        return job_key(job["row"])
    return job_key({key: job[key] for key in job if key != "seed"})


def without_times(study, result):
    """A result without the numbers that are never the same twice."""
    times = getattr(study, "TIMES", ())
    return {key: value for key, value in result.items() if key not in times}


def difference(was, now, tolerance):
    """Where two results differ first -> "losses: 3: 0.25, now 0.26", or ""."""
    if type(was) is not type(now):
        return f"{was!r}, now {now!r}"
    pairs = []
    if isinstance(was, dict):
        if was.keys() != now.keys():
            return f"{', '.join(was)}, now {', '.join(now)}"
        pairs = [(key, was[key], now[key]) for key in was]
    elif isinstance(was, list):
        if len(was) != len(now):
            return f"{len(was)} entries, now {len(now)}"
        pairs = [(n, was[n], now[n]) for n in range(len(was))]
    elif isinstance(was, float):
        alike = math.isclose(was, now, rel_tol=tolerance)
        return "" if alike else f"{was}, now {now}"
    elif was != now:
        return f"{was!r}, now {now!r}"
    for place, one, other in pairs:
        if said := difference(one, other, tolerance):
            return f"{place}: {said}"
    return ""


def revision():
    """Commit of the code in hand, "+" if it has changed since, "" if none."""
    try:
        commit = git("rev-parse", "--short", "HEAD")
        return commit + "+" * bool(git("status", "--porcelain", "--", "*.py"))
    except (OSError, subprocess.CalledProcessError):
        return ""


def git(*command):
    return subprocess.run(
        ["git", *command],
        cwd=here().root,
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout.strip()
