# Commands for a fresh clone. On Debian and Ubuntu, the first one installs all dependencies.

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
# `make test PARAVIEW=no` omits ParaView and its tests.
ifeq ($(PARAVIEW),no)
TEST_PACKAGES := demo
TESTS := not gpu and not paraview
else
TEST_PACKAGES := test
TESTS := not gpu
endif
# Test files run in parallel; most of the time of a test is not spent in the library.
PYTEST_WORKERS ?= $(shell n=$$(nproc 2>/dev/null || echo 1); [ $$n -le 4 ] && echo $$n || echo 4)
# Architectures of `make wheels`.
MACHINES ?= x86_64 aarch64
# Scripts with sizes and devices as options; the other scripts write tables of results.
BENCHMARKS = $(shell grep -l ArgumentParser benchmarks/*.py)

.DEFAULT_GOAL := help
.SUFFIXES:
.NOTPARALLEL:

.PHONY: help demo pictures test test-all test-sanitizers lint docs bench kernels clean distclean

help:  ## print this list
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: packages-demo $(VENV)/installed-demo kernels  ## run each feature on a sample; write files, pictures, and a page to OUTPUT=demo
	$(BIN)/python -m examples.demo $(OUTPUT)

pictures: packages-demo $(VENV)/installed-demo kernels  ## redraw the pictures of docs/images, with ParaView's window if it is installed
	$(BIN)/python -m examples.demo docs/images --pictures --window

# A test whose package or program is missing fails.
test test-all test-sanitizers: export CI := $(or $(CI),yes)
# Commands of the tests start Python hundreds of times, so bytecode is cached.
test test-all test-sanitizers: export PYTHONDONTWRITEBYTECODE :=
test test-all test-sanitizers: packages-$(TEST_PACKAGES) $(VENV)/installed-test kernels

test:  ## run all tests except long ones; PYTEST_OPTIONS='-x -k word' selects, PARAVIEW=no omits ParaView
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadfile \
	    -m "$(TESTS) and not long and not alone" $(PYTEST_OPTIONS)

# Tests marked `alone` measure a whole process; exit status 5 means that none is selected.
test-all:  ## run all tests, for hours: also long ones, wheels, ParaView's window, sanitizers; PYTEST_OPTIONS selects
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadfile \
	    -m "$(TESTS) and not alone" $(PYTEST_OPTIONS) || [ $$? -eq 5 ]
	$(BIN)/python -m pytest -m "$(TESTS) and alone" $(PYTEST_OPTIONS) || [ $$? -eq 5 ]
	$(if $(PYTEST_OPTIONS),,$(MAKE) test-sanitizers)

test-sanitizers:  ## run the engine tests with sanitizers for memory, undefined behavior, and threads
	for names in address,undefined thread; do \
	    $(BIN)/python tests/reliability/sanitizers.py $$names $(PYTEST_OPTIONS) || failed=yes; \
	done; [ -z "$$failed" ]

test-paraview: kernels  ## run the tests in the ParaView of Debian SUITE=bookworm (5.11), trixie (5.13), or sid (6.1)
	tests/paraview_app/in_suite $(SUITE) $(PYTEST_OPTIONS)
.PHONY: test-paraview

lint: $(VENV)/installed-lint  ## run ruff and mypy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

docs: $(VENV)/installed-docs  ## build the HTML pages in build/docs; warnings are errors
	$(BIN)/python docs/performance_page.py --check
	$(BIN)/sphinx-build --quiet --nitpicky --fail-on-warning --keep-going -c docs . build/docs
	@echo "build/docs/index.html"

bench: $(VENV)/installed-test kernels  ## run all benchmarks
	@for script in $(BENCHMARKS); do \
	    echo "== $$script"; $(BIN)/python $$script || exit 1; \
	done

# Zig's compiler cross-compiles for a version of glibc; auditwheel checks what the libraries require.
wheels: packages-build $(BIN)/python  ## build manylinux_2_28 wheels with GPU code for MACHINES, and a source archive, in dist/
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

notebooks: $(VENV)/installed-test kernels  ## run the notebooks of docs/notebooks and store their outputs
	$(BIN)/python tests/pages/notebooks.py
.PHONY: notebooks

generated: $(VENV)/installed-test kernels  ## write the files derived from the declarations: xml/, stubs, docs/options.md, docs/shell.md
	$(BIN)/python -m separatrix_vtk.generate
xml: $(VENV)/installed-test kernels  ## write only the XML files for ParaView
	$(BIN)/python -m separatrix_vtk.generate xml
.PHONY: generated xml

kernels: $(BIN)/python  ## compile the shared library if a dependency has changed
	@$(BIN)/python engine/build_kernels.py >/dev/null

clean:  ## remove build products and caches
	rm -rf build dist demo engine/separatrix/_lib .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find engine examples plugins tests sample_data benchmarks .ci -name __pycache__ -prune -exec rm -rf {} +

distclean: clean  ## also remove the virtual environment
	rm -rf $(VENV)

# === set-up

PACKAGES := packages-build packages-demo packages-test
.PHONY: $(PACKAGES)
$(PACKAGES): packages-%:
	@PYTHON='$(PYTHON)' .ci/system_packages $*

$(BIN)/python: | packages-build
	$(PYTHON) -m venv $(VENV)

# The stamp of an environment, updated if the dependencies may have changed.
$(ENVIRONMENTS:%=$(VENV)/installed-%): $(VENV)/installed-%: pyproject.toml | $(BIN)/python
	@echo "installing Python packages for $* in $(VENV); this takes minutes the first time ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS_$*)]'
	@touch $@
