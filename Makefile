# Everything runs in a virtual environment of its own, made on first use; a second run rebuilds only
# what changed. Needs Python >= 3.11, make and a C++20 compiler.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
BUILD := build/release
INSTALL := $(PIP) install --quiet --no-build-isolation -C build-dir=$(BUILD) -e
SOURCES := $(shell find core bindings cmake -type f) CMakeLists.txt pyproject.toml

export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: demo test test-core test-python test-arm fuzz fuzz-signals bench bench-defaults bench-shapes lint format docs
.PHONY: index sanitize sanitize-python stub clean help

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet "pip>=24"

# Tools to build with, the package itself, and what each task needs beside it. Each stamp is made
# anew when pyproject.toml changes, and that of the package when a source of the extension does.
$(VENV)/.build-tools: $(BIN)/python pyproject.toml
	$(PIP) install --quiet "scikit-build-core>=0.11" "nanobind>=3.1,<4" "cmake>=3.24" ninja
	@touch $@

$(VENV)/.installed: $(VENV)/.build-tools $(SOURCES)
	$(INSTALL) ".[cli,plot]"
	@touch $@

$(VENV)/.test-tools: pyproject.toml | $(VENV)/.installed
	$(INSTALL) ".[cli,plot,test]"
	@touch $@

# Behind the package: mypy reads the types of what it imports.
$(VENV)/.lint-tools: pyproject.toml | $(VENV)/.installed
	$(PIP) install --quiet "ruff>=0.15" "mypy>=1.18" "clang-format>=20"
	@touch $@

$(VENV)/.docs-tools: pyproject.toml | $(VENV)/.installed
	$(INSTALL) ".[cli,plot,docs]"
	@touch $@

$(VENV)/.bench-tools: $(VENV)/.test-tools
	$(PIP) install --quiet scikit-learn-intelex xgboost lightgbm catboost
	@touch $@

demo: $(VENV)/.installed  ## compare models on an embedded table, write report.html
	$(BIN)/gramian compare auto_mpg --target mpg --out report.html

test: test-core test-python  ## build, run the C++ and the Python tests

# SciPy's OpenBLAS, for the tests of the LAPACK wrappers; they are skipped where there is none.
TEST_BLAS = $(firstword $(wildcard $(VENV)/lib/python3*/site-packages/scipy.libs/libscipy_openblas*))

# In the build tree of the package, so that the core is compiled once.
test-core: $(VENV)/.installed
	cmake -S . -B $(BUILD) -DGRAMIAN_BUILD_TESTS=ON > /dev/null
	cmake --build $(BUILD) --target gramian_core_tests
	GRAMIAN_TEST_BLAS=$(TEST_BLAS) $(BUILD)/gramian_core_tests

test-python: $(VENV)/.installed $(VENV)/.test-tools
	$(BIN)/python -m pytest -n $(JOBS) -q

# Debian's cross compiler, and an emulator that runs programs but not those that fork.
ARM_NEEDS := aarch64-linux-gnu-g++ qemu-aarch64
test-arm: $(VENV)/.build-tools  ## core tests for aarch64, in an emulator
	@for tool in $(ARM_NEEDS); do command -v $$tool > /dev/null || \
	  { echo "make test-arm needs $$tool: apt-get install g++-aarch64-linux-gnu qemu-user"; \
	    exit 1; }; done
	cmake -S . -B build/aarch64 -G Ninja --toolchain cmake/aarch64.cmake -DGRAMIAN_BUILD_PYTHON=OFF \
	  -DGRAMIAN_BUILD_TESTS=ON -DCMAKE_BUILD_TYPE=Release > /dev/null
	cmake --build build/aarch64
	GRAMIAN_TEST_NO_FORK=1 qemu-aarch64 -L /usr/aarch64-linux-gnu build/aarch64/gramian_core_tests

# make fuzz FUZZ="inputs --minutes 60 --only Ridge"; without words it runs all kinds for ten minutes.
FUZZ ?=
fuzz: $(VENV)/.installed $(VENV)/.test-tools  ## hostile inputs, model files and orders of calls
	$(BIN)/python -m tests.fuzz $(FUZZ)

fuzz-signals: $(VENV)/.installed $(VENV)/.test-tools  ## Ctrl-C at random moments, every estimator
	$(BIN)/python -m tests.fuzz.signals $(FUZZ)

bench: $(VENV)/.installed $(VENV)/.bench-tools  ## ratios against the peers, two threads
	$(BIN)/python -m benchmarks

bench-defaults: $(VENV)/.installed $(VENV)/.bench-tools  ## models at their defaults on the tables of a folder
	$(BIN)/python -m benchmarks.defaults $(TABLES)

bench-shapes: $(VENV)/.installed $(VENV)/.bench-tools  ## the same at shapes drawn at random
	$(BIN)/python -m benchmarks.shapes $(MODELS)

lint: $(VENV)/.lint-tools  ## formatting, types, layers
	ruff check . && ruff format --check .
	mypy
	clang-format --dry-run --Werror $$(find core bindings tests/core -name '*.[ch]pp')
	$(BIN)/python tools/check_layers.py

format: $(VENV)/.lint-tools  ## rewrite the sources in the house style
	ruff check --fix . ; ruff format .
	clang-format -i $$(find core bindings tests/core -name '*.[ch]pp')

docs: $(VENV)/.installed $(VENV)/.docs-tools  ## build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

sanitize: $(VENV)/.build-tools  ## core tests under ASan and UBSan, and under TSan
	for kind in address,undefined thread; do \
	  cmake -S . -B build/$$kind -G Ninja -DGRAMIAN_BUILD_PYTHON=OFF -DGRAMIAN_BUILD_TESTS=ON \
	    -DGRAMIAN_SANITIZE=$$kind -DCMAKE_BUILD_TYPE=RelWithDebInfo > /dev/null && \
	  cmake --build build/$$kind && build/$$kind/gramian_core_tests || exit 1; \
	done

# The extension with sanitizers lies beside a copy of the package. Python starts without `site`,
# so that the editable installation is not found.
SANITIZED = build/python-$(1)/package:$(wildcard $(VENV)/lib/python3*/site-packages):$(CURDIR)
RUNTIME = $(shell $(CXX) -print-file-name=lib$(1).so)
CXX_RUNTIME = $(shell $(CXX) -print-file-name=libstdc++.so)
MINUTES ?= 10
# Python leaks on purpose at its end; what is too large to allocate must be a MemoryError.
ASAN_LIMITS := detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2048
sanitize-python: $(VENV)/.installed $(VENV)/.test-tools  ## the extension under ASan and UBSan
	sh tools/build_sanitized.sh address address,undefined
	PYTHONPATH=$(call SANITIZED,address) LD_PRELOAD="$(call RUNTIME,asan) $(CXX_RUNTIME)" \
	  ASAN_OPTIONS=$(ASAN_LIMITS) OPENBLAS_NUM_THREADS=1 \
	  $(BIN)/python -S -m tests.fuzz inputs files calls --minutes $(MINUTES)

index: $(VENV)/.installed  ## write the tables of models in the README and the guide
	$(BIN)/python tools/model_index.py

stub: $(VENV)/.installed  ## regenerate src/gramian/_core.pyi from the built module
	cmake --build $(BUILD) --target stub

clean:  ## remove builds, caches and the virtual environment
	rm -rf build dist site $(VENV) report.html .mypy_cache .ruff_cache .pytest_cache .hypothesis
