"""Run all that is new or stale: experiments and pages, side by side."""

import contextlib
import os
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial

from bookproof.read import pages
from bookproof.run import execution, notebooks, proofs


def run(say=print):
    """Bring every run up to date and hold the book against it.

    Raises FailedCell, or FalsePage with a line for each fault.
    """
    waiting = [
        (f"experiment {path.stem}", partial(notebooks.run_apart, path))
        for path in notebooks.stale()
    ] + [
        (f"page {path.name}", partial(proofs.outcomes, pages.read(path)))
        for path in proofs.stale(proofs.markdown_pages())
    ]
    # Each job is a process of its own, for which a thread waits.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(timed, job): name for name, job in waiting}
        for n, job in enumerate(as_completed(jobs), 1):
            seconds = job.result()
            say(f"{n} of {len(jobs)}: {jobs[job]} ({seconds:.1f} s)")
    proofs.prove_all(proofs.markdown_pages())
    notebooks.write_all()


def timed(job):
    """Do a job -> the seconds it took."""
    started = time.perf_counter()
    with contextlib.suppress(execution.Crashed):  # its page will say so
        job()
    return time.perf_counter() - started
