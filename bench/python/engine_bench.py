"""What the line and function engines add to a program, beside line_profiler, cProfile and the bare
callback.

All figures of a table come from interleaved runs in one process, the fastest of each. Needs
line_profiler 5.1 and a C++ compiler.

Usage: python engine_bench.py [--json FILE] [--rounds N]. Exit code 1 if a figure is over its bar.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import cProfile
import difflib
import json
import sys
import textwrap
import time
from types import FunctionType

import floor_module
import line_profiler
from laptime.collect import engine

NEW = sys.version_info >= (3, 12)
LINES_A_ROUND = 9


def lines(n):
    for _ in range(n):
        a = 1
        b = a
        a = b
        b = a
        a = b
        b = a
        a = b
        b = a
    return b


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def hot_loop(n):
    total = 0
    for i in range(n):
        total += i
        total ^= i
    return total


DOCUMENT = {
    "rows": [{"id": i, "name": f"row {i}", "tags": ["a", "b", None, 1.5]} for i in range(20)]
}
TEXT = "the quick brown fox jumps over the lazy dog " * 30


def use_libraries():
    out = []
    out.append(json.dumps(DOCUMENT, indent=1))
    out.append(copy.deepcopy(DOCUMENT))
    out.append(textwrap.wrap(TEXT, 60))
    out.append(difflib.SequenceMatcher(None, TEXT[:200], TEXT[3:203]).ratio())
    return len(out)


@contextlib.contextmanager
def bare():
    yield


@contextlib.contextmanager
def laptime(**options):
    engine.start(**options)
    try:
        yield
    finally:
        engine.stop()


@contextlib.contextmanager
def cprofile():
    profiler = cProfile.Profile()
    profiler.enable()
    try:
        yield
    finally:
        profiler.disable()


def line_profiler_on(function):
    """line_profiler traces a copy of the code, so each case gets a function of its own."""
    profiler = line_profiler.LineProfiler()
    profiler.add_function(function)

    @contextlib.contextmanager
    def context():
        profiler.enable()
        try:
            yield
        finally:
            profiler.disable()

    return context


def copy_of(function):
    return FunctionType(
        function.__code__.replace(co_name=function.__name__),
        function.__globals__,
        function.__name__,
    )


def fastest(cases, rounds):
    """Nanoseconds of the fastest run of each case: {name: (context, call)}."""
    best = dict.fromkeys(cases, float("inf"))
    for _ in range(rounds):
        for name, (context, call) in cases.items():
            with context():
                begin = time.perf_counter_ns()
                call()
                best[name] = min(best[name], time.perf_counter_ns() - begin)
    return best


def line_figures(floor, rounds):
    n = 500
    theirs, floored = copy_of(lines), copy_of(lines)
    best = fastest(
        {
            "bare": (bare, lambda: lines(n)),
            "laptime": (lambda: laptime(lines=True, only=[lines.__code__]), lambda: lines(n)),
            "floor": (lambda: floor_module.on_lines(floor, floored.__code__), lambda: floored(n)),
            "line_profiler": (line_profiler_on(theirs), lambda: theirs(n)),
        },
        rounds,
    )
    added = {
        name: (best[name] - best["bare"]) / (n * LINES_A_ROUND) for name in best if name != "bare"
    }
    return [
        ("line event, ns added: line_profiler", added["line_profiler"], None),
        ("line event, ns added: bare callback", added["floor"], None),
        ("line event, ns added: laptime", added["laptime"], None),
        (
            "line event, of line_profiler's",
            added["laptime"] / added["line_profiler"],
            1 / 12 if NEW else 1 / 3.5,
        ),
        ("line event, of the bare callback's", added["laptime"] / added["floor"], 1.3),
    ]


def call_figures(rounds):
    n, calls = 14, 1219
    best = fastest(
        {
            "bare": (bare, lambda: fib(n)),
            "cprofile": (cprofile, lambda: fib(n)),
            "python": (lambda: laptime(functions=True), lambda: fib(n)),
            "builtins": (lambda: laptime(functions=True, builtins=True), lambda: fib(n)),
        },
        rounds,
    )
    added = {name: (best[name] - best["bare"]) / calls for name in best if name != "bare"}
    return [
        ("call, ns added: cProfile", added["cprofile"], None),
        ("call, ns added: laptime", added["python"], None),
        ("call, ns added: laptime with C functions", added["builtins"], None),
        ("call, of cProfile's", added["python"] / added["cprofile"], 0.4),
        (
            "call with C functions, of cProfile's",
            added["builtins"] / added["cprofile"],
            0.65 if NEW else 0.8,
        ),
    ]


def program_figures(rounds):
    # The first run after a start sees all code for the first time. A program pays that once.
    best = {"bare": float("inf"), "laptime": float("inf")}
    for _ in range(rounds):
        for name, context in (("bare", bare), ("laptime", lambda: laptime(lines=True))):
            with context():
                use_libraries()
                begin = time.perf_counter_ns()
                use_libraries()
                best[name] = min(best[name], time.perf_counter_ns() - begin)
    return [
        ("library-heavy program, user code by line, x bare", best["laptime"] / best["bare"], 1.06)
    ]


def budget_figures(rounds):
    n = 10_000
    engine.clear()
    best = {"bare": float("inf"), "demoted": float("inf")}

    def measure(name):
        for _ in range(5):
            begin = time.perf_counter_ns()
            hot_loop(n)
            best[name] = min(best[name], time.perf_counter_ns() - begin)

    for _ in range(rounds):
        measure("bare")
        with laptime(lines=True, budget=0.05):
            hot_loop(10 * n)
            measure("demoted")
    assert any(d.name == "hot_loop" for d in engine.demoted())
    return [("hot loop once demoted, x bare", best["demoted"] / best["bare"], 1.08)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--rounds", type=int, default=200)
    options = parser.parse_args()
    floor = floor_module.build()
    figures = line_figures(floor, options.rounds) + call_figures(options.rounds)
    figures += program_figures(options.rounds) + budget_figures(options.rounds)
    print(f"Python {sys.version.split()[0]}")
    for name, value, bar in figures:
        verdict = "" if bar is None else f"  (bar {bar:.3f}) {'ok' if value <= bar else 'OVER'}"
        print(f"{name:52} {value:9.3f}{verdict}")
    if options.json:
        rows = [{"figure": name, "value": value, "bar": bar} for name, value, bar in figures]
        with open(options.json, "w") as file:
            json.dump({"python": sys.version.split()[0], "figures": rows}, file, indent=1)
    return any(bar is not None and value > bar for _, value, bar in figures)


if __name__ == "__main__":
    sys.exit(main())
