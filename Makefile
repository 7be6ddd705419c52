# aicx for people who have just cloned it. Everything lives in .venv, made by the first target that needs it; where the
# checkout cannot be written, in a folder of the user's cache.

PYTHON ?= python3
ifeq ($(shell test -w . && echo yes),yes)
VENV ?= .venv
else
VENV ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/aicx-checkout-$(firstword $(shell pwd | cksum))
export PYTHONDONTWRITEBYTECODE := 1
export HYPOTHESIS_STORAGE_DIRECTORY := $(VENV)/hypothesis
NO_CACHE := -p no:cacheprovider
endif
ifneq ($(words $(VENV)),1)
$(error make cannot use the folder "$(VENV)", whose path has a space. Name another one: make VENV=/path $(MAKECMDGOALS))
endif
BIN := $(VENV)/bin
BASE := $(VENV)-base
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Python before 3.13 reads a .pth file in the locale's encoding, and does not start where the path of the checkout in it has a
# letter that the locale lacks; a line of code in it can name any path in ASCII.
define TO_ASCII
$(PYTHON) -c 'import sys, pathlib as p; \
	[p.Path(file).write_text(f"import sys; sys.path.append({str(p.Path.cwd())!a})\n") for file in sys.argv[1:]]' \
	$(@D)/lib/python*/site-packages/_editable_impl_aicx*.pth
endef

# What `make test-all` tests models of one's own with. On Linux its plain release brings GPU libraries of several gigabytes:
# PyTorch's own site says how to get the build without them, and `make test-all TORCH="..."` is what pip is told.
TORCH ?= torch==2.13.0

# pytest writes its tests anew for each run otherwise, which is half of the time it takes to collect them.
ifndef NO_CACHE
unexport PYTHONDONTWRITEBYTECODE
endif

# One more than cores: a quarter of the time of all tests is spent waiting for processes that they kill or time out. Two
# cores with four take as long.
PROCESSES ?= 3

# What else pytest should be told, such as `make test-all PYTEST="--durations=25"`.
PYTEST ?=

.PHONY: help demo test test-fast test-all test-ray test-base test-clients bench check docs golden release format clean

help: ## Say what each target does.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.semantic ## Store invented logs, ask questions by words and by meaning; touches nothing of yours.
	@$(BIN)/aicx demo

test: $(VENV)/.test ## Run the tests, with every part but torch and models of one's own.
	@$(BIN)/python -m tests.spread $(PROCESSES) -q $(NO_CACHE) $(PYTEST)

test-fast: $(VENV)/.test ## Run half of the tests in a minute: none with a browser or processes, none that is slow.
	@$(BIN)/python -m tests.spread 2 -q $(NO_CACHE) --hypothesis-profile=fast --cases=12 \
		-m 'not browser and not process and not slow' $(PYTEST)

test-all: $(VENV)/.all ## Run the tests, those of models of one's own included, which need torch.
	@$(BIN)/python -m tests.spread $(PROCESSES) -q $(NO_CACHE) $(PYTEST)

test-ray: $(VENV)/.ray ## Run the tests of `aicx share build --engine ray`, on workers of this machine; takes 600 MB.
	@$(BIN)/python -m pytest -q $(NO_CACHE) tests/share/test_ray_build.py tests/share/test_versions.py $(PYTEST)

test-base: $(BASE)/.base ## Run the tests that need no optional part, with the base install and pytest only.
	@$(BASE)/bin/python -m tests.spread 2 -q $(NO_CACHE) $(PYTEST)

test-clients: $(VENV)/.clients ## Drive the real clients of agents, fetched from npm, with a scripted model on this machine.
	@AICX_TEST_CLIENTS="$${AICX_TEST_CLIENTS:-$(VENV)/clients}" $(BIN)/python -m pytest -q -m clients tests/clients/real

bench: $(VENV)/.bench ## Measure rankers without models on the bundled set and on your own history; minutes.
	@$(BIN)/aicx bench run -d bundled -d own -r grep -r rank-bm25 -r fts5 -r lexical -r aicx

check: $(VENV)/.dev ## Lint, types, import layers, generated docs, the size of the house.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python docs/generate_commands.py --check
	@$(BIN)/python docs/generate_json.py --check
	@$(BIN)/python docs/generate_architecture.py --check
	@$(BIN)/python docs/generate_benchmarks.py --check
	@$(BIN)/python -m benchmarks.readings_table --check
	@$(BIN)/python docs/record_demo.py --check
	@$(BIN)/python docs/ratchet.py

docs: $(VENV)/.dev ## Write the generated docs again: commands.md, json.md, modules.md, demo.svg, the ranking section of benchmarks.md.
	@$(BIN)/python docs/generate_commands.py
	@$(BIN)/python docs/generate_json.py
	@$(BIN)/python docs/generate_architecture.py
	@$(BIN)/python docs/generate_benchmarks.py
	@$(BIN)/python -m benchmarks.readings_table
	@$(BIN)/python docs/record_demo.py

golden: $(VENV)/.test ## Write again what users see, byte for byte: help, JSON and kept files, in tests/golden.
	@$(BIN)/python -m tests.golden

release: $(BIN)/python ## Build what would be published, check it, and write its notes; publishes nothing.
	@$(BIN)/python .ci/release.py

format: $(VENV)/.dev ## Sort imports and format.
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

clean: ## Remove .venv and everything tools leave behind.
	rm -rf $(VENV) $(BASE) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find aicx indexer retrieval tests docs -name __pycache__ -prune -exec rm -rf {} +

# The version first: pip's own complaint about it comes late and is long.
$(BIN)/python $(BASE)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "aicx needs Python 3.11 or newer, and '$(PYTHON)' is not. Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; \
		exit 1; }
	@$(PYTHON) -m venv $(@:/bin/python=) || { \
		echo "'$(PYTHON)' cannot make virtual environments. On Debian and Ubuntu: apt install python3-venv" >&2; \
		rm -rf $(@:/bin/python=); exit 1; }

# A stamp says which parts are installed, and is out of date when pyproject.toml is newer. Of each: what pip installs, what it
# installs before, and the stamps of the parts that are in it.
PARTS := base semantic test all bench clients ray dev
INSTALLS_base := .
INSTALLS_semantic := .[semantic]
INSTALLS_test := .[most,test]
INSTALLS_all := .[most,models,test]
INSTALLS_bench := .[bench]
INSTALLS_clients := .[mcp,test]
INSTALLS_ray := .[ray,test]
INSTALLS_dev := .[dev]
BEFORE_all = $(PIP) install $(TORCH)
HOLDS_semantic := base
HOLDS_test := base semantic bench clients
HOLDS_all := $(HOLDS_test) test
HOLDS_bench := base
HOLDS_clients := base
HOLDS_ray := base semantic
HOLDS_dev := base

$(PARTS:%=$(VENV)/.%): $(VENV)/.%: pyproject.toml | $(BIN)/python
	@$(BEFORE_$*)
	@$(PIP) install --editable '$(INSTALLS_$*)'
	@$(TO_ASCII)
	@touch $@ $(HOLDS_$*:%=$(VENV)/.%)

$(BASE)/.base: pyproject.toml | $(BASE)/bin/python
	@$(BASE)/bin/python -m pip --disable-pip-version-check --quiet install --editable . 'pytest>=8.3,<10'
	@$(TO_ASCII)
	@touch $@
