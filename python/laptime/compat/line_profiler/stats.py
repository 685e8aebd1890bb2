"""Line profiling results: what a profiler has counted, or what ``.lprof`` files hold, added up."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Protocol, TextIO

from laptime.compat.line_profiler import lprof_file
from laptime.compat.line_profiler.lprof_file import Timings
from laptime.compat.line_profiler.text import show_text


class StatsLike(Protocol):
    timings: Timings
    unit: float


class LineStats:
    """``timings[file, first_line, name]`` is a list of ``(line, hits, time)``, the time in ``unit`` seconds."""

    timings: Timings
    unit: float

    def __init__(self, timings: Timings, unit: float) -> None:
        self.timings = timings
        self.unit = unit

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.timings}, {self.unit:.2G})"

    def __eq__(self, other: object) -> bool:
        if not hasattr(other, "timings") or not hasattr(other, "unit"):
            return NotImplemented
        return self.timings == other.timings and self.unit == other.unit

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: StatsLike) -> LineStats:
        return type(self)(*added_up([self, other]))

    def __iadd__(self, other: StatsLike) -> LineStats:
        self.timings, self.unit = added_up([self, other])
        return self

    def print(
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
        show_text(self.timings, self.unit, output_unit=output_unit, stream=stream, stripzeros=stripzeros,
                  details=details, summarize=summarize, sort=sort, rich=rich, config=config)

    def to_file(self, filename: str | os.PathLike[str]) -> None:
        lprof_file.write(filename, self.timings, self.unit)

    @classmethod
    def from_files(cls, file: str | os.PathLike[str], /, *files: str | os.PathLike[str]) -> LineStats:
        return cls.from_stats_objects(*(cls(*lprof_file.read(path)) for path in (file, *files)))

    @classmethod
    def from_stats_objects(cls, stats: StatsLike, /, *more_stats: StatsLike) -> LineStats:
        return cls(*added_up([stats, *more_stats]))


def added_up(parts: Iterable[StatsLike]) -> tuple[Timings, float]:
    """The sum, in the coarsest unit among the parts. Finer parts go first, so that what is rounded is rounded once."""
    ordered = sorted(parts, key=lambda stats: stats.unit)
    unit = ordered[-1].unit
    if len(ordered) == 1:
        return {key: list(rows) for key, rows in ordered[0].timings.items()}, unit
    sums: dict[lprof_file.Key, dict[int, tuple[int, float]]] = {}
    for stats in ordered:
        factor = stats.unit / unit
        for key, rows in stats.timings.items():
            lines = sums.setdefault(key, {})
            for line, hits, time in rows:
                old_hits, old_time = lines.get(line, (0, 0.0))
                lines[line] = old_hits + hits, old_time + time * factor
    timings: Timings = {}
    for key, lines in sums.items():
        timings[key] = [(line, hits, round(time)) for line, (hits, time) in sorted(lines.items())]
    return timings, unit


load_stats = LineStats.from_files
