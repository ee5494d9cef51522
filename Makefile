# `make help` lists what there is; each target sets up all that it needs.

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

.PHONY: help site serve test check lint format figure studies bench mutants lock clean

help: ## this list
	@$(PYTHON) -c "import re; [print(f'make {a:9s}{b}') for a, b in re.findall(r'(?m)^(\w+):.*## (.*)', open('Makefile').read())]"

site: $(READY) ## build the book into site/
	$(BIN)/python -m bookproof.site build

serve: $(READY) ## show the book while you write; BOOK=zh, PORT=8001
	$(BIN)/python -m bookproof.site serve $(BOOK)

test: $(READY) ## check everything
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python -m bookproof.run.biome
	$(BIN)/python -m bookproof.site.browser
	$(BIN)/python -m bookproof.site build
	$(BIN)/python -m pytest -n 2

check: $(READY) ## check one chapter, PAGE=gru; BROWSER=no for seconds
	$(BIN)/python -m tests.check "$(PAGE)" $(BROWSER)

lint: $(READY) ## what is wrong with the sources, file and line
	$(BIN)/python -m bookproof.lint

format: $(READY) ## lay out Python and JavaScript
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python -m bookproof.run.biome --write

figure: $(READY) ## draw one figure, NAME=gru_cell
	$(BIN)/python -m bookproof.run.figures $(NAME)

studies: $(READY) ## run long experiments whose code has changed; NAME=recall
	$(BIN)/python -m bookproof.run.studies $(NAME)

bench: $(READY) ## where the time goes, and what is over its bound
	$(BIN)/python -m tests.benchmarks

mutants: $(READY) ## changes that the tests of a module miss, MODULE=gru
	$(PIP) install --quiet --editable ".[mutation]"
	$(BIN)/python tests/mutants.py $(MODULE)

lock: $(READY) ## renew requirements.lock from both pyproject.toml
	$(PIP) install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --extra docs --extra test --extra site pyproject.toml press/pyproject.toml -o requirements.lock

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

clean: ## forget everything that was made
	$(PYTHON) -c "import shutil; [shutil.rmtree(d, True) for d in ('.cache', 'site', 'mutants')]"
