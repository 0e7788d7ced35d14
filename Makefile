# SPDX-FileCopyrightText: 2026 The anystream authors
# SPDX-License-Identifier: Apache-2.0
#
# Everything a newcomer runs: `make run` shows the main job, `make test` runs all tests. Needs
# python3 with venv and headers, a C++20 compiler and make; the rest comes from PyPI, into this
# folder.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help

PYTHON ?= python3
PEERS ?=
JOBS ?= $(shell nproc)
BASE ?= HEAD
FUZZ_SECONDS ?= 60

# Two environments: what is tested must not find the tools that built it (tvm_ffi is both).
VENV := .venv
TOOLS := build/tools
PY := $(VENV)/bin/python
TOOL := $(TOOLS)/bin
STAMPS := $(VENV)/stamps

# The C++ tests find SYCL through the environment of the peers, dlpack.h through that of the tools.
WITH_TOOLS = PATH="$(CURDIR)/$(TOOL):$$PATH"
TVM_FFI = $(TOOL)/python -c 'import importlib.util as util; \
  print(*util.find_spec("tvm_ffi").submodule_search_locations)'
CONFIGURE = $(WITH_TOOLS) CMAKE_GENERATOR=Ninja cmake -DPython_EXECUTABLE="$(CURDIR)/$(PY)" \
  -DDLPACK_INCLUDE_DIR="$$($(TVM_FFI))/include" --preset
BUILD = $(WITH_TOOLS) cmake --build --parallel $(JOBS) --preset
CTEST = $(WITH_TOOLS) ctest --preset
SKIPPED = sed -n 's/^skipped: /-- skipped: /p' # as a C++ test says why, which ctest does not show
PYTEST = PATH="$(CURDIR)/$(VENV)/bin:$(CURDIR)/$(TOOL):$$PATH" $(PY) -m pytest

SOURCES := $(shell find CMakeLists.txt cmake include src bindings python pyproject.toml README.md \
  LICENSE -type f -not -name '*.so' -not -name '*.pyc' 2>/dev/null)

ifneq ($(filter-out small all,$(PEERS)),)
  $(error PEERS=$(PEERS): PEERS is small or all)
endif
RUN_PEERS := $(STAMPS)/peers-$(or $(PEERS),small)
TEST_PEERS := $(STAMPS)/peers-$(or $(PEERS),all)

.PHONY: help run test test-cpp test-sanitized test-threads test-python-sanitized test-python \
  test-gpu fuzz bench bench-page callgrind check format wheel clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 24
	@echo
	@echo 'PEERS=small   numpy, dpctl, dpnp, intel-opencl-rt (default of run)'
	@echo 'PEERS=all     these, torch, jax, mlx, tvm_ffi, ml_dtypes (default of test)'
	@echo 'PYTHON=...    the interpreter of a new environment (default python3)'

run: ## build this tree, install it with its peers, and show the race and its cure
run: $(STAMPS)/anystream $(STAMPS)/cli $(RUN_PEERS)
	$(VENV)/bin/anystream doctor

test: ## all tests: C++, sanitizers, rules, Python, examples
test: test-cpp test-sanitized test-threads test-python-sanitized test-python

test-cpp: $(TOOLS)/stamp $(TEST_PEERS) ## the core's C++ tests and the C++ example
	$(CONFIGURE) dev
	$(BUILD) dev
	$(CTEST) dev
	@$(SKIPPED) build/dev/Testing/Temporary/LastTest.log

# With the other compiler where it is found, so that both see every line with warnings as errors.
SANITIZING = $(shell for cxx in clang++-19 clang++ $(CXX); do \
  echo 'int main() {}' | $$cxx -fsanitize=address,undefined -x c++ - -o /dev/null 2>/dev/null && \
  echo $$cxx && break; done)

test-sanitized: $(TOOLS)/stamp $(TEST_PEERS) ## the same under ASan and UBSan, by clang if found
	$(CONFIGURE) asan -DCMAKE_CXX_COMPILER=$(SANITIZING) -DANYSTREAM_WERROR=ON
	$(BUILD) asan
	$(CTEST) asan
	@$(SKIPPED) build/asan/Testing/Temporary/LastTest.log

# The host's and the simulation's tests: SYCL's own threads would make it report by themselves.
test-threads: ## the C++ tests of the host and of the simulated accelerator under TSan
test-threads: $(TOOLS)/stamp $(PY)
	$(CONFIGURE) tsan -DCMAKE_CXX_COMPILER=$(SANITIZING) -DANYSTREAM_WERROR=ON
	$(BUILD) tsan
	$(CTEST) tsan
	@$(SKIPPED) build/tsan/Testing/Temporary/LastTest.log

# By g++, whose runtime is a library that an interpreter can load first; that of C++ comes too, for
# SYCL's exceptions. Leaks are an interpreter's own. Under Python's own allocator nothing would
# be seen of what it allocates. A report goes past pytest, and ends the process.
RUNTIME = $(shell echo 'int main() {}' | g++ -fsanitize=address,undefined -x c++ - -o /dev/null \
  2>/dev/null && realpath -e "$$(g++ -print-file-name=libasan.so)" \
  "$$(g++ -print-file-name=libstdc++.so)" 2>/dev/null)
SANITIZED = $(CURDIR)/build/asan-python
WITH_RUNTIME = PATH="$(CURDIR)/$(VENV)/bin:$$PATH" PYTHONPATH="$(SANITIZED)/package" \
  PYTHONMALLOC=malloc UBSAN_OPTIONS=print_stacktrace=1 LD_LIBRARY_PATH="$(CURDIR)/$(VENV)/lib" \
  ASAN_OPTIONS=detect_leaks=0:use_sigaltstack=0:allocator_may_return_null=1:abort_on_error=1 \
  LD_PRELOAD="$(RUNTIME)"
# Left out: how much memory is held or can be had, where the sanitizer answers for itself; and torch
# in one process after the other, which takes long.
UNSANITIZED = MemoryError or memory_flat or nothing_behind or (claims_process and torch)

define test_python_sanitized
$(CONFIGURE) asan-python -DCMAKE_CXX_COMPILER=g++ -DPython_EXECUTABLE="$(CURDIR)/$(TOOL)/python"
$(BUILD) asan-python
rm -rf $(SANITIZED)/package
cp -R python $(SANITIZED)/package
cp $(SANITIZED)/*.so $(SANITIZED)/package/anystream/
$(WITH_RUNTIME) $(PY) -m pytest --capture=sys -k 'not ($(UNSANITIZED))' \
  tests/python/test_{hostile_*,interfaces_*,import_usm,many*,exchange_*,array*,lifetime*}.py \
  tests/python/test_{routes,handoff_ndarray}.py
endef

test-python-sanitized: ## Python tests of memory, the extension under ASan and UBSan, by g++
test-python-sanitized: $(TOOLS)/stamp $(STAMPS)/test $(TEST_PEERS)
	$(if $(RUNTIME),$(test_python_sanitized),@echo '-- skipped: no g++ with libasan.so was found')

test-python: ## the rule tests, the Python tests, the examples
test-python: $(TOOLS)/stamp $(TOOLS)/types $(STAMPS)/anystream $(STAMPS)/test $(TEST_PEERS)
	$(CONFIGURE) dev
	$(BUILD) dev --target software_drivers
	$(PYTEST)

# In an environment of its own, so that `make test` finds what it has always found.
GPU := build/gpu

test-gpu: ## tests/device on an NVIDIA GPU, with the CUDA libraries that can be installed for it
test-gpu: $(GPU)/anystream $(GPU)/test $(GPU)/peers-gpu
	PATH="$(CURDIR)/$(GPU)/bin:$$PATH" $(GPU)/bin/python -m pytest tests/device

FUZZED = extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }
FUZZING = $(shell for cxx in clang++-19 clang++; do \
  echo '$(FUZZED)' | $$cxx -fsanitize=fuzzer,address -x c++ - -o /dev/null 2>/dev/null && \
  echo $$cxx && break; done)

fuzz: ## libFuzzer on the structures and the interface dicts, FUZZ_SECONDS=60 for each; takes clang
fuzz: $(TOOLS)/stamp
	@test -n '$(FUZZING)' || { echo >&2 \
	  'make fuzz takes clang with libFuzzer, and found none (Debian: clang-19, libclang-rt-19-dev)'; \
	  exit 1; }
	$(CONFIGURE) fuzz -DCMAKE_CXX_COMPILER=$(FUZZING) -DPython_EXECUTABLE="$(CURDIR)/$(TOOL)/python"
	$(BUILD) fuzz
	$(TOOL)/python fuzz/fuzzing.py build/fuzz $(FUZZ_SECONDS)

bench: ## costs as ratios to competitors, measured in one run
bench: $(STAMPS)/anystream $(TEST_PEERS) $(STAMPS)/bench $(TOOLS)/stamp
	$(WITH_TOOLS) $(PY) benchmarks/bench.py

bench-page: ## the same, written into docs/benchmarks.md
bench-page: $(STAMPS)/anystream $(TEST_PEERS) $(STAMPS)/bench $(TOOLS)/stamp
	$(WITH_TOOLS) $(PY) benchmarks/bench.py --write docs/benchmarks.md

callgrind: ## instructions of the hot paths, of this tree and of its base (BASE=HEAD)
callgrind: $(TOOLS)/stamp $(TEST_PEERS)
	$(WITH_TOOLS) $(PY) tools/callgrind.py --base $(BASE)

TIDY = $(VENV)/bin/run-clang-tidy.py -clang-tidy-binary $(VENV)/bin/clang-tidy -quiet -j $(JOBS)

check: $(STAMPS)/check $(STAMPS)/anystream $(STAMPS)/test ## formatters, linters, types, rule tests
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/ruff check
	$(VENV)/bin/clang-format --dry-run --Werror $$($(PY) tools/sources.py c++)
	$(VENV)/bin/mypy
	$(CONFIGURE) dev
	$(TIDY) -p build/dev
	$(TIDY) -p $$(dirname build/package/*/compile_commands.json) 'bindings/.*'
	$(PYTEST) tests/rules

format: $(STAMPS)/check ## let the formatters write
	$(VENV)/bin/ruff format
	$(VENV)/bin/clang-format -i $$($(PY) tools/sources.py c++)

wheel: build/wheel/stamp ## a wheel of this tree, in build/wheel

clean: ## remove everything that was built or installed here
	rm -rf build $(VENV) .pytest_cache .mypy_cache .ruff_cache
	find python tests tools benchmarks examples -name __pycache__ -prune -exec rm -rf {} +

# ---- what the above is made of: a stamp for each thing that is installed or built ----------------

$(PY):
	$(PYTHON) -m venv $(VENV)

$(TOOL)/python:
	$(PYTHON) -m venv $(TOOLS)

$(TOOLS)/stamp: pyproject.toml tools/install.py tools/requirements.py | $(TOOL)/python
	@echo '== build tools (cmake, ninja, nanobind, dlpack.h)'
	$(TOOL)/python tools/install.py build
	touch $@

$(TOOLS)/types: pyproject.toml tools/install.py tools/requirements.py | $(TOOL)/python
	@echo '== type checkers'
	$(TOOL)/python tools/install.py types
	touch $@

$(STAMPS):
	mkdir -p $@

$(STAMPS)/peers-small: pyproject.toml tools/install.py tools/requirements.py | $(PY) $(STAMPS)
	@echo '== numpy, dpctl, dpnp and the OpenCL CPU runtime: 0.9 GB to download, 2.9 GB installed'
	$(PY) tools/install.py --optional peers-small
	touch $@

$(STAMPS)/peers-all: pyproject.toml tools/install.py tools/requirements.py | $(PY) $(STAMPS)
	@echo '== all peers: torch alone is 2.7 GB where the index gives its CUDA build'
	$(PY) tools/install.py --optional peers-all
	touch $@ $(STAMPS)/peers-small

$(STAMPS)/bench: pyproject.toml tools/install.py tools/requirements.py | $(PY) $(STAMPS)
	@echo '== competitors that are no peers'
	$(PY) tools/install.py --optional bench
	touch $@

$(GPU)/bin/python:
	$(PYTHON) -m venv $(GPU)

$(GPU)/peers-gpu: pyproject.toml tools/install.py tools/requirements.py | $(GPU)/bin/python
	@echo '== CUDA libraries: torch, cupy, numba-cuda, warp, cuda-core, jax; several GB to download'
	$(GPU)/bin/python tools/install.py --optional peers-gpu
	touch $@

$(GPU)/test: pyproject.toml tools/install.py tools/requirements.py | $(GPU)/bin/python
	@echo '== test tools'
	$(GPU)/bin/python tools/install.py test
	touch $@

$(GPU)/anystream: build/wheel/stamp | $(GPU)/bin/python
	$(GPU)/bin/python -m pip install --no-deps --no-index --force-reinstall \
	  --disable-pip-version-check build/wheel/anystream-*.whl
	touch $@

$(STAMPS)/cli $(STAMPS)/test $(STAMPS)/check: $(STAMPS)/%: pyproject.toml tools/install.py \
    tools/requirements.py | $(PY) $(STAMPS)
	@echo '== $* tools'
	$(PY) tools/install.py $*
	touch $@

build/wheel/stamp: $(SOURCES) | $(TOOLS)/stamp
	@echo '== building anystream'
	rm -rf build/wheel
	$(WITH_TOOLS) $(TOOL)/python -m pip wheel --no-build-isolation --no-deps \
	  --disable-pip-version-check --wheel-dir build/wheel .
	touch $@

$(STAMPS)/anystream: build/wheel/stamp | $(PY) $(STAMPS)
	$(PY) -m pip install --no-deps --no-index --force-reinstall --disable-pip-version-check \
	  build/wheel/anystream-*.whl
	touch $@
