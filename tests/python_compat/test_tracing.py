"""LineProfiler beside other trace functions, its tracing options, and where it ends what it began
by name.
"""

import gc
import io
import sys
import threading
import types
import weakref

import pytest
from laptime.compat.line_profiler import LineProfiler, show_func


def loop(n):
    total = 0
    for i in range(n):
        total += i
    return total


ADDS = loop.__code__.co_firstlineno + 3


def hits(profiler, line=ADDS):
    return sum(
        count
        for rows in profiler.get_stats().timings.values()
        for number, count, _ in rows
        if number == line
    )


@pytest.fixture
def traced():
    """Sets a trace function, and takes it away at the end."""
    yield sys.settrace
    sys.settrace(None)


class Tracer:
    def __init__(self, on_event=lambda frame, event: None):
        self.events = []
        self._on_event = on_event

    def __call__(self, frame, event, _):
        if frame.f_code is loop.__code__:
            self.events.append((event, frame.f_lineno - loop.__code__.co_firstlineno))
            self._on_event(frame, event)
        return self


def events_alone(traced, n):
    tracer = Tracer()
    traced(tracer)
    loop(n)
    traced(None)
    return tracer.events


@pytest.mark.parametrize("wrap_trace", [None, True, False])
def test_both_see_every_line(traced, wrap_trace):
    expected = events_alone(traced, 5)
    tracer = Tracer()
    traced(tracer)
    profiler = LineProfiler(wrap_trace=wrap_trace)
    total = profiler(loop)(5)
    assert sys.gettrace() is tracer
    traced(None)
    assert (total, tracer.events, hits(profiler)) == (10, expected, 5)


def test_both_see_every_line_in_threads():
    profiler = LineProfiler(loop)
    tracers = [Tracer() for _ in range(4)]

    def run(tracer):
        sys.settrace(tracer)
        profiler.runcall(loop, 50)
        assert sys.gettrace() is tracer

    threads = [threading.Thread(target=run, args=[tracer]) for tracer in tracers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hits(profiler) == 200
    assert [len(tracer.events) for tracer in tracers] == [105] * 4


def test_library_code_stays_the_other_ones(traced):
    seen = []

    def tracer(frame, event, _):
        seen.append(frame.f_code.co_name)
        return tracer

    def calls_library():
        import textwrap

        return textwrap.dedent(" a")

    profiler = LineProfiler(calls_library)
    traced(tracer)
    profiler.runcall(calls_library)
    traced(None)
    assert "dedent" in seen and "calls_library" in seen
    assert [name.rsplit(".")[-1] for _, _, name in profiler.get_stats().timings] == [
        "calls_library"
    ]


def test_a_trace_function_that_fails_ends_and_lines_go_on(traced):
    def fail(frame, event):
        if event == "return":
            raise KeyError("of the trace function")

    profiler = LineProfiler()
    wrapped = profiler(loop)
    tracer = Tracer(fail)
    traced(tracer)
    with pytest.raises(KeyError):
        wrapped(3)
    assert sys.gettrace() is None
    count = len(tracer.events)
    wrapped(4)
    assert hits(profiler) == 7 and len(tracer.events) == count


def test_a_trace_function_that_wants_no_lines_gets_none(traced):
    def no_lines(frame, event):
        if event == "line":
            frame.f_trace_lines = False

    profiler = LineProfiler()
    tracer = Tracer(no_lines)
    traced(tracer)
    profiler(loop)(5)
    traced(None)
    assert [event for event, _ in tracer.events] == ["call", "line", "return"] and hits(
        profiler
    ) == 5


def test_a_trace_function_that_replaces_itself(traced):
    later = Tracer()

    def replace(frame, event):
        sys.settrace(later)

    profiler = LineProfiler()
    wrapped = profiler(loop)
    traced(Tracer(replace))
    wrapped(2)
    assert sys.gettrace() is later
    wrapped(3)
    traced(None)
    assert hits(profiler) == 5 and later.events.count(("call", 0)) == 1


def test_a_profiler_within_a_traced_profiled_function(traced):
    def outer():
        inner = LineProfiler()
        inner(loop)(2)
        del inner
        return loop(3)

    profiler = LineProfiler(outer, loop)
    tracer = Tracer()
    traced(tracer)
    profiler.runcall(outer)
    traced(None)
    assert hits(profiler) == 5 and tracer.events.count(("call", 0)) == 2


def test_tracing_options_and_their_variables(monkeypatch):
    profiler = LineProfiler(loop, wrap_trace=True, set_frame_local_trace=False)
    assert profiler.wrap_trace is True and profiler.set_frame_local_trace is False
    monkeypatch.setenv("LINE_PROFILER_WRAP_TRACE", "yes")
    monkeypatch.setenv("LINE_PROFILER_SET_FRAME_LOCAL_TRACE", "1")
    monkeypatch.setenv("LINE_PROFILER_CORE", "legacy")
    profiler = LineProfiler(loop)
    assert profiler.wrap_trace is True and profiler.set_frame_local_trace is True
    assert LineProfiler(wrap_trace=False).wrap_trace is False
    profiler.runcall(loop, 2)
    assert hits(profiler) == 2


def in_thread(function, *arguments):
    thread = threading.Thread(target=function, args=arguments)
    thread.start()
    thread.join()


def test_a_count_of_0_ends_what_was_added_by_module():
    module = types.ModuleType("added")
    exec(compile("def work(n):\n    return n\n", "added.py", "exec"), vars(module))
    profiler = LineProfiler()
    for _ in range(2):
        profiler.add_imported_function_or_module(module)
    assert profiler.enable_count == 2
    module.work(1)
    in_thread(module.work, 1)
    in_thread(profiler.runcall, module.work, 1)  # another thread's count ends nothing
    profiler.disable_by_count()
    module.work(1)
    profiler.disable_by_count()
    module.work(1)
    in_thread(module.work, 1)
    assert profiler.enable_count == 0 and hits(profiler, 2) == 4
    with profiler:
        module.work(1)
    assert hits(profiler, 2) == 5


def test_a_thread_that_is_within_stays_on_when_everywhere_ends():
    profiler = LineProfiler()
    profiler.add_imported_function_or_module(loop)
    entered, ended = threading.Event(), threading.Event()

    def run():
        with profiler:
            loop(2)
            entered.set()
            ended.wait(10)
            loop(3)
        loop(100)

    thread = threading.Thread(target=run)
    thread.start()
    entered.wait(10)
    profiler.disable_by_count()
    loop(100)
    ended.set()
    thread.join()
    assert hits(profiler) == 5


def test_an_error_thrown_into_a_wrapped_generator_is_not_kept():
    def echo():
        yield 1

    class Error(Exception):
        pass

    generator = LineProfiler()(echo)()
    next(generator)
    error = Error()
    gone = weakref.ref(error)
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(Error):
            generator.throw(error)
        del error, generator
        assert gone() is None
    finally:
        gc.enable()


def test_hits_may_be_whole_floats():
    out = io.StringIO()
    show_func(
        __file__,
        loop.__code__.co_firstlineno,
        "loop",
        [(ADDS, 3.0, 10.0), (ADDS + 1, 1e13, 10.0)],
        1.0,
        stream=out,
    )
    assert " 3 " in out.getvalue() and " 1e+13 " in out.getvalue()
