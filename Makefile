# make demo   explore real data that is on this machine and say where the report is
# make test   everything CI checks, in named steps; each can be made alone: format lint types layers suite wheel (LOCKED=yes: with constraints.txt)
# make golden prints which golden outputs moved (UPDATE=yes writes them down; SLOW=yes runs the slow ones too)
# make fuzz   every method against many odd inputs, for a night: more of what `make test` does a little of
# make bench  every benchmark beside its peer, and the table in docs/benchmarks.md (QUICK=yes, ONLY="hmm mcl", REST=yes, AEON=yes)
# make board  the default answer on labelled collections of every kind beside simple rivals (BOARD=folder; ARGS="--once --half choose")
# Each does all its own set-up; a machine with Python 3.11, git and make is enough.

PYTHON := $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile $(if $(LOCKED),--constraint constraints.txt)
CODE := src $(wildcard papers) tests benchmarks examples
# Packages are compiled when they are first used; where the machine forbids Python to keep that, each of the hundreds of processes
# that the tests start would compile all it imports again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test golden board packages format lint types layers suite wheel docs bench fuzz clean

demo: $(VENV)/.base
	@$(BIN)/coterie demo

# What takes seconds comes first, so that it fails first. What can be done at the same time is: the two kinds of packages, then
# the tests beside the types and the wheel. Three workers for two cores, since the tests of servers, browsers and processes wait
# a good part of their time.
test:
	@$(MAKE) --no-print-directory -j 2 $(VENV)/.test packages
	@$(MAKE) --no-print-directory format lint layers
	@$(MAKE) --no-print-directory -j 2 suite types wheel

packages:
	@tools/step packages tools/system-packages

format: $(VENV)/.test
	@tools/step format $(BIN)/ruff format --check --quiet $(CODE)

lint: $(VENV)/.test
	@tools/step lint $(BIN)/ruff check --quiet $(CODE)

types: $(VENV)/.test
	@tools/step types $(BIN)/mypy

layers: $(VENV)/.test
	@tools/step layers $(BIN)/lint-imports
	@tools/step cycles $(BIN)/python tools/graph --check

suite: $(VENV)/.test
	@tools/step tests $(BIN)/python -m pytest -n 3 --dist worksteal -q

wheel: $(VENV)/.test
	@tools/step wheel tools/wheel $(BIN)/python

golden: $(VENV)/.test
	@$(if $(UPDATE),COTERIE_GOLDEN=update) $(if $(SLOW),COTERIE_GOLDEN_SLOW=yes) $(BIN)/python tools/golden $(ONLY)

fuzz: $(VENV)/.test
	COTERIE_FUZZ=nightly $(BIN)/python -m pytest -n 2 --dist worksteal -q tests/fuzz

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@echo "Docs: docs/_build/html/index.html"

bench: $(VENV)/.bench
	@tools/system-packages
	$(BIN)/python benchmarks/run.py $(if $(QUICK),--quick) $(if $(AEON),--aeon) $(if $(REST),--rest) $(if $(ONLY),--only $(ONLY))

board: $(VENV)/.bench
	@test -n "$(BOARD)" || { echo "make board BOARD=folder: say which folder of collections, in the form that benchmarks/quality/board.py describes."; exit 1; }
	$(BIN)/python benchmarks/quality/board.py $(BOARD) $(ARGS)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "coterie needs Python 3.11 or newer."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e .
	@touch $@

$(VENV)/.test: pyproject.toml papers/pyproject.toml | $(VENV)/bin/python
	$(PIP) -e '.[test]' -e papers
	@touch $@ $(VENV)/.base

$(VENV)/.bench: pyproject.toml papers/pyproject.toml | $(VENV)/bin/python
	$(PIP) -e '.[test,bench]' -e papers
	@touch $@ $(VENV)/.test $(VENV)/.base

$(VENV)/.docs: pyproject.toml papers/pyproject.toml | $(VENV)/bin/python
	$(PIP) -e '.[docs]' -e papers
	@touch $@

clean:
	rm -rf $(VENV) docs/_build build dist .pytest_cache .mypy_cache .ruff_cache
