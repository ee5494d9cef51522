"""How studies are run, resumed and confirmed, in a book that is not this."""

import json
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from bookproof.book import environment
from bookproof.run import records
from bookproof.run.confirm import difference, row_of
from bookproof.run.studies import jobs_of

TOY = """
    from pathlib import Path
    import time
    from bookproof.run.records import crossed, select
    FACTOR = 2

    def jobs(done):
        yield from crossed(T=[10, 20], seed=[0, 1, 2])

    def run(T, seed):
        with open("log", "a") as log:
            log.write(f"{T} {seed}\\n")
        return {"twice": FACTOR * T, "share": T / 3 + seed, "word": "a"}
"""
COMMAND = [sys.executable, "-m", "bookproof.run.studies"]


@pytest.fixture
def toy(another):
    """toy(text) -> root of a book with one study, which is called toy."""

    def write(text=TOY):
        return another(
            {
                "mkdocs.yml": "",
                "figures_src/__init__.py": "",
                "figures_src/studies/__init__.py": "",
                "figures_src/studies/toy.py": text,
            }
        )

    return write


def call(root, *arguments):
    """-> lines that `python -m bookproof.run.studies` printed, its error."""
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=root,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    assert bool(done.stderr.strip()) == bool(done.returncode)
    return done.stdout.splitlines(), done.stderr.strip()


def change(root, old, new, name="figures_src/studies/toy.py"):
    path = root / name
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def log(root):
    return sorted((root / "log").read_text().splitlines())


def timeless(root):
    """The record without what no two runs share."""
    record = json.loads(records.file("toy").read_text(encoding="utf-8"))
    for entry in record["runs"]:
        assert entry.pop("seconds") >= 0
    record["made"].pop("seconds")
    return record


# Running


def test_a_study_is_run_and_its_record_read(toy):
    root = toy()
    said, _ = call(root, "toy")
    assert said[0] == "toy: 6 runs, how long is not known yet"
    assert [line.split(":")[0] for line in said[1:-1]] == [
        f"run {n} of 6" for n in range(1, 7)
    ]
    assert all(": toy T=" in line for line in said[1:-1])
    assert said[-1] == "wrote figures_src/studies/toy.json"
    want = [(T, seed) for T in (10, 20) for seed in (0, 1, 2)]
    found = records.runs("toy")
    assert [(run["T"], run["seed"]) for run in found] == want
    assert records.runs("toy", T=20, seed=1)[0]["twice"] == 40
    assert len(records.runs("toy", seed=[0, 2])) == 4
    assert call(root) == (["toy: nothing to run"], "")
    assert len(log(root)) == 6


def test_a_record_has_a_run_a_line_and_says_where_it_comes_from(toy):
    root = toy()
    call(root)
    text = records.file("toy").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if '"job"' in line]
    assert len(lines) == 6
    assert json.loads(lines[1].rstrip(","))["job"] == {"T": 10, "seed": 1}
    record = records.record("toy")
    assert list(record) == [
        *("study", "sources", "sha256", "made", "runs", "confirmed")
    ]
    assert record["sources"] == [
        "figures_src.studies.toy.FACTOR",
        "figures_src.studies.toy.run",
    ]
    assert {"date", "seconds", "python", "numpy", "torch"} <= {*record["made"]}
    assert {"system", "machine", "processor", "cpus"} <= {*record["made"]}
    assert str(root) not in text


def test_what_is_asked_for_and_not_there_gets_a_sentence(toy):
    root = toy()
    with pytest.raises(ValueError, match="^toy.json is missing: run `make s"):
        records.runs("toy")
    call(root)
    with pytest.raises(ValueError, match="^toy.json has no run of T=30$"):
        records.runs("toy", T=30)
    with pytest.raises(ValueError, match="^no study to; there are toy$"):
        records.runs("to")
    assert call(root, "to") == ([], "no study to; there are toy")
    assert call(root, "confirm", "to") == ([], "no study to; there are toy")


TUNED = """
    from bookproof.run.records import crossed, select

    def jobs(done):
        yield from crossed(rate=[0.1, 0.2, 0.3], seed=[9])
        tries = select(done, seed=9)
        if len(tries) == 3:
            best = max(tries, key=lambda run: run["right"])
            yield from crossed(rate=best["rate"], seed=[0, 1])

    def run(rate, seed):
        return {"right": rate * (0.35 - rate)}
"""


def test_what_is_done_chooses_what_comes_next(toy):
    said, _ = call(toy(TUNED))
    assert said[0].startswith("toy: 3 runs")
    assert said[4].startswith("toy: 2 runs")
    assert said[5].startswith("run 4 of 5: toy rate=0.2 seed=")
    assert [run["rate"] for run in records.runs("toy", seed=[0, 1])] == [
        0.2
    ] * 2


def test_which_run_ends_first_does_not_matter(toy):
    slow = "time.sleep(0.4 * (seed == {}))\n        with open"
    root = toy(TOY.replace("with open", slow.format(0)))
    call(root)
    first = timeless(root)
    records.file("toy").unlink()
    change(root, "(seed == 0)", "(seed == 2)")
    call(root)
    second = timeless(root)
    assert first["runs"] == second["runs"]
    assert first["sha256"] != second["sha256"]


def test_jobs_see_what_is_done_in_one_order():
    study = SimpleNamespace(jobs=lambda done: done[:1])
    some = [
        {"job": {"seed": seed}, "result": {}, "seconds": 1} for seed in (3, 4)
    ]
    assert jobs_of(study, some) == jobs_of(study, some[::-1])


def test_a_further_seed_is_all_that_is_run(toy):
    root = toy()
    call(root)
    change(root, "seed=[0, 1, 2]", "seed=[0, 1, 2, 3]")
    said, _ = call(root)
    assert said[0].startswith("toy: 2 runs, about a minute")
    assert said[1].startswith("run 7 of 8: ")
    assert log(root) == [f"{T} {s}" for T in (10, 20) for s in range(4)]
    assert [run["seed"] for run in records.runs("toy", T=10)] == [0, 1, 2, 3]


STOPPING = """
    import time
    from pathlib import Path
    from bookproof.run.records import crossed

    def jobs(done):
        return crossed(seed=[0, 1, 2, 3])

    def run(seed):
        while seed > 1 and not Path("go").exists():
            time.sleep(0.05)
        with open("log", "a") as log:
            log.write(f"{seed}\\n")
        return {"square": seed**2}
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_after_an_interruption_only_the_rest_is_run(toy, how):
    root = toy(STOPPING)
    with subprocess.Popen(
        COMMAND,
        cwd=root,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    ) as stopped:
        told = [stopped.stdout.readline() for _ in range(3)]
        assert told[2].startswith("run 2 of 4: ")
        if how is signal.SIGINT:
            os.killpg(stopped.pid, how)
        else:
            stopped.kill()
        _, error = stopped.communicate(timeout=30)
    if how is signal.SIGINT:
        said = error.splitlines()[-1]  # one that was starting up may speak
        assert said.startswith("stopped")
        assert said.endswith("runs that have ended are kept for the next time")
    assert not records.file("toy").exists()
    (root / "go").touch()
    time.sleep(0.5)  # a process that outlived its parent would write now
    assert log(root) == ["0", "1"]
    said, _ = call(root)
    assert said[0].startswith("toy: 2 runs")
    assert log(root) == ["0", "1", "2", "3"]
    assert [run["square"] for run in records.runs("toy")] == [0, 1, 4, 9]


def test_a_draft_is_forgotten_when_its_record_is_written(toy):
    root = toy()
    call(root)
    records.file("toy").unlink()
    call(root)
    assert len(log(root)) == 12


SICK = {  # what stands in run(), what is said of it
    "fails": ("1 / 0", "ZeroDivisionError: division by zero"),
    "nan": ('return {"x": float("nan")}', "ValueError: Out of range float"),
    "set": ('return {"x": {1}}', "TypeError: Object of type set is not JSON"),
    "twice": ('return {"seed": 1}', "the job's names: seed"),
}


@pytest.mark.parametrize("name", SICK)
def test_a_run_that_fails_is_named_in_one_sentence(toy, name):
    body, want = SICK[name]
    root = toy(
        "def jobs(done):\n    yield {'seed': 7}\n"
        f"def run(seed):\n    {body}\n"
    )
    said, error = call(root)
    assert len(error.splitlines()) == 1
    assert error.startswith("toy seed=7: ") and want in error
    assert not records.file("toy").exists()


def test_code_that_changes_during_a_run_leaves_a_stale_record(toy):
    body = TOY.replace(
        "with open",
        'me = Path("figures_src/studies/toy.py")\n'
        '        me.write_text(me.read_text().replace("= 2", "= 3"))\n'
        "        with open",
    )
    call(toy(body))
    with pytest.raises(ValueError, match="comes from other code"):
        records.record("toy")


def test_a_changed_study_is_run_again_and_a_comment_changes_nothing(toy):
    root = toy()
    call(root)
    change(root, "FACTOR = 2", "FACTOR = 2  # twofold")
    assert call(root) == (["toy: nothing to run"], "")
    change(root, "FACTOR = 2 ", "FACTOR = 3 ")
    with pytest.raises(ValueError, match="comes from other code"):
        records.runs("toy")
    said, _ = call(root)
    assert said[0].startswith("toy: 6 runs, about a minute")
    assert records.runs("toy", T=10, seed=0)[0]["twice"] == 30


# Confirming


def test_a_record_whose_repeated_runs_agree_is_stamped_anew(toy):
    root = toy()
    call(root)
    before = timeless(root)
    change(root, "FACTOR * T", "T * FACTOR")
    said, _ = call(root, "confirm", "toy")
    assert said[0] == "toy: 2 runs, about a minute"
    assert said[-1] == "toy: confirmed"
    assert log(root)[:2] == ["10 0", "10 0"] and len(log(root)) == 8
    after = timeless(root)
    assert after["sha256"] == records.stamp("toy")[1] != before["sha256"]
    assert after["runs"] == before["runs"]
    assert after["made"] == before["made"]
    (entry,) = after["confirmed"]
    assert entry["jobs"] == [{"T": 10, "seed": 0}, {"T": 20, "seed": 0}]
    assert entry["date"] and set(entry) == {
        *("date", "revision", "processor", "jobs")
    }
    assert records.runs("toy")


@pytest.mark.parametrize(
    "old, new, want",
    [
        ("FACTOR * T", "FACTOR * T + (T > 10)", "twice: 40, now 41"),
        ("T / 3", "T / 3.0001", "share: 3.3"),
        ('"word": "a"', '"word": "b"', "word: 'a', now 'b'"),
        ('"word": "a"', '"words": "a"', "twice, share, word, now twice, sha"),
    ],
)
def test_a_run_that_differs_is_named_and_the_record_stays_stale(
    toy, old, new, want
):
    root = toy()
    call(root)
    before = timeless(root)
    change(root, old, new)
    _, error = call(root, "confirm", "toy")
    assert len(error.splitlines()) == 1
    assert error.startswith("toy T=") and f" is different: {want}" in error
    assert error.endswith("all of it must run again: make studies NAME=toy")
    assert timeless(root) == before


def test_tolerance_and_times_are_those_of_the_study(toy):
    root = toy()
    call(root)
    change(root, "T / 3", "T / 3.0001")
    change(root, 'word": "a"', 'word": "b"')
    change(root, "FACTOR = 2", 'TOLERANCE, TIMES = 1e-3, ["word"]\nFACTOR = 2')
    said, _ = call(root, "confirm", "toy")
    assert said[-1] == "toy: confirmed"


@pytest.mark.parametrize("fact", ["torch", "numpy", "machine", "processor"])
def test_elsewhere_a_record_is_not_comparable(toy, fact):
    root = toy()
    call(root)
    record = records.read("toy")
    there = record["made"][fact]
    record["made"][fact] = "another"
    records.write(record)
    _, error = call(root, "confirm", "toy")
    assert error == (
        f"toy is not comparable: made with {fact} another, here {there}"
    )
    assert len(log(root)) == 6
    assert records.runs("toy")  # what it says, it says there too


def test_runs_of_two_machines_are_not_mixed(toy):
    root = toy()
    call(root)
    record = records.read("toy")
    record["made"]["processor"] = "another"
    records.write(record)
    change(root, "seed=[0, 1, 2]", "seed=[0, 1, 2, 3]")
    said, _ = call(root)
    assert said[0].startswith("toy: 8 runs")


def test_a_row_is_what_shares_a_row_or_all_but_the_seed():
    assert row_of({"T": 1, "seed": 0}) == row_of({"seed": 5, "T": 1})
    assert row_of({"T": 1, "seed": 0}) != row_of({"T": 2, "seed": 0})
    assert row_of({"row": "a", "T": 1}) == row_of({"row": "a", "T": 2})
    assert row_of({"row": "a", "T": 1}) != row_of({"row": "b", "T": 1})


@pytest.mark.parametrize(
    "was, now, want",
    [
        (1.0, 1.0 + 1e-9, ""),
        (1.0, 1.00001, "1.0, now 1.00001"),
        (4.79e-10, 4.78e-10, "4.79e-10, now 4.78e-10"),
        (1, 1.0, "1, now 1.0"),
        (True, 1, "True, now 1"),
        (None, 3, "None, now 3"),
        ([1, 2], [1, 2, 3], "2 entries, now 3"),
        ({"a": [0.5, {"b": "x"}]}, {"a": [0.5, {"b": "y"}]}, "a: 1: b: 'x'"),
        ({"a": [0.5, {"b": "x"}]}, {"a": [0.5, {"b": "x"}]}, ""),
    ],
)
def test_only_numbers_with_a_point_may_differ_a_little(was, now, want):
    assert difference(was, now, 1e-6).startswith(want)
    assert bool(difference(was, now, 1e-6)) == bool(want)
