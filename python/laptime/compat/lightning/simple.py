"""The half of SimpleProfiler that differs from Lightning's.

It keeps a bounded number of durations for each action.
"""

from __future__ import annotations

import math
import os
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, ClassVar

_Row = tuple[str, float, int, float, float]


class Durations(list[float]):
    """The latest durations of an action, in seconds. ``calls`` and ``total`` cover all of them.

    Contract: there are never more than ``kept``. One more drops the older half.
    """

    kept: ClassVar[int] = 16_384  # so an action needs at most 512 KiB
    dropped_calls = 0
    dropped_total = 0.0

    def __init__(self, durations: Iterable[float] = ()) -> None:
        super().__init__()
        self.extend(durations)

    def append(self, duration: float) -> None:
        list.append(self, duration)  # faster than super()
        if len(self) > self.kept:
            self._drop(len(self) - self.kept // 2)

    def extend(self, durations: Iterable[float]) -> None:
        for duration in durations:
            self.append(duration)

    def _drop(self, count: int) -> None:
        self.dropped_total = math.fsum((self.dropped_total, *self[:count]))
        self.dropped_calls += count
        del self[:count]

    @property
    def calls(self) -> int:
        return self.dropped_calls + len(self)

    @property
    def total(self) -> float:
        return self.dropped_total + math.fsum(self)


class SimpleProfiler:
    """Lightning's SimpleProfiler in bounded memory. ``recorded_durations`` holds ``Durations``."""

    recorded_durations: dict[str, Any]  # Durations, or plain lists that the program put there
    start_time: float

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.recorded_durations = defaultdict(Durations)

    def summary(self) -> str:
        table: str = super().summary()  # type: ignore[misc]
        return table + self._what_was_dropped()

    def _what_was_dropped(self) -> str:
        ours = (d for d in self.recorded_durations.values() if isinstance(d, Durations))
        dropped = [d.dropped_calls for d in ours if d.dropped_calls]
        if not dropped:
            return ""
        return (
            f"laptime: recorded_durations keeps the latest {Durations.kept:,} or fewer of an"
            f" action; {sum(dropped):,} older ones of {len(dropped)}"
            f" action{'s' * (len(dropped) > 1)} were dropped; the table counts all;"
            f" {__name__}.Durations.kept = 10**9 keeps more{os.linesep}"
        )

    def _make_report_extended(self) -> tuple[list[_Row], float, float]:
        elapsed = time.perf_counter() - self.start_time
        report = [
            (action, total / calls, calls, total, 100.0 * total / elapsed)
            for action, calls, total in self._sums()
        ]
        report.sort(key=lambda row: row[4], reverse=True)
        return report, sum(row[2] for row in report), elapsed

    def _make_report(self) -> list[tuple[str, float, float]]:
        report = [(action, total / calls, total) for action, calls, total in self._sums()]
        report.sort(key=lambda row: row[1], reverse=True)
        return report

    def _sums(self) -> list[tuple[str, int, float]]:
        """Actions that ran, with how often and how long in all."""
        return [(action, *_sums_of(d)) for action, d in self.recorded_durations.items() if d]


def _sums_of(durations: list[float]) -> tuple[int, float]:
    if isinstance(durations, Durations):
        return durations.calls, durations.total
    return len(durations), math.fsum(durations)
