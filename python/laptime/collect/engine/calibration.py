"""The cost of one event on this machine and interpreter. Measured once a process on a small known
loop, which takes about 5 ms.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from laptime._native import engine as _native

_ROUNDS = 5
_ITERATIONS = 300
_LINES_A_ITERATION = 9
_CALLS_A_ITERATION = 4
_LINES_A_CALL = 9 / 4  # of the caller and of the callee
_ATTEMPTS = 3
_LEAST_NS = 5.0  # no event is cheaper, because it reads the clock
_USUAL_LINE_NS = 25.0
_CALL_IN_LINES = 2.5

_line_event_ns = 0.0
_line_entry_ns = 0.0
_call_event_ns: dict[bool, float] = {}  # with and without C functions
_builtins = False


def _lines(n: int) -> int:
    for _ in range(n):
        a = 1
        a = 2
        a = 3
        a = 4
        a = 5
        a = 6
        a = 7
        a = 8
    return a


def _callee() -> None:
    pass


def _calls(n: int) -> None:
    for _ in range(n):
        _callee()
        _callee()
        _callee()
        _callee()


def _fastest_ns(loop: Callable[[int], object]) -> int:
    best = 1 << 62
    for _ in range(_ROUNDS):
        begin = time.perf_counter_ns()
        loop(_ITERATIONS)
        best = min(best, time.perf_counter_ns() - begin)
    return best


def _event_ns(
    loop: Callable[[int], object],
    events: int,
    start: Callable[[], None],
    stop: Callable[[], None],
    usual: float,
) -> float:
    """The time that an event adds to the loop. Returns ``usual`` on a machine so busy that events
    seem to add nothing: a budget must not treat events as free.
    """
    for _ in range(_ATTEMPTS):
        bare = _fastest_ns(loop)
        start()
        try:
            followed = _fastest_ns(loop)
        finally:
            stop()
        cost = (followed - min(bare, _fastest_ns(loop))) / (_ITERATIONS * events)
        if cost >= _LEAST_NS:
            return cost
    return usual


def apply_to_lines(native: type[_native]) -> None:
    """Measures if that was not done yet, and passes the costs to the engine."""
    global _line_event_ns, _line_entry_ns
    codes = [_lines.__code__, _calls.__code__, _callee.__code__]

    def start() -> None:
        native.start_lines(
            library_paths=[],
            include=[],
            exclude=[],
            predicate=None,
            only=codes,
            budget=-1.0,
            statement_reader=None,
        )

    def stop() -> None:
        native.stop_lines()
        for code in codes:
            native.forget_lines(code)

    if _line_event_ns == 0.0:
        _line_event_ns = _event_ns(_lines, _LINES_A_ITERATION, start, stop, _USUAL_LINE_NS)
        call = _event_ns(_calls, _CALLS_A_ITERATION, start, stop, _CALL_IN_LINES * _USUAL_LINE_NS)
        _line_entry_ns = max(call - _LINES_A_CALL * _line_event_ns, _line_event_ns)
    native.set_event_cost(_line_event_ns, _line_entry_ns, call_event_ns())


def apply_to_calls(native: type[_native], builtins: bool) -> None:
    """The same for calls. On CPython 3.10 and 3.11 calls cost differently with and without C
    functions.
    """
    global _builtins
    _builtins = builtins

    def start() -> None:
        native.begin_function_probe()
        native.start_functions(builtins=builtins, budget=-1.0)

    def stop() -> None:
        native.stop_functions()
        native.end_function_probe()

    if builtins not in _call_event_ns:
        _call_event_ns[builtins] = _event_ns(
            _calls, _CALLS_A_ITERATION, start, stop, _CALL_IN_LINES * _USUAL_LINE_NS
        )
    line = _line_event_ns or _USUAL_LINE_NS
    native.set_event_cost(line, _line_entry_ns or _CALL_IN_LINES * line, call_event_ns())


def line_event_ns() -> float:
    return _line_event_ns


def call_event_ns() -> float:
    """The cost of entry and exit of a function. If no call was measured yet: two events that each
    do more than a line's.
    """
    return _call_event_ns.get(_builtins, _CALL_IN_LINES * (_line_event_ns or _USUAL_LINE_NS))
