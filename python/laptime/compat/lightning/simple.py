"""The half of SimpleProfiler that differs from Lightning's: what it keeps of an action is bounded."""

from __future__ import annotations

import math
import os
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, ClassVar


class Durations(list[float]):
    """The latest durations of an action, in seconds. ``calls`` and ``total`` count the ones that were dropped too.

    Contract: ``append`` drops the older half when there are more than ``kept``, so amortised it takes constant time.
    """

    kept: ClassVar[int] = 16_384  # an action then needs at most 512 KiB
    dropped_calls = 0
    dropped_total = 0.0

    def __init__(self, durations: Iterable[float] = ()) -> None:
        super().__init__()
        self.extend(durations)

    def append(self, duration: float) -> None:
        list.append(self, duration)  # super() takes longer
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
    """Lightning's SimpleProfiler in bounded memory. ``recorded_durations`` holds a ``Durations``, a list, an action."""

    recorded_durations: dict[str, Any]  # Durations; the program may put plain lists there
    start_time: float

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.recorded_durations = defaultdict(Durations)

    def summary(self) -> str:
        return super().summary() + self._what_was_dropped()  # type: ignore[misc]

    def _what_was_dropped(self) -> str:
        shortened = [d for d in self.recorded_durations.values() if isinstance(d, Durations) and d.dropped_calls]
        if not shortened:
            return ""
        actions = f"{len(shortened)} action{'s' * (len(shortened) > 1)}"
        dropped = sum(d.dropped_calls for d in shortened)
        return (f"laptime: `recorded_durations` has only the latest durations of {actions}, {dropped:,} older ones were dropped; "
                f"the table counts all calls{os.linesep}")

    def _make_report_extended(self) -> tuple[list[tuple[str, float, int, float, float]], float, float]:
        elapsed = time.perf_counter() - self.start_time
        report = [(action, total / calls, calls, total, 100.0 * total / elapsed) for action, calls, total in self._sums()]
        report.sort(key=lambda row: row[4], reverse=True)
        return report, sum(row[2] for row in report), elapsed

    def _make_report(self) -> list[tuple[str, float, float]]:
        report = [(action, total / calls, total) for action, calls, total in self._sums()]
        report.sort(key=lambda row: row[1], reverse=True)
        return report

    def _sums(self) -> list[tuple[str, int, float]]:
        """Actions that ran, how often, and how long in all."""
        return [(action, d.calls, d.total) if isinstance(d, Durations) else (action, len(d), math.fsum(d))
                for action, d in self.recorded_durations.items() if d]
