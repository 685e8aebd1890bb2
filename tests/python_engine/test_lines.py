"""Lines of programs whose true times and counts are known. Sleeps may last longer than asked, never
shorter.
"""

import sys
import time

import laptime
import workloads
from conftest import Lines
from laptime._native import recording

LATE = 0.05  # what a loaded machine may add to a line that does nothing


def close(measured, truth):
    return truth <= measured <= truth * 1.5 + 0.2


def test_recursion_counts_inclusive_time_once(measure):
    lines = measure(workloads.recursive, 3)
    hits, inclusive, exclusive = lines.at(workloads.recursive, "recursive(n - 1)")
    assert hits == 3
    assert close(inclusive, 0.09)
    assert exclusive < LATE
    assert lines.at(workloads.recursive, "sleep(0.02)")[0] == 4
    assert close(lines.at(workloads.recursive, "sleep(0.02)")[2], 0.08)


def test_generator_is_not_charged_while_suspended(measure):
    lines = measure(workloads.use_generator)
    hits, inclusive, _ = lines.at(workloads.numbers, "yield i")
    assert hits == 4 and inclusive < LATE
    assert close(lines.at(workloads.numbers, "sleep(0.01)")[1], 0.04)
    assert close(lines.at(workloads.use_generator, "sleep(0.02)")[1], 0.08)
    assert close(lines.at(workloads.use_generator, "for _ in")[1], 0.05)


def test_await_is_not_charged_while_suspended(measure):
    lines = measure(workloads.run_async)
    hits, inclusive, _ = lines.at(workloads.pause_between, "await asyncio.sleep")
    assert hits == 3 and inclusive < 0.05
    assert close(lines.at(workloads.pause_between, "sleep(0.02)")[1], 0.06)


def test_async_generator(measure):
    import asyncio

    lines = measure(asyncio.run, workloads.use_ticker())
    assert lines.at(workloads.ticker, "yield i")[0] == 3
    assert close(lines.at(workloads.ticker, "sleep(0.01)")[1], 0.03)
    assert close(lines.at(workloads.use_ticker, "sleep(0.02)")[1], 0.06)
    assert close(lines.at(workloads.use_ticker, "async for")[1], 0.03)


def test_exceptions_leave_no_frame_behind(measure):
    lines = measure(workloads.catch)
    assert lines.at(workloads.raise_deep, "raise ValueError")[0] == 10
    assert lines.at(workloads.raise_deep, "if n == 0")[0] == 60
    assert close(lines.at(workloads.catch, "sleep(0.002)")[1], 0.02)
    assert close(lines.at(workloads.catch, "sleep(0.02)")[1], 0.02)
    assert lines.at(workloads.catch, "raise_deep(5)")[1] < LATE


def test_context_manager(measure):
    lines = measure(workloads.use_manager)
    assert close(lines.at(workloads.use_manager, "sleep(0.03)")[1], 0.03)
    assert close(lines.at(workloads.use_manager, "with managed")[1], 0.03)
    assert close(lines.at(workloads.managed.__wrapped__, "sleep(0.01)")[1], 0.01)
    assert close(lines.at(workloads.managed.__wrapped__, "sleep(0.02)")[1], 0.02)


def test_a_statement_over_several_lines_runs_once_a_time(measure):
    lines = measure(workloads.long_statement)
    hits, inclusive, exclusive = lines.at(workloads.long_statement, "x = three(")
    assert hits == 3
    assert close(inclusive, 0.03) and exclusive < LATE
    assert lines.at(workloads.long_statement, "sleep(0.02)")[0] == 3
    assert close(lines.at(workloads.long_statement, "sleep(0.02)")[1], 0.06)


def test_a_comprehension_over_several_lines_runs_once_a_time(measure):
    assert measure(workloads.long_comprehension).at(workloads.long_comprehension, "x = [")[0] == 3


def test_a_long_statement_in_a_loop_without_a_line_of_its_own(measure):
    lines = measure(workloads.endless_loop_around_a_long_statement, 5)
    assert lines.at(workloads.endless_loop_around_a_long_statement, "left = max(")[0] == 5
    lines = measure(workloads.loop_with_nothing_else, [1, 2, 3, 4])
    assert lines.at(workloads.loop_with_nothing_else, "value = abs(")[0] == 5
    assert lines.at(workloads.loop_with_nothing_else, "take()")[0] == 5
    lines = measure(workloads.chained_calls, [1, 2, 3, 4])
    assert lines.at(workloads.chained_calls, "(str(take())")[0] == 5


def test_a_loop_and_its_long_body_on_one_line(measure):
    lines = measure(workloads.one_line_for, 6)
    assert lines.at(workloads.one_line_for, "for _ in")[0] == 7
    assert lines.at(workloads.one_line_for, "1,")[0] == 6
    lines = measure(workloads.one_line_while, [1, 2, 3])
    # Below 3.12 no event tells of the condition's last turn, whether the loop's body is long or
    # not.
    assert lines.at(workloads.one_line_while, "while values")[0] == (
        4 if sys.version_info >= (3, 12) else 3
    )
    assert lines.at(workloads.one_line_while, "-1")[0] == 3


def test_loops_of_comprehensions_are_part_of_their_statement(measure):
    lines = measure(workloads.comprehension_on_the_first_line)
    assert lines.at(workloads.comprehension_on_the_first_line, "x = [i for")[0] == 3
    lines = measure(workloads.endless_comprehension, [2, 3, 4])
    assert lines.at(workloads.endless_comprehension, "x = [")[0] == 4


def test_lambda_and_its_caller(measure):
    lines = measure(workloads.lambdas)
    assert close(lines.at(workloads.lambdas, "wait(0.01)")[1], 0.03)
    assert lines.at(workloads.lambdas, "wait(0.01)")[2] < LATE
    (row,) = lines.by_function["<lambda>"].values()
    assert row[0] == 3 and close(row[2], 0.03)


def test_exclusive_times_add_up_to_wall_time(engine):
    def outer():
        for _ in range(2000):
            workloads.fib(5)
        workloads.recursive(1)

    engine.start(lines=True)
    begin = time.perf_counter()
    outer()
    wall = time.perf_counter() - begin
    engine.stop()
    total = sum(row[3] for rows in engine.snapshot_lines().values() for row in rows) / 1e9
    # Everything between start() and stop() is this thread's own code: its lines and those around
    # the two clocks.
    assert wall * 0.99 <= total <= wall * 1.01 + 0.002


def test_frames_that_run_already_are_entered_late(engine):
    def outer():
        engine.start(lines=True)
        time.sleep(0.02)
        inner()
        engine.stop()

    def inner():
        time.sleep(0.01)

    outer()
    lines = Lines(engine.snapshot_lines())
    assert close(lines.at(outer, "sleep(0.02)")[1], 0.02)
    hits, inclusive, exclusive = lines.at(outer, "inner()")
    assert hits == 1 and close(inclusive, 0.01) and exclusive < LATE
    # The test's own line has been open since the start.
    test = lines.by_function["test_frames_that_run_already_are_entered_late"]
    assert any(close(inclusive, 0.03) for _, inclusive, _ in test.values())


def test_a_snapshot_while_running_holds_what_is_open(engine):
    def outer():
        time.sleep(0.02)
        return engine.snapshot_lines()

    engine.start(lines=True)
    first = Lines(outer())
    second = Lines(outer())
    engine.stop()
    assert close(first.at(outer, "sleep(0.02)")[1], 0.02)
    assert close(second.at(outer, "sleep(0.02)")[1], 0.04)


def test_only_the_code_objects_asked_for(engine):
    engine.start(lines=True, only=[workloads.fib.__code__])
    workloads.hot_loop(10)
    workloads.fib(5)
    engine.watch(workloads.hot_loop.__code__)
    workloads.hot_loop(10)
    engine.stop()
    lines = Lines(engine.snapshot_lines())
    assert set(lines.by_function) == {"fib", "hot_loop"}
    assert lines.at(workloads.fib, "if n < 2")[0] == 15
    assert lines.at(workloads.hot_loop, "total += i")[0] == 10


def test_library_code_is_not_traced_and_globs_decide(engine):
    import json

    def use():
        json.dumps({"a": [1, 2, {"b": object}]}, default=str)

    engine.start(lines=True)
    use()
    engine.stop()
    files = {key[0] for key in engine.snapshot_lines()}
    assert not any("json" in file for file in files)
    engine.clear()
    engine.start(lines=True, include=["*/json/*.py"], exclude=["*test_lines*"])
    use()
    engine.stop()
    files = {key[0] for key in engine.snapshot_lines()}
    assert any("json" in file for file in files) and __file__ not in files


def test_start_and_stop_nest(engine):
    engine.start(lines=True)
    engine.start(lines=True, functions=True)
    engine.stop()
    assert engine.running() == (True, False)
    workloads.fib(3)
    engine.stop()
    assert engine.running() == (False, False)
    engine.stop()
    assert Lines(engine.snapshot_lines()).at(workloads.fib, "if n < 2")[0] == 5


def test_code_that_is_made_again_keeps_one_record(engine):
    source = "def made(n):\n    a = n\n    return a\n"
    engine.start(lines=True, include=["made.py"])
    for _ in range(50):
        namespace = {}
        exec(compile(source, "made.py", "exec"), namespace)
        namespace["made"](1)
    other = {}
    exec(compile("def other(n):\n    return n\n", "made.py", "exec"), other)
    other["other"](1)
    engine.stop()
    lines = Lines(engine.snapshot_lines())
    assert {line: row[0] for line, row in lines.by_function["made"].items()} == {2: 50, 3: 50}
    assert {line: row[0] for line, row in lines.by_function["other"].items()} == {2: 1}


def test_compensation_takes_the_own_cost_off(engine):
    engine.start(lines=True)
    workloads.hot_loop(20000)
    engine.stop()
    raw = Lines(engine.snapshot_lines()).at(workloads.hot_loop, "total += i")
    true = Lines(engine.snapshot_lines(compensate=True)).at(workloads.hot_loop, "total += i")
    assert true[0] == raw[0] == 20000
    assert 0 <= true[2] < raw[2]
    assert engine.own_cost().line_events >= 60000
    assert engine.own_cost().estimated_ns > 0


def test_no_reference_is_kept_to_code(engine):
    namespace = {}
    exec(compile("def f():\n    return 1\n", "made.py", "exec"), namespace)
    code = namespace["f"].__code__
    before = sys.getrefcount(code)
    engine.start(lines=True, functions=True, include=["made.py"])
    namespace["f"]()
    engine.stop()
    assert sys.getrefcount(code) == before


def test_laptimes_own_work_is_no_lines(engine, tmp_path):
    def waits():
        engine.skip_lines_since((recording.now(), time.sleep(0.3))[0])

    def calls():
        waits()
        time.sleep(0.05)

    with laptime.profile(tmp_path / "run.lap"):
        calls()
    times = {
        (name.rsplit(".", 1)[-1], line - first): inclusive / 1e9
        for (_, first, name), rows in engine.snapshot_lines().items()
        for line, _, inclusive, _ in rows
    }
    assert times["waits", 1] < LATE and times["calls", 1] < 2 * LATE
    assert close(times["calls", 2], 0.05)
