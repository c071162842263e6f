# The two promises of the README: `make demo` and `make test` work on a machine with Python, pip and make.
PYTHON ?= python3
BIN := .venv/bin
TOOLS := .venv-tools/bin

.PHONY: demo test docs test-long lint types unit bench bench-idle pages locks sbom dist clean

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

# The site, as the tests build it: offline, warnings are errors.  Open site/index.html, or serve the folder to search in it.
docs: .venv/ready-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"

test-long: .venv/ready-dev
	$(BIN)/pytest -n 2 -m long

# After new rows: the results page, and the tables inside all other pages.
pages: .venv/ready-dev
	$(BIN)/levcert benchmark render --remarks $$(grep -lE '^<!-- table [a-z]' README.md docs/*.md | sed 's/^/--into /')

bench: .venv/ready-dev
	$(BIN)/python -m benchmarks --json results/speeds.json
	$(MAKE) pages

# Scenarios whose times need an idle machine: long runs, a server under load, long and hostile texts.  VOTES and CONV are models.
CONV ?= results/models/sst2-0c016c4d1ae9.safetensors
bench-idle: .venv/ready-dev
	$(BIN)/python benchmarks/bench_runs.py $(CONV)
	$(BIN)/python benchmarks/bench_web.py $(or $(VOTES),$(CONV)) "$(LEVCERT_DATA)" --load
	$(BIN)/python benchmarks/bench_long_texts.py $(VOTES) $(CONV)

clean:
	rm -rf site dist .venv .venv-tools .mypy_cache .pytest_cache .ruff_cache .hypothesis

# Every file that pip installs has a hash in requirements/*.txt, the build backend's among them: it runs from the same
# environment, not from one that pip fills by itself.  torch alone is pinned by its version in constraints.txt, because
# its CPU build, which is elsewhere, has other hashes than the index's.
INSTALL := install --quiet --disable-pip-version-check
LOCKED := $(INSTALL) --no-deps --require-hashes

.venv/ready: requirements/core.txt pyproject.toml
	test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/pip $(LOCKED) -r requirements/core.txt
	$(BIN)/pip $(INSTALL) --no-deps --no-build-isolation -e .
	touch $@

.venv/ready-dev: .venv/ready requirements/dev.txt constraints.txt
	$(BIN)/pip $(LOCKED) -r requirements/dev.txt
	$(BIN)/pip $(INSTALL) -c constraints.txt torch
	$(BIN)/pip check --disable-pip-version-check
	touch $@

# After a change of constraints.txt or of the dependencies in pyproject.toml.  Versions come from constraints.txt.
COMPILE := CUSTOM_COMPILE_COMMAND='make locks' $(TOOLS)/pip-compile --quiet --generate-hashes --no-config --strip-extras \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --annotation-style line --unsafe-package torch \
	-c constraints.txt

locks: .venv-tools/ready
	$(COMPILE) --build-deps-for editable -o requirements/core.txt pyproject.toml
	$(COMPILE) --build-deps-for editable --extra dev -o requirements/dev.txt pyproject.toml
	$(COMPILE) -o requirements/tools.txt requirements/tools.in

# What goes to a package index: built from the sources, metadata checked.
dist: .venv-tools/ready
	rm -f dist/*.whl dist/*.tar.gz
	$(TOOLS)/python -m build --outdir dist
	$(TOOLS)/twine check --strict dist/*.whl dist/*.tar.gz

# The bill of materials (CycloneDX) of what `make demo` and what `make test` install.
sbom: .venv-tools/ready
	mkdir -p dist
	$(TOOLS)/cyclonedx-py requirements --output-reproducible --pyproject pyproject.toml -o dist/core.cdx.json \
		requirements/core.txt
	{ cat requirements/dev.txt; grep '^torch==' constraints.txt; } | \
		$(TOOLS)/cyclonedx-py requirements --output-reproducible --pyproject pyproject.toml -o dist/dev.cdx.json -

.venv-tools/ready: requirements/tools.txt
	test -x $(TOOLS)/pip || $(PYTHON) -m venv .venv-tools
	$(TOOLS)/pip $(LOCKED) -r requirements/tools.txt
	touch $@
