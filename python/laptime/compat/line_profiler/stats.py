"""Line profiling results: the counts of a profiler, or of ``.lprof`` files, added up."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Protocol, TextIO

from laptime.collect import source_text
from laptime.compat.line_profiler import lprof_file
from laptime.compat.line_profiler.lprof_file import Sources, Timings
from laptime.compat.line_profiler.text import show_text


class StatsLike(Protocol):
    timings: Timings
    unit: float


class LineStats:
    """``timings[file, first_line, name]`` is a list of ``(line, hits, time)``, the time in ``unit``
    seconds.

    Results from files show the source text that the files hold, and no other. Results of this
    process show the source that it runs.
    """

    timings: Timings
    unit: float
    _sources: Sources | None = None  # None: this process's own sources

    def __init__(self, timings: Timings, unit: float) -> None:
        self.timings = timings
        self.unit = unit

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.timings}, {self.unit:.2G})"

    def __eq__(self, other: object) -> bool:
        if not hasattr(other, "timings") or not hasattr(other, "unit"):
            return NotImplemented
        same: bool = self.timings == other.timings and self.unit == other.unit
        return same

    __hash__ = None  # type: ignore[assignment]

    def __add__(self, other: StatsLike) -> LineStats:
        return self.from_stats_objects(self, other)

    def __iadd__(self, other: StatsLike) -> LineStats:
        self._sources = _sources_of([self, other])
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
        show_text(
            self.timings,
            self.unit,
            output_unit=output_unit,
            stream=stream,
            stripzeros=stripzeros,
            details=details,
            summarize=summarize,
            sort=sort,
            rich=rich,
            config=config,
            sources=self._sources,
        )

    def to_file(self, filename: str | os.PathLike[str]) -> None:
        lprof_file.write(filename, self.timings, self.unit, _texts(self))

    @classmethod
    def from_files(
        cls, file: str | os.PathLike[str], /, *files: str | os.PathLike[str]
    ) -> LineStats:
        return cls.from_stats_objects(*(cls._from_file(path) for path in (file, *files)))

    @classmethod
    def _from_file(cls, path: str | os.PathLike[str]) -> LineStats:
        timings, unit, sources = lprof_file.read(path)
        stats = cls(timings, unit)
        stats._sources = sources
        return stats

    @classmethod
    def from_stats_objects(cls, stats: StatsLike, /, *more_stats: StatsLike) -> LineStats:
        parts = [stats, *more_stats]
        result = cls(*added_up(parts))
        result._sources = _sources_of(parts)
        return result


def _sources_of(parts: list[Any]) -> Sources | None:
    if all(getattr(stats, "_sources", None) is None for stats in parts):
        return None
    texts: Sources = {}
    for stats in parts:
        texts = {**_texts(stats), **texts}
    return texts


def _texts(stats: Any) -> Sources:
    sources: Sources | None = getattr(stats, "_sources", None)
    if sources is not None:
        return sources
    found = (
        (file, source_text.text_of(file)) for file in sorted({key[0] for key in stats.timings})
    )
    return {file: text for file, text in found if text is not None}


def added_up(parts: Iterable[StatsLike]) -> tuple[Timings, float]:
    """The sum, in the coarsest unit among the parts. Finer parts are added first, so each value is
    rounded once.
    """
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
