from sybil import Sybil

from bookproof.run.collect import checked_numbers, examples

pytest_collect_file = Sybil(
    parsers=[examples, checked_numbers],
    patterns=["docs/**/*.md", "README.md"],
).pytest()
