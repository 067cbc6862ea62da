# `make demo` and `make test` set up all they need in .venv; nothing else has to be installed but Python and make.

PYTHON ?= python3
WORKERS ?= auto
VENV := .venv
BIN := $(VENV)/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: help demo test test-all lint types imports docs bench peers ci clean

help:
	@echo "make demo   run the main job on the example checkpoints; leaves the folder demo/ with things to open"
	@echo "make test   run the tests, but those that are slow"
	@echo "make test-all   run all tests, with more and with new examples"
	@echo "make lint types imports docs   the other checks of .ci/run"
	@echo "make bench  print what checkpoint-ld and others take for the same jobs"
	@echo "make peers  test with today's releases of the tools whose files are read and written, and print which are new;"
	@echo "            run other engines of SHACL on the cases of docs/shacl_differences.toml"
	@echo "make ci     everything that .ci/run does"
	@echo "make clean  remove what the other targets made"

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "checkpoint-ld needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"

$(VENV)/.package: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.%-group: pyproject.toml $(VENV)/.package
	$(BIN)/python -m pip install --quiet --group $*
	@touch $@

# All groups at once, for .ci/run: pip looks for what fits together once, not five times.
GROUPS := lint test docs integrations spark
$(VENV)/.groups: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable . $(GROUPS:%=--group %)
	@touch $(VENV)/.package $(GROUPS:%=$(VENV)/.%-group) $@

$(VENV)/.published-shapes: Makefile | $(BIN)/python
	$(BIN)/python -m pip install --quiet --no-warn-conflicts --target $(VENV)/published-shapes roc-validator==0.13.0
	$(BIN)/python -m pip install --quiet --no-deps --target $(VENV)/published-shapes brickschema==0.7.9 cffconvert==2.0.0
	@touch $@

.venv-agents/.done: pyproject.toml
	$(PYTHON) -m venv .venv-agents
	.venv-agents/bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"
	.venv-agents/bin/python -m pip install --quiet --disable-pip-version-check --group agents
	@touch $@

demo: $(VENV)/.package
	sh docs/examples/demo.sh "$(CURDIR)/demo"

test: $(VENV)/.test-group $(VENV)/.docs-group
	python -m pytest --numprocesses $(WORKERS) --dist worksteal -m "not slow"

test-all: $(VENV)/.test-group $(VENV)/.docs-group
	CHECKPOINT_LD_TESTS=all python -m pytest --numprocesses $(WORKERS) --dist worksteal

lint: $(VENV)/.lint-group
	ruff check
	ruff format --check

types: $(VENV)/.lint-group $(VENV)/.test-group $(VENV)/.integrations-group
	mypy

imports: $(VENV)/.lint-group
	lint-imports

docs: $(VENV)/.docs-group
	NO_MKDOCS_2_WARNING=1 mkdocs build --strict

bench: $(VENV)/.test-group
	python benchmarks
	python benchmarks/edits.py
	python benchmarks/stores.py

peers:
	$(PYTHON) .ci/peers
	.venv-peers/peers/bin/python benchmarks/shacl_differences.py --check

ci:
	.ci/run

clean:
	rm -rf $(VENV) .venv-agents .venv-peers demo site dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .checkpoint_ld_cache
