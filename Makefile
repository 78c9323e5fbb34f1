# make setup: everything this project needs into .venv
# make demo: the main job; make demo WITH=duck,mem: with DuckDB and the object store too
# make test: the tests   make check: style, types, imports   make lock: new requirements.lock
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/set-up
# Files in their order: those that start servers come first, and the short ones fill the end.
PYTEST_ARGUMENTS ?= -n 2 --dist loadfile --no-loadscope-reorder
WITH ?=
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: setup demo test check lock clean

setup: $(STAMP)

demo: $(STAMP)
	$(BIN)/advisor demo $(if $(WITH),--with $(WITH))

test: $(STAMP)
	$(BIN)/pytest $(PYTEST_ARGUMENTS)

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Python 3.11 or newer is needed, and '$(PYTHON)' is" \
	    "$$($(PYTHON) --version 2>/dev/null || echo 'not there'): name one with make PYTHON=python3.12 …" >&2; \
	  exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' lacks the modules venv and ensurepip (on Debian: package python3-venv):" \
	    "install them or name another with make PYTHON=…" >&2; \
	  exit 2; }
	@echo "Setting up $(VENV): about 1.5 GB, some minutes on the first run"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --require-hashes -r requirements.lock
	$(BIN)/pip install --no-deps --editable .
	@touch $@

lock:
	$(PYTHON) -m venv .lock-venv
	.lock-venv/bin/pip install uv
	.lock-venv/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links --no-emit-build-options \
	  --all-extras --upgrade --output-file requirements.lock pyproject.toml
	rm -rf .lock-venv

clean:
	rm -rf $(VENV) .lock-venv build *.egg-info .pytest_cache .mypy_cache .ruff_cache \
	  .import_linter_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
