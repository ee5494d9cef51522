# make site, make serve, make test: each sets up all that it needs.
# make mutants MODULE=gru: changes that the tests of a module do not notice.

PYTHON ?= python3
BOOK ?= en
TORCH ?= torch==2.13.0

ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
else
BIN := .venv/bin
endif
READY := .venv/ready

export OMP_NUM_THREADS = 1
export PYTHONUTF8 = 1

.PHONY: site serve test studies bench mutants clean

site: $(READY)
	$(BIN)/python -m bookproof.site build

serve: $(READY)
	$(BIN)/python -m bookproof.site serve $(BOOK)

test: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python -m bookproof.run.biome
	$(BIN)/python -m bookproof.site.browser
	$(BIN)/python -m bookproof.site build
	$(BIN)/python -m pytest -n 2 --dist loadfile

studies: $(READY)
	$(BIN)/python -m bookproof.run.studies

bench: $(READY)
	$(BIN)/python -m tests.benchmarks

mutants: $(READY)
	$(BIN)/python -m pip install --quiet --editable ".[mutation]"
	$(BIN)/python tests/mutants.py $(MODULE)

$(READY): requirements.lock pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'seqbook needs Python 3.11 or newer, this is ' + sys.version.split()[0])"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet "$(TORCH)"
	$(BIN)/python -m pip install --quiet --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --editable . --editable press
	$(BIN)/python -c "open('$(READY)', 'w').close()"

clean:
	$(PYTHON) -c "import shutil; [shutil.rmtree(d, True) for d in ('.cache', 'site', 'mutants')]"
