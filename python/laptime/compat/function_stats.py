"""Sums and differences of pstats's data about functions: ``{function: (cc, nc, tt, ct, {caller:
(nc, cc, tt, ct)})}``.
"""

from __future__ import annotations

from collections.abc import Callable

Function = tuple[str, int, str]  # file, line, name; ("~", 0, text) for C functions
Numbers = tuple[int, int, float, float]
Entry = tuple[int, int, float, float, dict[Function, Numbers]]
FunctionStats = dict[Function, Entry]

_NOTHING: Entry = (0, 0, 0.0, 0.0, {})
_NO_CALLS: Numbers = (0, 0, 0.0, 0.0)


def _plus(a: Numbers, b: Numbers) -> Numbers:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]


def _minus(a: Numbers, b: Numbers) -> Numbers:
    return a[0] - b[0], a[1] - b[1], max(0.0, a[2] - b[2]), max(0.0, a[3] - b[3])


def _numbers(entry: Entry) -> Numbers:
    return entry[:4]


def difference(now: FunctionStats, before: FunctionStats) -> FunctionStats:
    """What was added since then. Functions without calls since then are left out."""
    result: FunctionStats = {}
    for function, entry in now.items():
        old = before.get(function, _NOTHING)
        numbers = _minus(_numbers(entry), _numbers(old))
        if numbers[1] <= 0:
            continue
        callers = {
            caller: _minus(calls, old[4].get(caller, _NO_CALLS))
            for caller, calls in entry[4].items()
        }
        result[function] = (
            *numbers,
            {caller: calls for caller, calls in callers.items() if calls[0] > 0},
        )
    return result


def add_to(total: FunctionStats, more: FunctionStats) -> None:
    for function, entry in more.items():
        old = total.get(function, _NOTHING)
        callers = dict(old[4])
        for caller, calls in entry[4].items():
            callers[caller] = _plus(callers.get(caller, _NO_CALLS), calls)
        total[function] = (*_plus(_numbers(old), _numbers(entry)), callers)


def without(stats: FunctionStats, is_left_out: Callable[[Function], bool]) -> FunctionStats:
    """The functions that remain, without the calls that the removed functions made."""
    result: FunctionStats = {}
    for function, entry in stats.items():
        if is_left_out(function):
            continue
        numbers, callers = _numbers(entry), {}
        for caller, calls in entry[4].items():
            if is_left_out(caller):
                # For callers the two counts have the opposite order.
                primitive_last = (
                    calls[1],
                    calls[0],
                    calls[2],
                    calls[3],
                )
                numbers = _minus(numbers, primitive_last)
            else:
                callers[caller] = calls
        if numbers[1] > 0:
            result[function] = (*numbers, callers)
    return result
