"""The line and function engines: start, stop, snapshots.

A process has one engine of each kind. ``start`` calls nest: the first one configures, each ``stop``
undoes one ``start``, and counters stay until ``clear``. src/collect/python documents what the
numbers mean.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Callable, Iterable
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from laptime._native import engine as _native
from laptime._native import recording
from laptime.collect import source_text
from laptime.collect.command_text import command_text
from laptime.collect.engine import calibration
from laptime.collect.engine.statements import first_lines

__all__ = [
    "Demotion",
    "FunctionLayer",
    "Notice",
    "OwnCost",
    "clear",
    "demoted",
    "library_paths",
    "notices",
    "own_cost",
    "running",
    "skip_lines_since",
    "snapshot_functions",
    "snapshot_lines",
    "start",
    "start_or_warn",
    "start_sources",
    "stop",
    "stop_sources",
    "watch",
]

LineKey = tuple[str, int, str]  # file, first line, qualified name
# Line, hits, inclusive ns, exclusive ns. Line 0: the function while it is not timed by line.
LineRow = tuple[int, int, int, int]
FunctionKey = tuple[str, int, str]  # file, line, name; ("~", 0, text) for C functions
ThreadKey = tuple[int, str]  # ident, name


class Demotion(NamedTuple):
    file: str
    line: int
    name: str
    level: str  # "call", "count" or "none"
    reason: str


class Notice(NamedTuple):
    name: str
    message: str


class OwnCost(NamedTuple):
    line_events: int
    call_events: int
    estimated_ns: int
    # How often a shadow stack was rebuilt: 0, unless a program switches stacks without Python's
    # knowledge.
    realignments: int


class _Start(NamedTuple):
    lines: dict[str, Any] | None  # the line engine's options
    functions: bool


# The calls of the calling thread between ``open()`` and ``close()``, as cProfile would see them.
# ``stats()`` returns the same as ``snapshot_functions``. Layers may nest and open again. The
# function engine must run. An open layer costs a few ns a call.
FunctionLayer = _native.FunctionLayer

_lock = threading.RLock()
_busy = False
# Finalizers add to it too: the garbage collector may call one in the middle of a start or stop.
_pending_stops: list[tuple[bool, bool]] = []
_started: list[_Start] = []
_running_lines: dict[str, Any] | None = None  # the options of one of them


def library_paths() -> list[str]:
    """Folders whose code is not the user's: the standard library and laptime."""
    standard_library = os.path.dirname(os.__file__) + os.sep
    laptime = _folder_above(os.path.abspath(__file__), 3) + os.sep
    return sorted(
        {
            standard_library,
            os.path.realpath(standard_library) + os.sep,
            laptime,
            os.path.realpath(laptime) + os.sep,
        }
    )


def _folder_above(path: str, levels: int) -> str:
    for _ in range(levels):
        path = os.path.dirname(path)
    return path


def framework_folders(torch: ModuleType | None) -> list[str]:
    """Folders of torch and of what is installed with it. Their lines do not count as lines of a
    package that the program calls. Empty without torch.
    """
    if torch is None or not torch.__file__:
        return []
    installed = os.path.dirname(os.path.dirname(torch.__file__))
    return [
        os.path.join(installed, name) + os.sep
        for name in ("torch", "functorch", "torchgen", "triton")
    ]


def start(
    *,
    lines: bool = False,
    functions: bool = False,
    builtins: bool = False,
    only: Iterable[CodeType] | None = None,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    is_user: Callable[[str], bool] | None = None,
    budget: float | None = None,
) -> None:
    """Starts the requested engines. An engine that already runs keeps its configuration, with one
    exception: if it times only some functions, a request for the user's own code widens it.

    - ``only``: times lines of these code objects and no others. ``watch`` adds more. Otherwise
      lines of the user's own code are timed: not the standard library, not site-packages, not
      laptime.
    - ``exclude``, ``include``: globs on file names. ``exclude`` is stronger.
    - ``is_user(filename)``: if given, decides alone which files are the user's.
    - ``builtins``: C functions too.
    - ``budget``: the share of wall time that may be spent, for example 0.05. None traces
      everything, whatever it costs.

    Raises RuntimeError if the interpreter has no room for another tool.
    """
    global _busy
    with _lock:
        _busy = True
        try:
            _start(
                lines,
                functions,
                builtins,
                only,
                include,
                exclude,
                is_user,
                -1.0 if budget is None else float(budget),
            )
        finally:
            _busy = False
            if _pending_stops:
                _undo_pending()


def start_or_warn(**options: Any) -> bool:
    """Starts the engines. False: other tools hold all ids of sys.monitoring. Then the recording
    gets a warning and continues without the engines.
    """
    try:
        start(**options)
    except RuntimeError as error:
        recording.warn("monitoring_taken", f"lines and functions are not measured: {error}")
        return False
    return True


def _start(
    lines: bool,
    functions: bool,
    builtins: bool,
    only: Iterable[CodeType] | None,
    include: Iterable[str],
    exclude: Iterable[str],
    is_user: Callable[[str], bool] | None,
    share: float,
) -> None:
    options = None
    if lines:
        calibration.apply_to_lines(_native)
        options = {
            "library_paths": library_paths(),
            "include": list(include),
            "exclude": list(exclude),
            "predicate": is_user,
            "only": None if only is None else list(only),
            "budget": share,
            "statement_reader": first_lines,
        }
    _started.append(_Start(options, functions))
    try:
        _follow_lines()
        if functions and sum(start.functions for start in _started) == 1:
            calibration.apply_to_calls(_native, builtins)
            _native.start_functions(builtins=builtins, budget=share)
    except BaseException:
        _undo_start(len(_started) - 1)
        raise


def stop(*, lines: bool = False, functions: bool = False) -> None:
    """Undoes the latest ``start`` of these kinds, or the latest of all.

    Does nothing without one.
    """
    with _lock:
        _pending_stops.append((lines, functions))
        if not _busy:
            _undo_pending()


def _undo_pending() -> None:
    global _busy
    _busy = True
    try:
        while _pending_stops:
            _undo_latest(*_pending_stops.pop())
    finally:
        _busy = False


def _undo_latest(lines: bool, functions: bool) -> None:
    any_kind = not (lines or functions)
    for index in reversed(range(len(_started))):
        start = _started[index]
        if any_kind or (start.lines is not None, start.functions) == (lines, functions):
            _undo_start(index)
            return


def _undo_start(index: int) -> None:
    start = _started.pop(index)
    if start.functions and not any(other.functions for other in _started):
        _native.stop_functions()
    _follow_lines()


def _follow_lines() -> None:
    """Configures the line engine by the first start that requests the user's own code, else by the
    first that requests lines.
    """
    global _running_lines
    requests = [start.lines for start in _started if start.lines is not None]
    options = next(
        (each for each in requests if each["only"] is None), requests[0] if requests else None
    )
    if _running_lines is not None and (
        options is None or (options["only"] is None) != (_running_lines["only"] is None)
    ):
        _native.stop_lines()
        _running_lines = None
    if _running_lines is None and options is not None:
        _running_lines = options  # before the start: an interruption may arrive at its end
        _native.start_lines(**options)


def running() -> tuple[bool, bool]:
    """Whether the line engine and the function engine run."""
    return any(start.lines is not None for start in _started), any(
        start.functions for start in _started
    )


def start_sources(*, include: Iterable[str] = (), exclude: Iterable[str] = ()) -> None:
    """From now on the recording gets the text of the user's own files that it names."""
    _native.start_sources(
        library_paths=library_paths(),
        include=list(include),
        exclude=list(exclude),
        reader=source_text.read,
    )


def stop_sources() -> None:
    _native.stop_sources()


def skip_lines_since(begin: int) -> None:
    """Marks the calling thread's time since ``begin`` (ticks) as laptime's own work. No line of the
    program is charged with it.
    """
    _native.skip_lines_since(begin)


def watch(code: CodeType) -> None:
    """Adds code to a line engine that was started with ``only``."""
    _native.watch(code)


def snapshot_lines(*, per_thread: bool = False, compensate: bool = False) -> dict[Any, Any]:
    """``{LineKey: [LineRow, …]}``, or ``{ThreadKey: {LineKey: […]}}``. Works while the engine runs
    too: open lines are included.

    The measured exclusive times of a thread add up to its wall time. ``compensate`` subtracts the
    engine's own share from each line (calibrated, hits × ns). This makes short lines more accurate,
    and the sum smaller by that share.
    """
    event_ns = calibration.line_event_ns() if compensate else 0.0
    return _native.snapshot_lines(per_thread=per_thread, event_ns=event_ns)


def snapshot_functions(*, per_thread: bool = False) -> dict[Any, Any]:
    """The data of pstats: ``{FunctionKey: (cc, nc, tt, ct, {caller: (nc, cc, tt, ct)})}``, or the
    same for each ThreadKey.

    Times are in seconds. Open calls count when they end or when the engine stops.
    """
    return _native.snapshot_functions(per_thread=per_thread)


def clear() -> None:
    """Sets every counter to zero. What is open continues from now."""
    _native.clear_lines()
    _native.clear_functions()
    _native.clear_notices()


def demoted() -> list[Demotion]:
    """Code that cost more than the budget allowed, and is measured more coarsely since then."""
    return [Demotion(*entry) for entry in _native.demoted()]


def notices() -> list[Notice]:
    """What is not measured and why, in one line each."""
    return [Notice(*entry) for entry in _native.notices()]


def own_cost() -> OwnCost:
    line_events, call_events = _native.line_events(), _native.call_events()
    estimated = (
        line_events * calibration.line_event_ns() + call_events * calibration.call_event_ns()
    )
    return OwnCost(line_events, call_events, round(estimated), _native.realignments())


def _stop_everything() -> None:
    for _ in range(len(_started)):
        stop()


def _after_fork() -> None:
    """Another thread may have been in the middle of a start or stop. It does not exist in the
    child.
    """
    global _busy
    _lock._at_fork_reinit()  # type: ignore[attr-defined]
    _busy = False
    _pending_stops.clear()
    _native.after_fork()


def _set_command() -> None:
    text = command_text()
    if text is None:
        return
    try:  # noqa: SIM105  contextlib would be imported at the start of every program
        _native.set_command_code(compile(text, "<string>", "exec", dont_inherit=True))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        pass  # the interpreter reports the error


_set_command()
atexit.register(_stop_everything)
os.register_at_fork(after_in_child=_after_fork)
