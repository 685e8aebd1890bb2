"""LineProfiler: times the lines of the given functions, while it is enabled."""

from __future__ import annotations

import os
import types
import warnings
import weakref
from collections.abc import Callable
from typing import Any, TextIO, TypeVar

from laptime._native import LineSession
from laptime.collect import engine
from laptime.compat.line_profiler import callables
from laptime.compat.line_profiler.config import says_yes
from laptime.compat.line_profiler.counted import CountedProfiler
from laptime.compat.line_profiler.lprof_file import Key, Row
from laptime.compat.line_profiler.scoping import PolicyArgument, Scope, scope_of
from laptime.compat.line_profiler.stats import LineStats

_NANOSECOND = 1e-9
_CodeKey = TypeVar("_CodeKey")


class LineProfiler(CountedProfiler):
    """Drop-in for line_profiler.LineProfiler. Each thread enables it by count."""

    timer_unit = _NANOSECOND
    # gets a line for each addition, in line_profiler's words
    announce: Callable[[str], None] | None = None

    def __init__(
        self,
        *functions: Any,
        wrap_trace: bool | None = None,
        set_frame_local_trace: bool | None = None,
    ) -> None:
        """The two settings have no effect: trace functions of other tools are never replaced, so
        they always run.
        """
        self.wrap_trace = _setting(wrap_trace, "LINE_PROFILER_WRAP_TRACE")
        self.set_frame_local_trace = _setting(
            set_frame_local_trace, "LINE_PROFILER_SET_FRAME_LOCAL_TRACE"
        )
        self.functions: list[Any] = []
        # By identity: equal code may belong to different functions.
        self._codes: dict[int, types.CodeType] = {}
        self._session = LineSession()
        # Bound once, because they run at every call of a decorated function.
        self.enable_by_count = self._session.enter  # type: ignore[method-assign]
        self.disable_by_count = self._session.leave  # type: ignore[method-assign]
        for function in functions:
            self.add_callable(function)

    def __call__(self, func: Any) -> Any:
        """As a decorator: adds the functions behind `func`. Returns it with profiling on while it
        runs.
        """
        self.add_callable(func)
        return self.wrap_callable(func)

    def add_callable(
        self, func: Any, guard: Callable[[Any], bool] | None = None, name: str | None = None
    ) -> int:
        """Adds the functions behind a callable. Returns 1 if there were any, else 0. `guard`
        decides which ones are left out.
        """
        added = 0
        for function in callables.functions_of(func):
            if guard(function) if guard else self._already_a_wrapper(function):
                continue
            implementation = _innermost(function)
            self.add_function(implementation)
            added = 1
            if self.announce:
                behind = "" if implementation is func else f" -> {_description(implementation)}"
                self._announce(f"added {_description(func)}{behind}")
        return added

    def add_function(self, func: Any) -> None:
        if hasattr(func, "__wrapped__"):
            warnings.warn(
                "Adding a function with a `.__wrapped__` attribute. You may want to profile the"
                f" wrapped function by adding `{func.__name__}.__wrapped__` instead.",
                stacklevel=2,
            )
        code = getattr(func, "__code__", None) or getattr(
            getattr(func, "__func__", None), "__code__", None
        )
        if not isinstance(code, types.CodeType):
            warnings.warn(f"Could not extract a code object for the object {func!r}", stacklevel=2)
            return
        self.functions.append(func)
        self.add_code(code)

    def add_code(self, code: types.CodeType) -> None:
        if id(code) in self._codes:
            return
        if not self._codes:
            engine.start(lines=True, only=())
            weakref.finalize(self, engine.stop, lines=True).atexit = False
        self._session.add(code)
        self._codes[id(code)] = code

    def add_imported_function_or_module(
        self, item: Any, *, scoping_policy: PolicyArgument = None, wrap: bool = False
    ) -> int:
        """Adds a module, a class or a callable, and times it from now on wherever it is called.
        Returns 1 if there was anything.
        """
        if isinstance(item, types.ModuleType):
            added = self.add_module(item, scoping_policy=scoping_policy, wrap=wrap)
        elif isinstance(item, type):
            added = self.add_class(item, scoping_policy=scoping_policy, wrap=wrap)
        else:
            try:
                added = self.add_callable(item)
            except TypeError:
                added = 0
        if added:
            self.enable_everywhere()
        return 1 if added else 0

    def add_class(
        self, cls: type, *, scoping_policy: PolicyArgument = None, wrap: bool = False
    ) -> int:
        """Adds what the class defines. Returns the number of members. `wrap`: also enables the
        profiler while they run.
        """
        return self._add_namespace(cls, scoping_policy, wrap, set())

    def add_module(
        self, mod: types.ModuleType, *, scoping_policy: PolicyArgument = None, wrap: bool = False
    ) -> int:
        """Adds what the module defines. Returns the number of members. `wrap`: also enables the
        profiler while they run.
        """
        return self._add_namespace(mod, scoping_policy, wrap, set())

    def enable(self) -> None:
        self._session.enable()

    def disable(self) -> None:
        self._session.disable()

    def enable_everywhere(self) -> None:
        """Enables it by count, on all threads, until the calling thread's count is 0."""
        self._session.enable_everywhere()

    @property
    def enable_count(self) -> int:
        """How often the calling thread has enabled it by count."""
        return self._session.depth()

    @property
    def code_map(self) -> dict[types.CodeType, dict[int, dict[str, float]]]:
        """What was measured so far, by code object and line."""
        measured = self._measured(lambda code: code)
        return {
            code: {
                line: {"lineno": line, "nhits": hits, "total_time": time}
                for line, hits, time in _rows(lines)
            }
            for code, lines in measured.items()
        }

    @property
    def code_hash_map(self) -> dict[types.CodeType, list[int]]:
        """The added code objects, each with the hash of its bytecode."""
        return {code: [hash(code.co_code)] for code in self._codes.values()}

    def get_stats(self) -> LineStats:
        return LineStats(
            {key: _rows(lines) for key, lines in self._measured(_label).items()}, self.timer_unit
        )

    def dump_stats(self, filename: str | os.PathLike[str]) -> None:
        self.get_stats().to_file(filename)

    def print_stats(
        self,
        stream: TextIO | None = None,
        output_unit: float | None = None,
        stripzeros: bool = False,
        details: bool = True,
        summarize: bool = False,
        sort: bool = False,
        rich: bool = False,
        *,
        config: Any = None,
    ) -> None:
        self.get_stats().print(
            stream, output_unit, stripzeros, details, summarize, sort, rich, config=config
        )

    def _measured(
        self, key: Callable[[types.CodeType], _CodeKey]
    ) -> dict[_CodeKey, dict[int, tuple[int, int]]]:
        """Hits and time by line. Codes with the same key are added up."""
        measured: dict[_CodeKey, dict[int, tuple[int, int]]] = {}
        for index, code in enumerate(self._codes.values()):
            lines = measured.setdefault(key(code), {})
            for line, hits, time in self._session.rows(index):
                old_hits, old_time = lines.get(line, (0, 0))
                lines[line] = old_hits + hits, old_time + time
        return measured

    def _add_namespace(
        self, namespace: type | types.ModuleType, policy: PolicyArgument, wrap: bool, seen: set[int]
    ) -> int:
        scope = scope_of(namespace, policy)
        added = 0
        to_wrap = {}
        for name, member in list(vars(namespace).items()):
            if id(member) in seen:
                continue
            seen.add(id(member))
            if isinstance(member, (type, types.ModuleType)):
                enters = scope.enters_class if isinstance(member, type) else scope.enters_module
                found = enters(member) and self._add_namespace(member, policy, wrap, seen)
            else:
                found = self._add_member(member, scope)
                if found and wrap:
                    to_wrap[name] = member
            added += bool(found)
        self._wrap_members(namespace, to_wrap)
        if added and self.announce:
            self._announce(
                f"added {added} member{'' if added == 1 else 's'} in {_description(namespace)}"
            )
        return added

    def _announce(self, text: str) -> None:
        if self.announce:
            self.announce(f"{type(self).__name__} @ {id(self):#x}: {text}")

    def _add_member(self, member: Any, scope: Scope) -> int:
        def left_out(function: Any) -> bool:
            return self._already_a_wrapper(function) or not scope.takes_function(function)

        try:
            return self.add_callable(member, guard=left_out)
        except TypeError:  # it cannot be called
            return 0


def _setting(given: bool | None, variable: str) -> bool:
    return says_yes(os.environ.get(variable, "")) if given is None else bool(given)


def _description(item: Any) -> str:
    has_path = hasattr(item, "__module__") and hasattr(item, "__qualname__")
    name = (
        f"{item.__module__}.{item.__qualname__}" if has_path else getattr(item, "__name__", "???")
    )
    call = "()" if callable(item) and not isinstance(item, type) else ""
    return f"{type(item).__name__} `{name}{call}` @ {id(item):#x}"


def _innermost(function: Any) -> Any:
    """The function that another profiler's wrapper stands for."""
    while hasattr(function, "__line_profiler_id__") and hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _label(code: types.CodeType) -> Key:
    return code.co_filename, code.co_firstlineno, getattr(code, "co_qualname", code.co_name)


def _rows(lines: dict[int, tuple[int, int]]) -> list[Row]:
    return [(line, hits, time) for line, (hits, time) in sorted(lines.items())]
