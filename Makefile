# Everything that can be done here; `make` lists it.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
READY := .venv/ready
GENERATED := $(addprefix daemon/ocd/api/,catalog.json results.json) VERBS.md SETTINGS.md docs/man \
	$(addprefix client/openchrome/,async_verbs.py errors.py locations.py parameters.py shapes.py verbs.py)
# Files go to workers in their order, tests of a file stay together (tests/conftest.py says which not).
PARALLEL := -n auto --dist loadgroup --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help setup demo picture docs examples test check format unit scenarios crash gen transcripts dist installed upgrade bench soak field audit run clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(READY): pyproject.toml scripts/setup
	@scripts/setup

setup: ## Prepare .venv and Chromium
	@scripts/setup

demo: $(READY) ## Fill in a form, crawl as a task, resume it, search a handle; takes seconds
	@scripts/demo

picture: $(READY) ## Record docs/picture.svg, the terminal that README shows
	@scripts/picture

docs: $(READY) ## Build the documentation site into build/docs, strictly
	@scripts/docs

examples: $(READY) ## Run the examples of the reference again; writes docs/examples.txt
	PYTHONPATH=scripts:tests python -m documentation.examples

test: $(READY) ## Run everything that CI runs: check and all tests, in parallel
	@scripts/test $(PARALLEL)

check: $(READY) ## Check format, lint, layers, types and generated files
	ruff format --check .
	ruff check .
	lint-imports
	mypy
	mypy tests
	basedpyright
	$(MAKE) --no-print-directory gen
	git diff --exit-code -- $(GENERATED)

format: $(READY) ## Format the sources, Python and JavaScript
	ruff format .
	ruff check --fix .
	python tests/support/npm.py format

unit: $(READY) ## Run the unit and contract tests (seconds, no Chromium)
	pytest $(PARALLEL) tests/unit tests/contract

scenarios: $(READY) ## Run the scenarios: real daemon, real Chromium
	pytest $(PARALLEL) tests/scenarios

crash: $(READY) ## Kill the daemon at every write step and check what is left
	pytest $(PARALLEL) tests/crash

gen: $(READY) ## Write the generated files: catalog, VERBS.md, SETTINGS.md, man pages, the Python client
	python -m ocd.calls.catalog
	python -m ocd.config.reference
	python scripts/generate_client.py
	PYTHONPATH=scripts python -m documentation.manual

transcripts: $(READY) ## Rewrite the expected output of the shell transcripts
	OCD_REWRITE_TRANSCRIPTS=1 pytest tests/scenarios/cli

dist: $(READY) ## Build wheels and source archives of both distributions into dist/
	python -m hatchling build -d dist
	cd client && python -m hatchling build -d ../dist

installed: ## Install into build/installed as a user does, and try it there; so does Containerfile
	scripts/install build/installed build/homes
	scripts/try-installed build/installed

upgrade: $(READY) ## Let the previous release (or FROM=…) fill a home, and read all of it
	PYTHONPATH=tests python -m upgrade $(FROM)

bench: $(READY) ## Repeat the measurements in tests/bench/RESULTS.md
	PYTHONPATH=tests python -m bench

soak: $(READY) ## Run mixed calls, hostile pages and kills against a daemon for 15 minutes
	PYTHONPATH=tests python -m soak $(SOAK)

field: $(READY) ## Crawl and use what others wrote (needs the package registries)
	PYTHONPATH=tests python -m field $(FIELD)

audit: $(READY) ## Look for known vulnerabilities in installed packages (needs the network)
	@scripts/audit

run: $(READY) ## Run the daemon in the foreground, with your own home
	ocd run

clean: ## Remove .venv, caches and build products
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './.git/*' -type d -prune -exec rm -rf {} +
