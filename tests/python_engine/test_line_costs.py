"""What a line event costs depends on the function's length on CPython 3.12 and 3.13; the budget
knows it before the first event.
"""

import sys

import pytest

LOOKS_UP_LINES = (3, 12) <= sys.version_info < (3, 14)


def long_function(lines, name="long"):
    """A function of so many lines that does nothing else, in a file of the program's own."""
    source = f"def {name}():\n" + "".join(f"    x{i} = {i}\n" for i in range(lines))
    namespace = {}
    exec(compile(source, f"/program/{name}.py", "exec"), namespace)
    return namespace[name]


def rows_of(engine, name):
    return {
        line: hits
        for (_, _, qualified), rows in engine.snapshot_lines().items()
        if qualified == name
        for line, hits, *_ in rows
    }


@pytest.mark.skipif(not LOOKS_UP_LINES, reason="every line event costs the same")
def test_a_function_too_long_for_line_events_is_timed_by_call_from_its_first_call(engine):
    function = long_function(4000)
    engine.start(lines=True, budget=0.05)
    function()
    function()
    engine.stop()
    assert rows_of(engine, "long") == {0: 2}
    assert [(d.name, d.level) for d in engine.demoted() if d.name == "long"] == [("long", "call")]


@pytest.mark.skipif(LOOKS_UP_LINES, reason="only where every line event costs the same")
def test_elsewhere_a_long_function_is_timed_by_line(engine):
    function = long_function(4000)
    engine.start(lines=True, budget=0.5)
    function()
    engine.stop()
    assert len(rows_of(engine, "long")) >= 4000


def test_without_a_budget_a_long_function_is_timed_by_line(engine):
    function = long_function(1000)
    engine.start(lines=True)
    function()
    engine.stop()
    assert rows_of(engine, "long") == dict.fromkeys(range(2, 1002), 1)


@pytest.mark.skipif(not LOOKS_UP_LINES, reason="every line event costs the same")
def test_events_of_a_long_function_count_for_what_they_cost(engine):
    def events_of(function):
        engine.clear()
        engine.start(lines=True)
        before = engine.own_cost().line_events
        function()
        after = engine.own_cost().line_events
        engine.stop()
        return after - before

    short, long = long_function(100, "short"), long_function(1600)
    assert 100 <= events_of(short) < 150
    assert events_of(long) > 20 * 1600


@pytest.mark.skipif(not LOOKS_UP_LINES, reason="every line event costs the same")
def test_a_long_function_that_is_called_often_is_soon_timed_by_call(engine):
    """Shorter than what is refused from the start: one call is affordable, a hundred in a row are
    not.
    """
    function = long_function(700)
    engine.start(lines=True, budget=0.05)
    for _ in range(200):
        function()
    engine.stop()
    rows = rows_of(engine, "long")
    assert rows[0] > 150, "most calls were timed as a whole"
    assert any(line > 0 for line in rows), "the first was timed by line"


def test_the_code_of_a_module_runs_once_and_stays_by_line(engine):
    source = "".join(f"x{i} = {i}\n" for i in range(300))
    engine.start(lines=True, budget=0.9)
    exec(compile(source, "/program/module.py", "exec"), {})
    engine.stop()
    assert len([line for line in rows_of(engine, "<module>") if line > 0]) == 300
