# Every target makes .venv first, from requirements.lock, and only where it is not there yet.
# PYTHON=... names the Python to make it with; TESTS=... narrows `make test` to some tests.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help set-up cycle reproduce test endurance engine agents workflows lint site performance lock

BIN := .venv/bin
TESTS ?= tests

export PYTHON
# The program is started a thousand times: compiling it anew each time would cost more than what it does.
unexport PYTHONDONTWRITEBYTECODE

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

set-up: ## Make .venv from the lock; every other target does it by itself
	@tools/set-up

cycle: set-up ## Run a small real cycle in a scratch copy of the database and build its site
	@$(BIN)/argusic quickstart

# CYCLE=... names another cycle; OPTIONS=... is handed on, such as `--sandbox bubblewrap` where there is no Docker.
CYCLE ?= kinds

reproduce: set-up ## Run again what the cycle `kinds` ran, and compare what comes out
	@$(BIN)/argusic reproduce $(CYCLE) $(OPTIONS)

# `make test` is what a machine with Python alone can run. The tests of `engine` need a container engine, build its
# images, or need others' tools for images; those of `agents` need programs and a model that are fetched first; those of
# `workflows` run whole workflows; those of `endurance` need nothing more, and much time.
ENGINE := docker or environment or published or images
AGENTS := model or programs
APART := performance or act or endurance

# What tests start, they wait for about as long as they compute: half as many again as there are processors.
WORKERS := $(shell echo $$(($$(nproc) + ($$(nproc) + 1) / 2)))

test: lint ## Lint, then every test but those of the five targets below
	@$(BIN)/pytest $(TESTS) -m "not ($(APART)) and not ($(ENGINE) or $(AGENTS))" --numprocesses $(WORKERS) --dist worksteal

endurance: set-up ## Long tests: cycles that are killed at many moments, the sandbox's suite as an ordinary user
	@$(BIN)/pytest $(TESTS) -m "endurance" --numprocesses $(WORKERS) --dist worksteal

engine: set-up ## The tests of the Docker sandbox and the published environment
	@$(BIN)/pytest $(TESTS) -m "not ($(APART)) and ($(ENGINE)) and not ($(AGENTS))" --numprocesses logical --dist worksteal

agents: set-up ## The tests of published agent programs and of a small real model, fetched first (some 630 MB)
	@$(BIN)/python -m tests.agent_programs
	@$(BIN)/python -m tests.small_model
	@$(BIN)/pytest $(TESTS) -m "not ($(APART)) and ($(AGENTS))" --numprocesses logical --dist worksteal

workflows: set-up ## The workflows of .github, run whole on this machine by act, with no GitHub and no container
	@$(BIN)/pytest tests/workflows -m act --numprocesses 0

lint: set-up ## Style, types, layers, workflows
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check . || { echo "Mend it with: $(BIN)/ruff format ." >&2; exit 1; }
	@$(BIN)/mypy --strict --no-error-summary
	@said=$$($(BIN)/lint-imports --no-logo 2>&1) || { echo "$$said" >&2; exit 1; }
	@$(BIN)/zizmor --offline --persona auditor --quiet .github
	@$(BIN)/actionlint -shellcheck= -pyflakes= -config-file .github/actionlint.yaml .github/workflows/*.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema custom.github-workflows-require-timeout .github/workflows/*.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-actions .github/actions/*/action.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	@$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	@echo "lint: clean"

site: set-up ## Build the public site of this database into .argusic/site
	@$(BIN)/argusic site build

performance: set-up ## Measure our own times, as ratios within one run
	@$(BIN)/pytest tests/performance -m performance --numprocesses 0

lock: ## Renew requirements.lock from pyproject.toml (needs the package index)
	@tools/lock
