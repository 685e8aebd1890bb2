"""laptime.compat.line_profiler.LineProfiler: what counts, when, and on which thread."""

import asyncio
import functools
import io
import threading
import types
import warnings

import pytest
from laptime.compat.line_profiler import LineProfiler, LineStats, show_func


def hits(profiler, name):
    """Hits of the function's lines, from its first executed line on."""
    for (_, _, qualified), rows in profiler.get_stats().timings.items():
        if qualified.rpartition(".")[2] == name:
            return [count for _, count, _ in rows]
    raise KeyError(name)


def work(n):
    total = 0
    for i in range(n):
        total += i
    return total


def helper(n):
    return n + 1


def calls_helper(n):
    return helper(n)


def factorial(n):
    if n < 2:
        return 1
    return n * factorial(n - 1)


def test_decorated_function_is_counted_and_returns_its_value():
    profiler = LineProfiler()
    wrapped = profiler(work)
    assert wrapped(10) == work(10) == 45
    assert hits(profiler, "work") == [1, 11, 10, 1]
    assert wrapped.__wrapped__ is work and wrapped.__name__ == "work"


def test_calls_past_the_wrapper_do_not_count():
    profiler = LineProfiler()
    wrapped = profiler(work)
    work(5)
    wrapped(2)
    work(5)
    assert hits(profiler, "work") == [1, 3, 2, 1]


def test_recursion_through_the_plain_name_counts():
    profiler = LineProfiler()
    assert profiler(factorial)(5) == 120
    assert hits(profiler, "factorial") == [5, 1, 4]


def test_added_function_counts_only_while_enabled():
    profiler = LineProfiler(helper)
    helper(1)
    assert profiler.get_stats().timings[next(iter(profiler.get_stats().timings))] == []
    profiler.enable_by_count()
    helper(1)
    profiler.enable_by_count()
    helper(1)
    profiler.disable_by_count()
    helper(1)
    profiler.disable_by_count()
    helper(1)
    assert hits(profiler, "helper") == [3]


def test_added_function_counts_inside_a_wrapped_one():
    profiler = LineProfiler()
    profiler.add_function(helper)
    wrapped = profiler(calls_helper)
    helper(1)
    wrapped(1)
    assert hits(profiler, "helper") == [1] and hits(profiler, "calls_helper") == [1]


def test_enable_count_is_a_threads_own():
    profiler = LineProfiler(helper)
    counts = []

    def on_thread():
        counts.append(profiler.enable_count)
        helper(1)

    with profiler as entered:
        assert entered is profiler and profiler.enable_count == 1
        thread = threading.Thread(target=on_thread)
        thread.start()
        thread.join()
        helper(1)
    assert counts == [0] and profiler.enable_count == 0
    assert hits(profiler, "helper") == [1]


def test_wrapped_function_counts_on_every_thread():
    profiler = LineProfiler()
    wrapped = profiler(work)
    threads = [threading.Thread(target=wrapped, args=(100,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hits(profiler, "work") == [8, 808, 800, 8]


def test_two_profilers_do_not_disturb_each_other():
    first, second = LineProfiler(), LineProfiler()
    one, two = first(work), second(work)
    one(1)
    two(1)
    two(1)
    assert hits(first, "work") == [1, 2, 1, 1]
    assert hits(second, "work") == [2, 4, 2, 2]


def test_disable_stops_whatever_the_count():
    profiler = LineProfiler(helper)
    profiler.enable()
    helper(1)
    profiler.disable()
    helper(1)
    assert hits(profiler, "helper") == [1]


def test_run_runctx_runcall():
    profiler = LineProfiler(helper)
    assert profiler.runcall(helper, 1) == 2
    namespace = {"helper": helper}
    assert profiler.runctx("x = helper(4)", namespace, namespace) is profiler
    assert namespace["x"] == 5 and hits(profiler, "helper") == [2]


def test_generator_keeps_its_protocol():
    def numbers():
        got = yield 1
        try:
            yield got
        except KeyError:
            yield "caught"
        return "end"

    profiler = LineProfiler()
    generator = profiler(numbers)()
    assert next(generator) == 1
    assert generator.send(5) == 5
    assert generator.throw(KeyError()) == "caught"
    with pytest.raises(StopIteration) as stop:
        next(generator)
    assert stop.value.value == "end"
    assert profiler.enable_count == 0


def test_closed_generator_runs_its_finally():
    ended = []

    def numbers():
        try:
            yield 1
        finally:
            ended.append(True)

    generator = LineProfiler()(numbers)()
    next(generator)
    generator.close()
    assert ended == [True]


def test_coroutine_and_async_generator():
    async def ticks(n):
        for i in range(n):
            await asyncio.sleep(0)
            yield i

    async def collect():
        return [i async for i in ticks_wrapped(3)]

    profiler = LineProfiler()
    ticks_wrapped = profiler(ticks)
    assert asyncio.run(profiler(collect)()) == [0, 1, 2]
    assert hits(profiler, "ticks") == [4, 3, 3]
    assert profiler.enable_count == 0


def make_class():
    class Thing:
        def __init__(self, x):
            self.x = x

        def method(self):
            return self.x

        @classmethod
        def make(cls):
            return cls(2)

        @staticmethod
        def fixed():
            return 3

        @property
        def value(self):
            return self.x

        @value.setter
        def value(self, x):
            self.x = x

        @functools.cached_property
        def cached(self):
            return self.x * 10

        half = functools.partialmethod(lambda self, n: n / 2, 10)

        class Inner:
            def inner(self):
                return 4

    return Thing


def test_decorated_class_has_all_its_members_counted():
    profiler = LineProfiler()
    Thing = profiler(make_class())
    thing = Thing.make()
    thing.value = 5
    assert (
        thing.method(),
        thing.fixed(),
        thing.value,
        thing.cached,
        thing.half(),
        Thing.Inner().inner(),
    ) == (5, 3, 5, 50, 5, 4)
    for name in ("__init__", "method", "make", "fixed", "value", "cached", "inner"):
        assert sum(hits(profiler, name)) >= 1, name


@pytest.mark.parametrize("name", ["bound", "partial", "callable object", "staticmethod"])
def test_other_callables(name):
    class Adder:
        def __call__(self, a, b=1):
            return a + b

        def method(self, a):
            return a

    item, arguments = {
        "bound": (Adder().method, (3,)),
        "partial": (functools.partial(helper, 3), ()),
        "callable object": (Adder(), (3, 0)),
        "staticmethod": (staticmethod(helper), (3,)),
    }[name]
    profiler = LineProfiler()
    wrapped = profiler(item)
    result = (
        wrapped.__func__(*arguments) if isinstance(wrapped, staticmethod) else wrapped(*arguments)
    )
    assert result in (3, 4)
    assert sum(row[1] for rows in profiler.get_stats().timings.values() for row in rows) == 1


def test_c_functions_are_left_alone():
    profiler = LineProfiler()
    assert profiler(len) is len and profiler(str.upper) is str.upper
    assert profiler.get_stats().timings == {}


def test_wrapping_twice_is_wrapping_once():
    profiler = LineProfiler()
    wrapped = profiler(work)
    assert profiler(wrapped) is wrapped
    with pytest.raises(TypeError):
        profiler(3)


def test_add_module_and_add_class():
    module = types.ModuleType("made_up")
    exec("def f():\n    return 1\nclass C:\n    def m(self):\n        return 2\n", vars(module))
    profiler = LineProfiler()
    assert profiler.add_module(module) == 2
    with profiler:
        module.f()
        module.C().m()
    assert hits(profiler, "f") == [1] and hits(profiler, "m") == [1]
    other = LineProfiler()
    assert other.add_class(module.C, wrap=True) == 1
    module.C().m()
    assert hits(other, "m") == [1]


def test_adding_what_has_no_code_warns():
    profiler = LineProfiler()
    with pytest.warns(UserWarning, match="Could not extract a code object"):
        profiler.add_function(object())
    with pytest.warns(UserWarning, match="__wrapped__"):
        profiler.add_function(functools.wraps(work)(lambda: None))


def test_stats_add_up_over_units():
    fine = LineStats({("a.py", 1, "f"): [(2, 10, 3000)]}, 1e-9)
    coarse = LineStats({("a.py", 1, "f"): [(2, 1, 2), (3, 1, 1)], ("b.py", 1, "g"): []}, 1e-6)
    total = fine + coarse
    assert total.unit == 1e-6
    assert total.timings == {("a.py", 1, "f"): [(2, 11, 5), (3, 1, 1)], ("b.py", 1, "g"): []}
    fine += coarse
    assert fine == total != coarse


def test_source_that_is_gone_and_streams_that_cannot_write_it(tmp_path):
    out = io.StringIO()
    show_func("/nowhere/gone.py", 3, "f", [(4, 1, 1000)], 1e-9, 1e-6, out)
    assert (
        "Could not find file /nowhere/gone.py" in out.getvalue()
        and "Line Contents" in out.getvalue()
    )
    source = tmp_path / "accents.py"
    source.write_text("def f():\n    return 'é'\n", encoding="utf-8")
    ascii_out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    show_func(str(source), 1, "f", [(2, 1, 1000)], 1e-9, 1e-6, ascii_out)
    ascii_out.flush()
    assert b"return '\\xe9'" in ascii_out.buffer.getvalue()


def test_profiler_that_is_gone_leaves_the_engine_off():
    from laptime.collect import engine

    before = engine.running()
    profiler = LineProfiler(helper)
    assert engine.running()[0]
    del profiler
    assert engine.running() == before


def test_no_warning_for_plain_use():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LineProfiler(work)(helper)(1)


@pytest.mark.parametrize("profiler_first", [True, False])
def test_a_profiler_beside_a_recording(tmp_path, profiler_first):
    import laptime
    from laptime.collect import engine

    profiler = LineProfiler(work) if profiler_first else None
    with laptime.profile(tmp_path / "run.lap", budget=0.001):
        profiler = profiler or LineProfiler(work)
        profiler.runcall(work, 100_000)
        calls_helper(3)
        recorded = {
            name.rpartition(".")[2]: rows for (_, _, name), rows in engine.snapshot_lines().items()
        }
    profiler.runcall(work, 5)
    # All its lines, whatever the recording's budget says; and the recording has the rest of the
    # user's code.
    assert hits(profiler, "work") == [2, 100_007, 100_005, 2]
    assert "calls_helper" in recorded
    work(1)
    assert hits(profiler, "work") == [2, 100_007, 100_005, 2]


def test_after_the_recording_only_the_profilers_functions_cost_anything(tmp_path):
    import laptime
    from laptime.collect import engine

    profiler = LineProfiler(helper)
    with laptime.profile(tmp_path / "run.lap"):
        work(1)
    before = engine.own_cost().line_events
    work(10_000)
    assert engine.own_cost().line_events - before < 100
    profiler.runcall(helper, 1)
    assert hits(profiler, "helper") == [1]


def test_the_code_map_has_what_was_measured_by_code():
    profiler = LineProfiler(work)
    assert profiler.code_map == {work.__code__: {}}
    assert profiler.code_hash_map == {work.__code__: [hash(work.__code__.co_code)]}
    with profiler:
        work(3)
    lines = profiler.code_map[work.__code__]
    assert [row["nhits"] for row in lines.values()] == hits(profiler, "work")
    assert all(row["lineno"] == line and row["total_time"] > 0 for line, row in lines.items())
