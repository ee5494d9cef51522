"""Every record in the repository, whatever its study is about."""

import inspect

import pytest

from bookproof.book import here
from bookproof.run import records, studies

NAMES = records.names()


@pytest.mark.parametrize("name", NAMES)
def test_a_record_is_fresh_and_has_every_run_of_its_study(name):
    record = records.record(name)
    named = studies.jobs_of(studies.load(name), record["runs"]).values()
    assert [entry["job"] for entry in record["runs"]] == [*named]


@pytest.mark.parametrize("name", NAMES)
def test_a_job_is_what_run_asks_for(name):
    asked = inspect.signature(studies.load(name).run).parameters
    for entry in records.read(name)["runs"]:
        assert entry["job"].keys() == asked.keys()


@pytest.mark.parametrize("name", NAMES)
def test_a_record_says_where_it_came_from_and_no_more(name):
    record = records.read(name)
    assert set(record) == {
        *("study", "sources", "sha256", "made", "runs", "confirmed")
    }
    assert record["study"] == name
    made = {"date", "seconds", "python", "numpy", "torch", "system", "machine"}
    assert (
        made | {"cpus"}
        <= set(record["made"])
        <= made
        | {
            "cpus",
            "processor",
        }
    )
    text = records.file(name).read_text(encoding="utf-8")
    assert text == records.as_json(record)
    assert str(here().root) not in text


def test_every_record_has_its_study():
    found = {path.stem for path in records.folder().glob("*.json")}
    assert found == set(NAMES)
