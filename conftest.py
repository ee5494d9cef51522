"""Every page's examples and numbers as tests, and who runs which file."""

import pytest
from sybil import Sybil

from bookproof.run.collect import checked_numbers, examples

pytest_collect_file = Sybil(
    parsers=[examples, checked_numbers],
    patterns=["docs/**/*.md", "docs/*/experiments/*.py", "README.md"],
).pytest()

# Tests that share little and take long. Workers take them one by one.
APART = (
    "tests/site/test_site_pages.py",
    "tests/labs/test_every_lab.py",
    "tests/figures/test_figures.py::test_a_figure_is_drawn_the_same_twice",
)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Each worker takes whole files, whose tests share what they set up.

    The files with most tests come first, what is taken apart comes last, so
    that all workers end together.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Files(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            apart = nodeid.startswith(APART)
            return nodeid if apart else nodeid.partition("::")[0]

    return Files(config, log)


def pytest_terminal_summary(terminalreporter):
    """Where the time went: seconds of each group of tests, summed up."""
    took = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "duration"):
                file = report.nodeid.partition("::")[0]
                group = "/".join(file.split("/")[:2])
                if group.startswith("tests/test_"):
                    group = "library"
                took[group] = took.get(group, 0) + report.duration
    ranked = sorted(took.items(), key=lambda item: -item[1])
    terminalreporter.write_line(
        "where the time went: "
        + ", ".join(f"{group} {s:.0f} s" for group, s in ranked if s >= 1)
    )
