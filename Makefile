# The two promises of the README: `make demo` and `make test` work on a machine with Python, pip and make.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-long lint types unit bench clean

demo: .venv/ready
	$(BIN)/levcert demo

test: lint types unit

lint: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: .venv/ready-dev
	$(BIN)/mypy

unit: .venv/ready-dev
	$(BIN)/pytest -n 2

test-long: .venv/ready-dev
	$(BIN)/pytest -n 2 -m long

bench: .venv/ready-dev
	for name in foundation training certifiers; do $(BIN)/python benchmarks/bench_$$name.py || exit 1; done

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis

# constraints.txt pins every version (torch among them); the package's own metadata gives ranges.
.venv/ready: constraints.txt pyproject.toml
	test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[train]'
	touch $@

.venv/ready-dev: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@
