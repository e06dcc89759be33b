# Each target sets up what it needs by itself: a virtual environment in .venv, installed once, and again when
# pyproject.toml changes. Needed beforehand: Python 3.11 or later, and make.
PYTHON ?= python3

BIN := .venv/bin
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
# Another PYTHON has another stamp, so that it gets an environment of its own, in the place of the one before.
MADE := .venv/$(subst /,-,$(PYTHON)).stamp

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two installations into one environment must not run side by side.
.NOTPARALLEL:
.PHONY: help demo examples test pytest quick lint format hooks bench clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

demo: .venv/examples.stamp ## train the digits network, print its gradient's source, save digits.png
	@$(BIN)/python examples/digits.py

examples: .venv/examples.stamp ## run every example
	@for example in examples/*.py; do echo "== $$example"; $(BIN)/python $$example || exit 1; done

test: lint pytest ## lint, then all tests on all cores

pytest: .venv/dev.stamp ## the tests alone; narrower: make pytest TESTS='tests/test_layers.py -k order'
	@$(BIN)/python -m pytest -n auto $(TESTS)

quick: .venv/dev.stamp ## 180 tests, drawn at random from all; machine code is kept for the next time
	@PULLBACK_CACHE_DIR=$(CURDIR)/.venv/machine-code $(BIN)/python -m pytest -n auto --quiet --most 180

lint: .venv/dev.stamp ## ruff check, ruff format --check, mypy
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet --diff
	@$(BIN)/mypy

format: .venv/dev.stamp ## mend what ruff can mend, and format
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

hooks: .venv/dev.stamp ## run ruff and mypy before each commit
	@$(BIN)/pre-commit install

bench: .venv/bench.stamp ## time our gradients beside hand-written adjoints; narrower: make bench BENCH='--only wave'
	@$(BIN)/python benchmarks/run.py $(BENCH)

clean: ## remove the environment and what the tools left behind
	rm -rf .venv build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis digits.png
	find src tests examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(MADE):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "pullback needs Python 3.11 or later: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv --clear .venv || { \
	  rm -rf .venv; echo "$(PYTHON) cannot make environments; on Debian, install python3-venv first" >&2; exit 1; }
	@touch $@

# The modules are translated to bytecode, as pip does with those that it copies.
define install
@echo "Installing pullback and $(1) into .venv (about a minute)"
@$(PIP) install --editable '.[$(2)]'
@$(BIN)/python -m compileall -q src
@touch $@
endef

.venv/examples.stamp: pyproject.toml $(MADE)
	$(call install,what the examples need,examples)

.venv/dev.stamp: pyproject.toml $(MADE)
	$(call install,its development tools,dev)

.venv/bench.stamp: pyproject.toml $(MADE)
	$(call install,what the benchmarks need,bench)
