"""The half of SimpleProfiler that differs from Lightning's: what it keeps of an action does not grow with its calls."""

from __future__ import annotations

import time
from typing import Any


class Durations:
    """How often an action ran and how long in all. The sum is compensated: as good as adding up a list at the end."""

    __slots__ = ("calls", "total", "_rest")

    def __init__(self) -> None:
        self.calls = 0
        self.total = 0.0
        self._rest = 0.0

    def add(self, duration: float) -> None:
        self.calls += 1
        corrected = duration - self._rest
        total = self.total + corrected
        self._rest = (total - self.total) - corrected
        self.total = total

    @property
    def mean(self) -> float:
        return self.total / self.calls

    def __len__(self) -> int:
        return self.calls


class SimpleProfiler:
    """Lightning's SimpleProfiler in constant memory. ``recorded_durations`` holds a ``Durations`` an action, not a list."""

    current_actions: dict[str, float]
    recorded_durations: dict[str, Durations]
    start_time: float

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.recorded_durations = {}

    def stop(self, action_name: str) -> None:
        now = time.perf_counter()
        started = self.current_actions.pop(action_name, None)
        if started is None:
            raise ValueError(f"Attempting to stop recording an action ({action_name}) which was never started.")
        durations = self.recorded_durations.get(action_name)
        if durations is None:
            durations = self.recorded_durations[action_name] = Durations()
        durations.add(now - started)

    def _make_report_extended(self) -> tuple[list[tuple[str, float, int, float, float]], float, float]:
        elapsed = time.perf_counter() - self.start_time
        report = [(action, d.mean, d.calls, d.total, 100.0 * d.total / elapsed) for action, d in self.recorded_durations.items()]
        report.sort(key=lambda row: row[4], reverse=True)
        return report, sum(row[2] for row in report), elapsed

    def _make_report(self) -> list[tuple[str, float, float]]:
        report = [(action, d.mean, d.total) for action, d in self.recorded_durations.items()]
        report.sort(key=lambda row: row[1], reverse=True)
        return report
