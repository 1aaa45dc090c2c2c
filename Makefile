# One command for each thing that one does with a fresh clone. On Debian and Ubuntu these do all the
# set-up, once; later calls find it done.

PYTHON ?= python3
OUTPUT ?= demo_output
PYTEST_OPTIONS ?=

VENV := .venv
BIN := $(VENV)/bin
EXTRAS_demo := cli,molecules,vtk
EXTRAS_lint := lint
EXTRAS_test := test
ENVIRONMENTS := demo lint test
# `make test PARAVIEW=no` leaves out ParaView and its tests.
ifeq ($(PARAVIEW),no)
TEST_PACKAGES := demo
PYTEST_SELECTION := -m "not gpu and not paraview"
else
TEST_PACKAGES := test
endif

.DEFAULT_GOAL := help
.SUFFIXES:
.NOTPARALLEL:

.PHONY: help demo test lint bench kernels clean distclean

help:  ## this list
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

demo: packages-demo $(VENV)/installed-demo kernels  ## a volume becomes pictures of its topology, in OUTPUT=demo_output
	$(BIN)/python -m separatrix_vtk.demo $(OUTPUT)
	@echo "pictures:"; ls $(OUTPUT)/*.png | sed 's/^/  /'

test: packages-$(TEST_PACKAGES) $(VENV)/installed-test kernels  ## every test; PYTEST_OPTIONS='-x -k word' selects, PARAVIEW=no goes without
	$(BIN)/python -m pytest $(PYTEST_SELECTION) $(PYTEST_OPTIONS)

lint: $(VENV)/installed-lint  ## ruff and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(VENV)/installed-test kernels  ## every benchmark, one after the other, on this machine
	@for script in $$(grep -l __main__ benchmarks/*.py); do \
	    echo "== $$script"; $(BIN)/python $$script || exit 1; \
	done

kernels: $(BIN)/python  ## the shared library, compiled if anything that it depends on has changed
	@$(BIN)/python engine/build_kernels.py >/dev/null

clean:  ## remove what was built, and the caches
	rm -rf build dist demo_output engine/separatrix/_lib .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find engine plugins tests sample_data benchmarks .ci -name __pycache__ -prune -exec rm -rf {} +

distclean: clean  ## remove the virtual environment too
	rm -rf $(VENV)

# === set-up

PACKAGES := packages-build packages-demo packages-test
.PHONY: $(PACKAGES)
$(PACKAGES): packages-%:
	@PYTHON='$(PYTHON)' .ci/system_packages $*

$(BIN)/python: | packages-build
	$(PYTHON) -m venv $(VENV)

# The stamp of an environment: made anew when the dependencies may have changed.
$(ENVIRONMENTS:%=$(VENV)/installed-%): $(VENV)/installed-%: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS_$*)]'
	@touch $@
