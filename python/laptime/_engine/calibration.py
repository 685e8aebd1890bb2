"""What one event costs on this machine and interpreter, measured once a process on a small known loop (about 2 ms)."""

from __future__ import annotations

import time
from types import ModuleType

_ROUNDS = 5
_ITERATIONS = 300
_LINES_A_ITERATION = 9

_line_event_ns = 0.0
_visible_line_ns = 0.0


def _lines(n):
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


def _fastest_ns() -> int:
    best = 1 << 62
    for _ in range(_ROUNDS):
        begin = time.perf_counter_ns()
        _lines(_ITERATIONS)
        best = min(best, time.perf_counter_ns() - begin)
    return best


def apply(native: ModuleType) -> None:
    """Measures if that was not done yet, and tells the engines."""
    global _line_event_ns, _visible_line_ns
    if _line_event_ns == 0.0:
        events = _ITERATIONS * _LINES_A_ITERATION
        bare = _fastest_ns()
        native.start_lines(library_paths=[], include=[], exclude=[], predicate=None, only=[_lines.__code__], budget=-1.0,
                           statement_reader=None)
        try:
            traced = _fastest_ns()
        finally:
            native.stop_lines()
        native.forget_lines(_lines.__code__)
        _line_event_ns = max(1.0, (traced - bare) / events)
        # Nearly all of an event's cost falls between two readings of the clock.
        _visible_line_ns = _line_event_ns
    native.set_event_cost(_line_event_ns, call_event_ns())


def line_event_ns() -> float:
    return _line_event_ns


def visible_line_ns() -> float:
    return _visible_line_ns


def call_event_ns() -> float:
    """Entry and exit of a function: two events with more to do in each."""
    return 2.5 * (_line_event_ns or 25.0)
