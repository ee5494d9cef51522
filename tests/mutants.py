"""Mutants of one module against its own tests: make mutants MODULE=gru.

What is the same for every module stands in pyproject.toml. At the end comes
the difference of each mutant that the tests did not notice.
"""

import shutil
import sys

from mutmut.__main__ import cli, collect_source_file_mutation_data
from mutmut.configuration import config

if len(sys.argv) != 2:
    sys.exit("which module? make mutants MODULE=gru")
name = sys.argv[1]
shutil.rmtree("mutants", ignore_errors=True)  # those of another module
config().only_mutate = [f"seqbook/{name}.py"]
config().pytest_add_cli_args_test_selection = [f"tests/test_{name}.py"]
cli(["run"], standalone_mode=False)
for _, mutant, code in collect_source_file_mutation_data(mutant_names=())[0]:
    if code == 0:  # pytest's: all passed
        cli(["show", mutant], standalone_mode=False)
