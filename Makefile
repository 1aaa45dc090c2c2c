# One command for each thing that one does with a fresh clone. On Debian and Ubuntu these do all the
# set-up, once; later calls find it done.

PYTHON ?= python3
OUTPUT ?= demo
PYTEST_OPTIONS ?=
SUITE ?= trixie

VENV := .venv
BIN := $(VENV)/bin
EXTRAS_demo := cli,molecules,vtk
EXTRAS_docs := docs
EXTRAS_lint := lint
EXTRAS_test := test
ENVIRONMENTS := demo docs lint test
# `make test PARAVIEW=no` leaves out ParaView and its tests.
ifeq ($(PARAVIEW),no)
TEST_PACKAGES := demo
TESTS := not gpu and not paraview
else
TEST_PACKAGES := test
TESTS := not gpu
endif
# Files of tests run side by side; most of the time of a test is not spent in the library.
PYTEST_WORKERS ?= $(shell n=$$(nproc 2>/dev/null || echo 1); [ $$n -le 4 ] && echo $$n || echo 4)
# Architectures of `make wheels`.
MACHINES ?= x86_64 aarch64
# These take sizes and devices; the other scripts write tables of results.
BENCHMARKS = $(shell grep -l ArgumentParser benchmarks/*.py)

.DEFAULT_GOAL := help
.SUFFIXES:
.NOTPARALLEL:

.PHONY: help demo pictures test test-all test-sanitizers lint docs bench kernels clean distclean

help:  ## this list
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: packages-demo $(VENV)/installed-demo kernels  ## each capability on a sample: files, pictures and a page, in OUTPUT=demo
	$(BIN)/python -m examples.demo $(OUTPUT)

pictures: packages-demo $(VENV)/installed-demo kernels  ## the pictures of docs/images anew; that of ParaView's window where it is installed
	$(BIN)/python -m examples.demo docs/images --pictures --window

# A test whose package or program is missing fails.
test test-all test-sanitizers: export CI := $(or $(CI),yes)
test test-all test-sanitizers: packages-$(TEST_PACKAGES) $(VENV)/installed-test kernels

test:  ## the tests that take minutes; PYTEST_OPTIONS='-x -k word' selects, PARAVIEW=no leaves out ParaView
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadfile \
	    -m "$(TESTS) and not long and not alone" $(PYTEST_OPTIONS)

# Tests marked `alone` measure a whole process; exit status 5 means that none is selected.
test-all:  ## every test, for hours: also long ones, wheels, ParaView's window, sanitizers; PYTEST_OPTIONS selects
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadfile \
	    -m "$(TESTS) and not alone" $(PYTEST_OPTIONS) || [ $$? -eq 5 ]
	$(BIN)/python -m pytest -m "$(TESTS) and alone" $(PYTEST_OPTIONS) || [ $$? -eq 5 ]
	$(if $(PYTEST_OPTIONS),,$(MAKE) test-sanitizers)

test-sanitizers:  ## the engine's tests on libraries that check memory, undefined behavior and threads
	for names in address,undefined thread; do \
	    $(BIN)/python tests/reliability/sanitizers.py $$names $(PYTEST_OPTIONS) || failed=yes; \
	done; [ -z "$$failed" ]

test-paraview: kernels  ## the tests in the ParaView of Debian SUITE=bookworm (5.11), trixie (5.13), or sid (6.1)
	tests/paraview_app/in_suite $(SUITE) $(PYTEST_OPTIONS)
.PHONY: test-paraview

lint: $(VENV)/installed-lint  ## ruff and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: $(VENV)/installed-docs  ## the pages as HTML in build/docs; a warning is an error
	$(BIN)/python docs/performance_page.py --check
	$(BIN)/sphinx-build --quiet --nitpicky --fail-on-warning --keep-going -c docs . build/docs
	@echo "build/docs/index.html"

bench: $(VENV)/installed-test kernels  ## every benchmark, one after the other, on this machine
	@for script in $(BENCHMARKS); do \
	    echo "== $$script"; $(BIN)/python $$script || exit 1; \
	done

# Zig's compiler cross-compiles for a version of glibc; auditwheel checks what the libraries require.
wheels: packages-build $(BIN)/python  ## manylinux_2_28 wheels with GPU code for MACHINES, and the sources' archive, in dist/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'auditwheel>=6.4' \
	    'hatchling>=1.27' 'nvidia-cuda-nvrtc-cu12>=12.9,<13' 'ziglang>=0.15'
	$(BIN)/python engine/build_cuda.py
	rm -rf dist build/wheel/try
	for machine in $(MACHINES); do \
	    CXX="$(BIN)/python -m ziglang c++ -target $$machine-linux-gnu.2.28" \
	        SEPARATRIX_PLATFORM=manylinux_2_28_$$machine \
	        $(BIN)/python -m hatchling build -t wheel -d dist && \
	    $(BIN)/auditwheel show dist/*$$machine.whl | tr '\n' ' ' | \
	        grep -o 'consistent with .*"manylinux_2_\(1.\|2[0-8]\)_[^.]*' || exit 1; \
	done
	$(BIN)/python -m hatchling build -t sdist -d dist
	[ ! -e dist/*$$(uname -m).whl ] || { \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	        --target build/wheel/try dist/*$$(uname -m).whl && \
	    PYTHONPATH=build/wheel/try $(BIN)/python tests/repository/same_bits.py; }
.PHONY: wheels

notebooks: $(VENV)/installed-test kernels  ## the notebooks of docs/notebooks with the outputs that they keep
	$(BIN)/python tests/pages/notebooks.py
.PHONY: notebooks

generated: $(VENV)/installed-test kernels  ## files written from the declarations: xml/, stubs, docs/options.md, docs/shell.md
	$(BIN)/python -m separatrix_vtk.generate
xml: $(VENV)/installed-test kernels  ## the part of `generated` that ParaView reads
	$(BIN)/python -m separatrix_vtk.generate xml
.PHONY: generated xml

kernels: $(BIN)/python  ## the shared library, compiled if anything that it depends on has changed
	@$(BIN)/python engine/build_kernels.py >/dev/null

clean:  ## remove what was built, and the caches
	rm -rf build dist demo engine/separatrix/_lib .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find engine examples plugins tests sample_data benchmarks .ci -name __pycache__ -prune -exec rm -rf {} +

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
