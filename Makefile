# `make datagen` and `make test` work in a fresh clone: whatever is missing is set up first, once.
# Paths are relative throughout, so the checkout may lie in a folder with spaces or accents.
PYTHON  ?= python3
WORKERS ?= 2
ROBOT   ?= franka-panda
BIN     := .venv/bin
PYTEST  := $(BIN)/python -m pytest -n $(WORKERS)

.DEFAULT_GOAL := help
.PHONY: help setup datagen test test-all bench check format clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-9s %s\n", $$1, $$2}' Makefile

setup: .venv/.dev .venv/.models ## virtual environment, system libraries, robot models (each done once)

datagen: .venv/.models ## one randomised episode of each of the 50 tasks: make datagen ROBOT=aloha2 ARGS='--episodes 100'
	$(BIN)/datagen --tasks 50 --randomize all --robot $(ROBOT) $(ARGS)

test: setup ## the tests, without those marked slow or gpu; a selection with ARGS='tests/sim -k seed'
	$(PYTEST) -m 'not slow and not gpu' $(ARGS)

test-all: setup ## every test this machine can run
	$(PYTEST) $(ARGS)

bench: setup .venv/.bench ## benchmarks beside their peers: make bench ONLY=bimanual JSON=bench.json
	$(BIN)/python -m tests.bench $(if $(ONLY),--only '$(ONLY)') $(if $(JSON),--json '$(JSON)')

check: setup ## lint, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

format: setup ## rewrite the code as `make check` wants it
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## removes what set-up, builds and tests made; data/ stays
	rm -rf .venv build dist *.egg-info .pytest_cache .ruff_cache .hypothesis
	find twinloom assets sim datagen policies real tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps. Each step runs again only when what it depends on has changed. Generating data needs only the core
# packages; the tests also need torch, numba and ROS 2, which are large.
.venv/.packages: pyproject.toml constraints.txt .ci/venv
	@PYTHON='$(PYTHON)' .ci/venv
	@touch $@

.venv/.dev: .venv/.packages
	@PYTHON='$(PYTHON)' .ci/venv dev
	@touch $@

.venv/.bench: .venv/.dev
	@PYTHON='$(PYTHON)' .ci/venv dev,bench
	@touch $@

.venv/.opengl: .venv/.packages .ci/opengl
	@.ci/opengl
	@touch $@

.PHONY: .venv/.models
.venv/.models: .venv/.opengl
	@$(BIN)/assets pull $(ROBOT) >/dev/null
