"""Counts a Profile's calls: with laptime's function engine, or with the interpreter's profiler if
the program has a timer of its own.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from laptime._native import engine as _native
from laptime.collect import engine
from laptime.compat import function_stats
from laptime.compat.function_stats import Function, FunctionStats, Numbers


class _Shown(threading.local):
    """The profilers that are enabled on a thread, the latest last. Before Python 3.12,
    sys.getprofile() returns the latest one.
    """

    def __init__(self) -> None:
        self._profilers: list[object] = []

    def add(self, profiler: object) -> None:
        if profiler not in self._profilers:
            self._profilers.append(profiler)
        _native.show_profiler(profiler)

    def remove(self, profiler: object) -> None:
        if profiler in self._profilers:
            self._profilers.remove(profiler)
            _native.show_profiler(self._profilers[-1] if self._profilers else None)


shown = _Shown()


class EngineCounter:
    def __init__(self) -> None:
        self._total: FunctionStats = {}
        self._base: FunctionStats | None = None  # None: not enabled

    def enable(self, builtins: bool) -> None:
        _claim_profiler_id()
        if self._base is not None:
            return
        self._base = {}
        try:
            engine.start(functions=True, builtins=builtins)
        except BaseException:
            self._base = None
            _release_profiler_id()
            raise
        # Taken after the engine started: the calls that start it do not belong to the program.
        self._base = engine.snapshot_functions()

    def disable(self) -> None:
        if self._base is None:
            return
        engine.stop(functions=True)
        _release_profiler_id()
        function_stats.add_to(self._total, self._since_enabled())
        self._base = None

    def clear(self) -> None:
        self._total = {}
        if self._base is not None:
            self._base = engine.snapshot_functions()

    def functions(self) -> FunctionStats:
        counted = dict(self._total)
        if self._base is not None:
            function_stats.add_to(counted, self._since_enabled())
        return counted

    def _since_enabled(self) -> FunctionStats:
        return function_stats.difference(engine.snapshot_functions(), self._base or {})


class TimerCounter:
    """The interpreter's profiler, which reads the timer at every event. It sees of other threads
    what it always sees.
    """

    def __init__(self, timer: Callable[[], float], timeunit: float) -> None:
        # Not cProfile.Profile: a program may have replaced that by ours.
        from _lsprof import Profiler

        self._profiler: Any = Profiler(timer, timeunit)

    def enable(self, builtins: bool) -> None:
        self._profiler.enable(builtins=builtins)

    def disable(self) -> None:
        self._profiler.disable()

    def clear(self) -> None:
        self._profiler.clear()

    def functions(self) -> FunctionStats:
        entries = self._profiler.getstats()
        result: FunctionStats = {}
        for entry in entries:
            function_stats.add_to(result, {_function(entry.code): (*_primitive_first(entry), {})})
        for caller in entries:
            for callee in caller.calls or ():
                primitive, calls, own, whole = _primitive_first(callee)
                called = {_function(caller.code): (calls, primitive, own, whole)}
                function_stats.add_to(result, {_function(callee.code): (0, 0, 0.0, 0.0, called)})
        return result


def _function(code: Any) -> Function:
    return (
        ("~", 0, code)
        if isinstance(code, str)
        else (code.co_filename, code.co_firstlineno, code.co_name)
    )


def _primitive_first(entry: Any) -> Numbers:
    return entry.callcount - entry.reccallcount, entry.callcount, entry.inlinetime, entry.totaltime


def _claim_profiler_id() -> None:
    """Allows one profiler at a time.

    Since Python 3.12 cProfile holds this id and raises the same error.
    """
    if sys.version_info >= (3, 12):
        try:
            sys.monitoring.use_tool_id(sys.monitoring.PROFILER_ID, "cProfile")
        except ValueError:
            raise ValueError("Another profiling tool is already active") from None


def _release_profiler_id() -> None:
    if sys.version_info >= (3, 12):
        sys.monitoring.free_tool_id(sys.monitoring.PROFILER_ID)
