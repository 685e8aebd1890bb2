"""cProfile's Profile on laptime's function engine: the same numbers and texts, and correct with
threads.

All threads are measured, each on a stack of its own. cProfile sees one thread before Python 3.12
and mixes threads since. With a timer of the program's own, the interpreter's profiler counts.
"""

from __future__ import annotations

import marshal
import os
import pstats
from collections import namedtuple
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from laptime.collect import engine
from laptime.compat import function_counters, function_stats
from laptime.compat.function_counters import EngineCounter, TimerCounter
from laptime.compat.function_stats import Function, FunctionStats

# cProfile's tables contain its own last call. Programs that add up ncalls expect it.
_DISABLE: Function = ("~", 0, "<method 'disable' of '_lsprof.Profiler' objects>")
_OWN_FILES = {__file__, function_counters.__file__, engine.__file__}

profiler_entry = namedtuple(
    "profiler_entry", "code callcount reccallcount totaltime inlinetime calls"
)
profiler_subentry = namedtuple(
    "profiler_subentry", "code callcount reccallcount totaltime inlinetime"
)


class Profile:
    """``Profile(builtins=True)``: C functions too. ``subcalls``: who called whom. ``timer`` and
    ``timeunit``: another clock.
    """

    def __init__(
        self,
        timer: Callable[[], float] | None = None,
        timeunit: float = 0.0,
        subcalls: bool = True,
        builtins: bool = True,
    ) -> None:
        self._counter = EngineCounter() if timer is None else TimerCounter(timer, timeunit)
        self._subcalls = subcalls
        self._builtins = builtins
        self.stats: FunctionStats = {}

    def enable(self, subcalls: bool = True, builtins: bool = True) -> None:
        """Starts, or continues after ``disable``. From Python 3.12 on, a second active profiler
        raises ValueError.
        """
        self._subcalls = self._subcalls and subcalls
        self._builtins = self._builtins and builtins
        self._counter.enable(self._builtins)
        function_counters.shown.add(self)

    def disable(self) -> None:
        self._counter.disable()
        function_counters.shown.remove(self)

    def clear(self) -> None:
        """Clears all counts."""
        self._counter.clear()

    def create_stats(self) -> None:
        self.disable()
        self.snapshot_stats()

    def snapshot_stats(self) -> None:
        """Writes the counts to ``stats``, in pstats's form."""
        counted = self._of_program(self._counter.functions())
        self.stats = (
            counted if self._subcalls else {key: (*entry[:4], {}) for key, entry in counted.items()}
        )

    def print_stats(self, sort: Any = -1) -> None:
        keys = sort if isinstance(sort, tuple) else (sort,)
        pstats.Stats(cast(Any, self)).strip_dirs().sort_stats(*keys).print_stats()

    def dump_stats(self, file: str | os.PathLike[str]) -> None:
        self.create_stats()
        with open(file, "wb") as out:
            marshal.dump(self.stats, out)

    def getstats(self) -> list[profiler_entry]:
        """The same as ``_lsprof.Profiler.getstats``. ``code`` is a text for C functions, else an
        object with a code object's names.
        """
        self.snapshot_stats()
        callees: dict[Function, list[profiler_subentry]] = {}
        for function, (_, _, _, _, callers) in self.stats.items():
            for caller, (nc, cc, tt, ct) in callers.items():
                callees.setdefault(caller, []).append(
                    profiler_subentry(_code_of(function), nc, nc - cc, ct, tt)
                )
        return [
            profiler_entry(_code_of(function), nc, nc - cc, ct, tt, callees.get(function))
            for function, (cc, nc, tt, ct, _) in self.stats.items()
        ]

    def run(self, cmd: Any) -> Profile:
        import __main__

        return self.runctx(cmd, __main__.__dict__, __main__.__dict__)

    def runctx(self, cmd: Any, globals: dict[str, Any], locals: Any) -> Profile:
        self.enable()
        try:
            exec(cmd, globals, locals)
        finally:
            self.disable()
        return self

    def runcall(self, func: Callable[..., Any], /, *args: Any, **kw: Any) -> Any:
        self.enable()
        try:
            return func(*args, **kw)
        finally:
            self.disable()

    def _of_program(self, counted: FunctionStats) -> FunctionStats:
        """Leaves out laptime's own functions. Our ``disable`` gets the name of cProfile's."""
        result = function_stats.without(counted, lambda function: function[0] in _OWN_FILES)
        ours = counted.get(_OUR_DISABLE)
        if ours is not None and self._builtins:
            callers = {
                caller: (nc, cc, 0.0, 0.0)
                for caller, (nc, cc, _, _) in ours[4].items()
                if caller[0] not in _OWN_FILES
            }
            result[_DISABLE] = (ours[0], ours[1], 0.0, 0.0, callers)
        return result

    def __enter__(self) -> Profile:
        self.enable()
        return self

    def __exit__(self, *_: object) -> None:
        self.disable()


def run(statement: Any, filename: str | None = None, sort: Any = -1) -> None:
    """Profiles a statement. The results go to a file, or to stdout as text."""
    _show(Profile().run(statement), filename, sort)


def runctx(
    statement: Any,
    globals: dict[str, Any],
    locals: Any,
    filename: str | None = None,
    sort: Any = -1,
) -> None:
    profile = Profile()
    try:
        profile.runctx(statement, globals, locals)
    finally:
        _show(profile, filename, sort)


def _show(profile: Profile, filename: str | None, sort: Any) -> None:
    if filename is not None:
        profile.dump_stats(filename)
    else:
        profile.print_stats(sort)


def _code_of(function: Function) -> Any:
    file, line, name = function
    return (
        name
        if file == "~"
        else SimpleNamespace(co_filename=file, co_firstlineno=line, co_name=name)
    )


_OUR_DISABLE: Function = (__file__, Profile.disable.__code__.co_firstlineno, "disable")
