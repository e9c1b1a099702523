# Fallwater: `make run` prepares everything and opens the world. GNU make, any POSIX shell.

# For `make run`: the folder that holds the world; and, where they are to be other than its config/ notes say,
# the model (auto | embedded | none | ollama:NAME | gguf:FILE) and the port.
MODEL ?=
PORT ?=
VAULT ?= fallwater-world

# The Python that .venv is made with; the first that fits, if you name none: make venv PYTHON=/path/to/python
PYTHON ?=
PYTHONS = $(or $(PYTHON),python3.11 python3 python3.12 python3.13 python3.14)

BENCH ?= $(patsubst bench/%.py,%,$(wildcard bench/[a-z]*.py)) $(patsubst bench/%/__main__.py,%,$(wildcard bench/*/__main__.py))

VENV := .venv
BIN := $(VENV)/bin
PACKAGES := config world vault agents server fallwater
comma := ,

# The stamps live inside .venv, so that they vanish with it.
RUNTIME := $(VENV)/.runtime-is-installed
DEVELOPMENT := $(VENV)/.development-is-installed
RESEARCH := $(VENV)/.research-is-installed

.NOTPARALLEL:
.PHONY: help venv run test lint integration bench soak clean

help:
	@echo 'make run          open the world (VAULT=$(VAULT) MODEL=auto|embedded|none|ollama:NAME|gguf:FILE PORT=4000)'
	@echo 'make venv         only prepare $(VENV), with the embedded model'
	@echo 'make test         unit tests'
	@echo 'make lint         ruff and mypy'
	@echo 'make integration  tests with real processes, clients and the embedded model'
	@echo 'make bench        measurements, one after another (BENCH=NAME for one)'
	@echo 'make soak         a long run under load'
	@echo 'make clean        remove $(VENV) and caches; never a world'

venv: $(RUNTIME)

run: $(RUNTIME)
	@exec $(BIN)/fallwater serve --vault "$(VAULT)" $(if $(PORT),--port "$(PORT)") $(if $(MODEL),--model "$(MODEL)")

# The empty variable lets pytest keep what it has compiled where a machine forbids it: that is 6 s in each process.
test: $(DEVELOPMENT)
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n auto --dist worksteal

lint: $(DEVELOPMENT)
	@$(BIN)/ruff check $(PACKAGES) bench tests
	@$(BIN)/ruff format --check $(PACKAGES) bench tests
	@$(BIN)/mypy

# Each module in one process, which then starts its server once; in the order in which they are found, for the modules
# with the most tests are not those that take the longest.
integration: $(RESEARCH)
	@sh tests/integration/install-clients.sh
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -m integration -n 3 --dist loadfile --no-loadscope-reorder

bench: $(DEVELOPMENT)
	@set -e; for name in $(BENCH); do echo "== $$name"; $(BIN)/python -m bench.$$name; done

soak: $(DEVELOPMENT)
	@exec $(BIN)/python -m tests.integration.soak

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find $(PACKAGES) bench tests -type d -name __pycache__ -prune -exec rm -rf {} +

# $(call install,EXTRAS): make .venv unless it is there and works, then install the project into it.
define install
	@if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
	  chosen=; incomplete=; \
	  for python in $(PYTHONS); do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	    if "$$python" -c 'import venv, ensurepip' 2>/dev/null; then chosen=$$python; break; fi; \
	    incomplete=$${incomplete:-$$python}; \
	  done; \
	  if [ -z "$$chosen" ] && [ -n "$$incomplete" ]; then \
	    version=$$("$$incomplete" -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	    echo "Python $$version ($$incomplete) has no venv and pip of its own: Debian and Ubuntu keep them in another package." >&2; \
	    echo "Install it, then try again:  apt install python$$version-venv" >&2; exit 1; \
	  fi; \
	  if [ -z "$$chosen" ]; then \
	    echo "No Python 3.11 or newer among: $(PYTHONS)." >&2; \
	    echo "Install one, or name it:  make venv PYTHON=/path/to/python3.11" >&2; exit 1; \
	  fi; \
	  echo "Preparing $(VENV) with $$("$$chosen" --version) (about a minute the first time) ..."; \
	  "$$chosen" -m venv --clear $(VENV); \
	else \
	  echo "Bringing $(VENV) up to date ..."; \
	fi
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-input \
	  --constraint constraints.txt --editable '.[$(1)]'
	@touch $(RUNTIME)
endef

$(RUNTIME): pyproject.toml constraints.txt
	$(call install,embedded)

$(DEVELOPMENT): pyproject.toml constraints.txt
	$(call install,embedded$(comma)dev)
	@touch $(DEVELOPMENT)

# Ray and Inspect are large, and only a few integration tests need them.
$(RESEARCH): pyproject.toml constraints.txt
	$(call install,embedded$(comma)dev$(comma)inspect$(comma)ray)
	@touch $(DEVELOPMENT) $(RESEARCH)
