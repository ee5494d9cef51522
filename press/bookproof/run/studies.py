"""Run long experiments, and confirm records that have become stale.

    python -m bookproof.run.studies                  # all that is to do
    python -m bookproof.run.studies recall           # of one study
    python -m bookproof.run.studies confirm recall   # one run of each row

A study is a module of figures_src/studies/ with

    def jobs(done): ...    # yields {"cell": "LSTM", "T": 20, "seed": 0}, ...
    def run(cell, T, seed): ...    # -> a dict of plain JSON

A job says all that its run depends on. jobs() is asked again when all that
it named is done, with the runs so far (see records.select), so that it may
choose by them what comes next. Loops, threads, times and files are the
press's: runs go side by side, in processes of one thread, each is kept at
once, and after an interruption the rest of them is run. What is complete
becomes the record, <name>.json beside the study (see records.py).
"""

import datetime
import importlib
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait

from bookproof import kept
from bookproof.book import environment, here
from bookproof.run import records
from bookproof.run.records import flat, job_key, spelt

KIND = "studies"  # in the cache: runs of which a record is not complete yet
KEPT = "runs that have ended are kept for the next time"


def load(name):
    """The module of a study."""
    return importlib.import_module(records.module(name))


def jobs_of(study, entries):
    """What jobs() of a study names when some runs are done -> {key: job}.

    It sees them in one order, whichever of them was the first to end.
    """
    done = sorted(entries, key=lambda entry: job_key(entry["job"]))
    return {job_key(job): job for job in study.jobs(flat(done))}


def is_done(name):
    """True if a record is fresh and has every run that its study names."""
    if not records.file(name).is_file():
        return False
    found = records.read(name)
    has = [job_key(entry["job"]) for entry in found["runs"]]
    return records.is_fresh(found) and has == [
        *jobs_of(load(name), found["runs"])
    ]


def complete(name, say=print):
    """Run what a study's record lacks, and write the record.

    The digest is that of the code that is about to run: if a file changes in
    the meantime, the record is stale from the start. Raises RuntimeError if
    a run fails.
    """
    study, (sources, sha256) = load(name), records.stamp(name)
    made = records.surroundings()
    old, new = usable(name, made), Draft(name, sha256, made)
    done = {job_key(entry["job"]): entry for entry in old + new.entries}
    while True:
        named = jobs_of(study, done.values())
        lacking = [job for key, job in named.items() if key not in done]
        if not lacking:
            break
        say(f"{name}: {len(lacking)} runs, {duration(name, len(lacking))}")
        for n, entry in enumerate(side_by_side(name, lacking), len(done) + 1):
            new.keep(entry)
            say(report(n, len(named), name, entry))
        done |= {job_key(entry["job"]): entry for entry in new.entries}
    spent = records.read(name)["made"]["seconds"] if old else 0
    spent += sum(entry["seconds"] for entry in new.entries)
    today = datetime.date.today().isoformat()
    record = {
        "study": name,
        "sources": sources,
        "sha256": sha256,
        "made": {"date": today, "seconds": round(spent, 1), **made},
        "runs": [done[key] for key in named],
        "confirmed": records.read(name)["confirmed"] if old else [],
    }
    records.write(record)
    new.forget()
    say(f"wrote {here().name(records.file(name))}")


def usable(name, made):
    """The runs of a record that others may be added to, those of today."""
    if not records.file(name).is_file():
        return []
    found = records.read(name)
    alike = not records.unlike(found, made) and records.is_fresh(found)
    return found["runs"] if alike else []


class Draft:
    """Runs of one code, on one machine, whose record is not complete yet."""

    def __init__(self, name, sha256, made):
        self.key = f"{name}-{kept.digest(sha256, job_key(made))}.json"
        self.entries = json.loads(kept.get(KIND, self.key) or "[]")

    def keep(self, entry):
        self.entries.append(entry)
        kept.put(KIND, self.key, json.dumps(self.entries))

    def forget(self):
        kept.file(KIND, self.key).unlink(missing_ok=True)


# --- Runs, side by side -----------------------------------------------------


def side_by_side(name, jobs):
    """Run jobs of a study -> yields an entry of a record as each ends.

    Raises RuntimeError if one fails: one sentence with its study and job.
    """
    os.environ |= environment()  # one thread a process
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes(), spawn, end_with_parent) as pool:
        running = {pool.submit(one_run, name, job): job for job in jobs}
        try:
            for future in as_completed(running):
                try:
                    yield future.result()
                except BrokenProcessPool as error:
                    why = "stopped, for a process was ended from outside"
                    raise RuntimeError(f"{why}; {KEPT}") from error
                except Exception as error:
                    said = f"{name} {spelt(running[future])}: {error}"
                    raise RuntimeError(said) from error
        finally:
            pool.shutdown(cancel_futures=True)


def processes():
    """How many runs go side by side: a processor each."""
    if hasattr(os, "sched_getaffinity"):  # what `taskset` leaves of them
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def end_with_parent():
    """End this process with the one that started it, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    gone = multiprocessing.parent_process().sentinel

    def watch():
        wait([gone])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def one_run(name, job):
    """Do one job -> {"job", "result", "seconds"}, an entry of a record.

    Raises ValueError if it fails, or its result is not plain JSON.
    """
    run = load(name).run
    started = time.process_time()
    try:
        result = json.loads(json.dumps(run(**job), allow_nan=False))
    except Exception as error:
        raise ValueError(f"{type(error).__name__}: {error}") from error
    seconds = round(time.process_time() - started, 2)
    if twice := sorted({*job, "seconds"} & result.keys()):
        raise ValueError(f"a result has the job's names: {', '.join(twice)}")
    return {"job": job, "result": result, "seconds": seconds}


def report(n, of, name, entry):
    """ "run 12 of 90: recall T=20 seed=1 (31 s)"."""
    job, seconds = spelt(entry["job"]), entry["seconds"]
    return f"run {n} of {of}: {name} {job} ({seconds:.0f} s)"


def duration(name, n):
    """How long n runs will take, from the record of earlier ones."""
    if not records.file(name).is_file():
        return "how long is not known yet"
    found = records.read(name)
    each = found["made"]["seconds"] / len(found["runs"])
    minutes = n * each / min(n, processes()) / 60
    return f"about {minutes:.0f} min" if minutes > 1 else "about a minute"


# --- The command ------------------------------------------------------------


def main(arguments):
    """-> None, or what went wrong."""
    from bookproof.run.confirm import confirm

    do = complete
    if arguments[:1] == ["confirm"]:
        do, arguments = confirm, arguments[1:]
    try:
        for name in arguments:
            records.check_name(name)
        for name in arguments or records.names():
            if do is complete and is_done(name):
                say(f"{name}: nothing to run")
            else:
                do(name, say)
    except (RuntimeError, ValueError) as error:
        return str(error)
    except KeyboardInterrupt:
        return f"stopped; {KEPT}"


def say(line):
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
