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
PIP := $(BIN)/python -m pip
READY := .venv/ready

# What pip installs on Linux by default brings CUDA, which nothing here uses.
# PyTorch's own index, asked once, has builds without; what TORCH says wins.
ifeq ($(if $(OS),,$(shell uname)),Linux)
CPU := --index-url https://download.pytorch.org/whl/cpu --retries 0 --timeout 10
endif

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
	$(BIN)/python -m bookproof.site.browser
	$(BIN)/python -m bookproof.site build
	$(BIN)/python -m pytest -n 2 --dist loadfile

studies: $(READY)
	$(BIN)/python -m bookproof.run.studies

bench: $(READY)
	$(BIN)/python -m tests.benchmarks

mutants: $(READY)
	$(PIP) install --quiet --editable ".[mutation]"
	$(BIN)/python tests/mutants.py $(MODULE)

$(READY): requirements.lock pyproject.toml press/pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'seqbook needs Python 3.11 or newer, this is ' + sys.version.split()[0])"
	@echo Set-up, once. First an environment of its own, in .venv.
	$(PYTHON) -m venv .venv
ifdef CPU
	@echo PyTorch without CUDA, about 200 MB, if its own index answers.
	$(PIP) install $(CPU) $(TORCH) || { \
		echo It did not, so the default PyTorch, with CUDA several GB. && \
		$(PIP) install $(TORCH); }
else
	@echo PyTorch, up to 200 MB.
	$(PIP) install $(TORCH)
endif
	@echo All other packages, about 140, which takes a few minutes.
	$(PIP) install --quiet --require-hashes --no-deps -r requirements.lock
	@echo The book and its press, from this folder.
	$(PIP) install --quiet --no-deps --editable . --editable press
	$(BIN)/python -c "open('$(READY)', 'w').close()"

clean:
	$(PYTHON) -c "import shutil; [shutil.rmtree(d, True) for d in ('.cache', 'site', 'mutants')]"
