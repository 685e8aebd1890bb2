"""The function engine against cProfile: the same calls, primitive calls and callers for the same
program.
"""

import asyncio
import contextlib
import copy
import cProfile
import io
import json
import pstats
import re
import sys
import tempfile
import textwrap
import time

import pytest
import workloads
from laptime._native import engine as native


def ackermann(m, n):
    if m == 0:
        return n + 1
    return ackermann(m - 1, 1 if n == 0 else ackermann(m, n - 1))


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


def plain_python():
    workloads.fib(10)
    ackermann(2, 3)
    even(20)


def generators():
    list(x for x in range(5))  # noqa: C400  a generator is what is tested
    sum(i * i for i in range(10))
    generator = workloads.numbers(0)
    with contextlib.suppress(StopIteration):
        next(generator)

    def echo():
        value = 0
        while value < 3:
            value += yield value

    generator = echo()
    next(generator)
    generator.send(1)
    generator.close()


def exceptions():
    with contextlib.suppress(ValueError):
        workloads.raise_deep(4)
    with contextlib.suppress(KeyError):
        {}["x"]
    with contextlib.suppress(ValueError):
        int("x")
    with contextlib.suppress(TypeError):
        len(3)


def builtins_of_all_kinds():
    values = sorted([3, 1, 2], key=lambda v: -v)
    values.append(len(values))
    values.extend(map(abs, [-1, -2]))
    ["a", "b"]  # noqa: B018  a part of the program that is measured
    ",".join(str(v) for v in values)
    dict.fromkeys("ab")
    list.append(values, 4)
    isinstance(values, list)
    max(values), min(values), sum(values)
    io.StringIO().write("x")
    time.perf_counter()
    sys.getsizeof(values)


def libraries():
    json.loads(json.dumps({"a": [1, 2.5, None, {"b": "c"}]}, indent=1, sort_keys=True))
    re.sub(r"(\w+)-\d+", r"\1", "abc-12 def-3")
    copy.deepcopy([{"a": [1, 2, (3, 4)]}] * 3)
    textwrap.fill("some words to wrap " * 10, 30)
    with tempfile.TemporaryFile() as file:
        file.write(b"x")


async def waits():
    await asyncio.sleep(0)
    return 1


def asynchronous():
    coroutine = waits()
    with contextlib.suppress(StopIteration):
        while True:
            coroutine.send(None)


def standard_profile_workload():
    """What the standard library's own tests of profile and cProfile run."""
    profilee = pytest.importorskip(
        "test.profilee", reason="this Python was installed without its tests"
    )
    profilee.testfunc()


PROGRAMS = [
    standard_profile_workload,
    plain_python,
    generators,
    exceptions,
    builtins_of_all_kinds,
    libraries,
    asynchronous,
]


def by_label(code):
    return (
        ("~", 0, code)
        if isinstance(code, str)
        else (code.co_filename, code.co_firstlineno, code.co_name)
    )


def counts_by_cprofile(program, builtins):
    """Summed over code objects that share a label; cProfile's own statistics keep only the last of
    them.
    """
    profiler = cProfile.Profile(builtins=builtins)
    profiler.enable()
    program()
    profiler.disable()
    functions, callers = {}, {}
    for entry in profiler.getstats():
        label = by_label(entry.code)
        calls, recursive = functions.get(label, (0, 0))
        functions[label] = (calls + entry.callcount, recursive + entry.reccallcount)
        for sub in entry.calls or ():
            edge = (label, by_label(sub.code))
            callers[edge] = callers.get(edge, 0) + sub.callcount
    return {
        label: (calls - recursive, calls) for label, (calls, recursive) in functions.items()
    }, callers


def counts_by_laptime(engine, program, builtins):
    engine.clear()
    native.start_functions(builtins=builtins, budget=-1.0)
    program()
    native.stop_functions()
    stats = engine.snapshot_functions()
    functions = {label: (row[0], row[1]) for label, row in stats.items()}
    callers = {
        (caller, label): row[0] for label, full in stats.items() for caller, row in full[4].items()
    }
    return functions, callers


def without_the_switch(functions, callers):
    """Drops the call that switches cProfile off."""
    own = {label for label in functions if "disable" in label[2]}
    kept = {label: row for label, row in functions.items() if label not in own}
    return kept, {edge: n for edge, n in callers.items() if edge[1] not in own}


@pytest.mark.parametrize("builtins", [False, True], ids=["python", "builtins"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_counts_are_cprofiles(engine, program, builtins):
    program()  # caches and imports
    expected = without_the_switch(*counts_by_cprofile(program, builtins))
    measured = counts_by_laptime(engine, program, builtins)
    assert measured[0] == expected[0]
    assert measured[1] == expected[1]
    assert native.call_slips() == 0


def test_times_are_right(engine):
    def outer():
        time.sleep(0.02)
        inner()
        inner()

    def inner():
        time.sleep(0.03)

    engine.start(functions=True, builtins=True)
    outer()
    engine.stop()
    rows = {name: row for (_, _, name), row in engine.snapshot_functions().items()}
    assert 0.08 <= rows["outer"][3] < 0.2 and rows["outer"][2] < 0.02
    assert rows["inner"][1] == 2 and 0.06 <= rows["inner"][3] < 0.15
    sleeps = rows["<built-in method time.sleep>"]
    assert sleeps[1] == 3 and 0.08 <= sleeps[2] < 0.2
    assert {caller[2]: row[0] for caller, row in sleeps[4].items()} == {"outer": 1, "inner": 2}


def test_pstats_reads_it(engine):
    engine.start(functions=True, builtins=True)
    libraries()
    engine.stop()

    class Source:
        def create_stats(self):
            self.stats = engine.snapshot_functions()

    out = io.StringIO()
    pstats.Stats(Source(), stream=out).strip_dirs().sort_stats("cumulative").print_stats(
        5
    ).print_callers(3)
    assert "function calls" in out.getvalue() and "was called by" in out.getvalue()


def test_lines_and_functions_together(engine):
    engine.start(lines=True, functions=True, builtins=True)
    workloads.fib(8)
    engine.stop()
    functions = {name: row for (_, _, name), row in engine.snapshot_functions().items()}
    assert functions["fib"][:2] == (1, 67)
    rows = next(rows for (_, _, name), rows in engine.snapshot_lines().items() if name == "fib")
    assert rows[0][1] == 67
