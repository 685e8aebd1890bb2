# Everything that a contributor types. Each target prepares what it needs. A second run does only
# what is left.
JOBS ?= $(shell nproc)
FUZZ_RUNS ?= 1000000
export JOBS
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
# Settings of ccache:
# - The same sources in another folder find their objects in the cache.
# - A new source is compiled without a separate preprocessing first.
# - Sources with precompiled headers are cached: none defines a macro before them or uses __TIME__.
# - The large precompiled headers are not read again for every source.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
export CCACHE_DEPEND := 1
export CCACHE_SLOPPINESS := pch_defines,time_macros
export CCACHE_INODECACHE := 1

PREFIX := build/prefix
EXAMPLE := build/example-cpp

.PHONY: help setup build run run-cpp format test test-gpu bench fuzz torture clean

help:
	@echo "make build   laptime in .venv/bin/laptime"
	@echo "make run     build it, and profile a PyTorch training (examples/mnist) from start to report"
	@echo "make run-cpp the same with examples/cpp"
	@echo "make format  formats C++ and Python, and makes the linters' automatic fixes"
	@echo "make test    all tests"
	@echo "make test-gpu  tests and figures that need an NVIDIA GPU; skipped without one"
	@echo "make bench   the benchmarks; results in bench/results"
	@echo "make fuzz    FUZZ_RUNS=$(FUZZ_RUNS) executions of each reader fuzzer"
	@echo "make torture tests what docs/reliability.md promises: kills, mutants, closed descriptors, every CPython; TORTURE=--write keeps the table"
	@echo "make clean   remove what was built (.venv stays)"

setup:
	@tools/setup

build: setup
	@tools/install_package .venv

run: build
	@tools/pip_sync .venv requirements-torch.lock
	.venv/bin/laptime run -o build/mnist.lap examples/mnist/train_torch.py --data build/digits
	.venv/bin/laptime report build/mnist.lap

run-cpp: build
	cmake --preset release >/dev/null
	cmake --build --preset release --target laptime laptime_cli
	cmake --install build/release --prefix $(PREFIX) >/dev/null
	cmake -S examples/cpp -B $(EXAMPLE) -G Ninja -DCMAKE_PREFIX_PATH=$(CURDIR)/$(PREFIX) >/dev/null
	cmake --build $(EXAMPLE)
	.venv/bin/laptime run -o build/example.lap -- $(EXAMPLE)/digits
	.venv/bin/laptime report build/example.lap

format: setup
	@.venv/bin/python tools/format

test: build
	@.venv/bin/python tools/run_tests

test-gpu:
	@tools/test_gpu

bench: build
	cmake --preset release >/dev/null
	cmake --build --preset release
	@.venv/bin/python bench/run

fuzz: setup
	cmake --preset fuzz >/dev/null
	cmake --build --preset fuzz
	@tools/fuzz build/fuzz $(FUZZ_RUNS)

torture: build
	cmake --preset release >/dev/null
	cmake --build --preset release --target laptime laptime_cli
	cmake --preset fuzz >/dev/null
	cmake --build --preset fuzz
	@.venv/bin/python tests/torture/torture.py $(TORTURE)

clean:
	rm -rf build dist .venv/laptime.installed
