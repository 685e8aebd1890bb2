"""Spans of one thread as the bytes of an XSpace, which is what an ``xplane.pb`` holds.

The numbers of fields are those of tsl/profiler/protobuf/xplane.proto.
"""

from __future__ import annotations

import threading
import time
from typing import NamedTuple

_STEP_NUMBER, _ROOT = 1, 2  # numbers of the two statistics that mark a step
_STATISTICS = {_STEP_NUMBER: "step_num", _ROOT: "_r"}


class Span(NamedTuple):
    name: str
    step: int | None
    begin_ns: int


class HostSpans:
    def __init__(self) -> None:
        # perf_counter does not jump; the file has the time of day.
        self._day_ns = time.time_ns() - time.perf_counter_ns()
        self._thread = threading.get_native_id()
        self._ended: list[tuple[Span, int]] = []

    def begin(self, name: str, step: int | None) -> Span:
        return Span(name, step, time.perf_counter_ns())

    def end(self, span: Span) -> None:
        self._ended.append((span, time.perf_counter_ns()))

    def space(self, host: str) -> bytes:
        return _message(1, self._plane()) + _text(4, host)

    def _plane(self) -> bytes:
        names = {span.name: 0 for span, _ in self._ended}
        numbers = {name: number for number, name in enumerate(names, 1)}
        first_ns = min((span.begin_ns for span, _ in self._ended), default=0)
        line = _number(1, self._thread) + _text(2, "python")
        line += _number(3, self._day_ns + first_ns)
        line += b"".join(
            _message(4, _event(numbers[span.name], span, end_ns, first_ns))
            for span, end_ns in self._ended
        )
        plane = _text(2, "/host:CPU") + _message(3, line)
        plane += b"".join(_entry(4, number, name) for name, number in numbers.items())
        return plane + b"".join(_entry(5, number, name) for number, name in _STATISTICS.items())


def _event(name: int, span: Span, end_ns: int, first_ns: int) -> bytes:
    event = _number(1, name) + _number(2, (span.begin_ns - first_ns) * 1000)
    event += _number(3, (end_ns - span.begin_ns) * 1000)
    if span.step is not None:
        for statistic, value in ((_STEP_NUMBER, span.step), (_ROOT, 1)):
            event += _message(4, _number(1, statistic) + _number(4, value))
    return event


def _entry(field: int, number: int, name: str) -> bytes:
    """An entry of a map from numbers to names."""
    return _message(field, _number(1, number) + _message(2, _number(1, number) + _text(2, name)))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode(errors="replace"))


def _message(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
