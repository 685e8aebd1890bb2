"""The ``.lprof`` file: a pickle of an object with ``timings`` and ``unit``.

- line_profiler can read it without laptime: the class has line_profiler's own path, which its
  releases since 4.0 share.
- Reading executes nothing of the file. It may refer only to the names under which line_profiler
  keeps that class. Here all of them are an inert class.
- Our files also hold the text of the source files, under a name that line_profiler ignores. A file
  that results name is not opened.
"""

from __future__ import annotations

import io
import os
import pickle
from typing import Any

Key = tuple[str, int, str]  # file, first line, name
Row = tuple[int, int, float]  # line, hits, time in units
Timings = dict[Key, list[Row]]

Sources = dict[str, str]  # text by file

_SOURCES = "laptime_sources"  # src/import/lprof, src/export/lprof.cpp
_CLASS = b"cline_profiler._line_profiler\nLineStats\n"
_PROTOCOL = b"\x80\x02"
_NEW_OBJECT = b")\x81"
_SET_STATE_AND_STOP = b"b."

_STATS_CLASSES = {
    ("line_profiler.line_profiler", "LineStats"),
    ("line_profiler._line_profiler", "LineStats"),
    ("line_profiler", "LineStats"),
    ("_line_profiler", "LineStats"),
}


class LprofError(ValueError):
    """The file holds no line profiling results. The message names the file and the reason in one
    line.
    """


def write(path: str | os.PathLike[str], timings: Timings, unit: float, sources: Sources) -> None:
    state = pickle.dumps(
        {"timings": timings, "unit": unit, **({_SOURCES: sources} if sources else {})}, protocol=2
    )
    body = state[len(_PROTOCOL) : -1]  # without its own header and stop
    with open(path, "wb") as file:
        file.write(_PROTOCOL + _CLASS + _NEW_OBJECT + body + _SET_STATE_AND_STOP)


def read(path: str | os.PathLike[str]) -> tuple[Timings, float, Sources]:
    with open(path, "rb") as file:
        data = file.read()
    try:
        stats = _Reader(io.BytesIO(data)).load()
    except LprofError as error:
        raise LprofError(f"{os.fspath(path)}: {error}") from None
    except Exception as error:  # pickle fails on bad bytes in many ways
        raise LprofError(
            f"{os.fspath(path)}: not line profiling results: {_one_line(error)}"
        ) from None
    try:
        return _checked(stats)
    except LprofError as error:
        raise LprofError(f"{os.fspath(path)}: {error}") from None


class _Stats:
    timings: Any
    unit: Any

    def __setstate__(self, state: Any) -> None:
        if not isinstance(state, dict) or set(state) - {_SOURCES} != {"timings", "unit"}:
            raise LprofError("not line profiling results: another state than timings and unit")
        self.__dict__.update(state)


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> type:
        if (module, name) not in _STATS_CLASSES:
            raise LprofError(
                f"refused: it asks for {module[:60]}.{name[:60]}, which line profiling results do"
                " not hold"
            )
        return _Stats

    def persistent_load(self, pid: Any) -> Any:
        raise LprofError("refused: it refers to objects outside the file")


def _checked(stats: Any) -> tuple[Timings, float, Sources]:
    if type(stats) is not _Stats or set(stats.__dict__) - {_SOURCES} != {"timings", "unit"}:
        raise LprofError("not line profiling results")
    timings, unit, sources = stats.timings, stats.unit, stats.__dict__.get(_SOURCES, {})
    if not isinstance(sources, dict) or not all(
        isinstance(text, str) for item in sources.items() for text in item
    ):
        raise LprofError("the source texts are no table of texts")
    if not isinstance(unit, (int, float)) or not unit > 0:
        raise LprofError(f"the unit is {unit!r:.40}")
    if not isinstance(timings, dict):
        raise LprofError("the timings are no table")
    return (
        {_checked_key(key): [_checked_row(row) for row in rows] for key, rows in timings.items()},
        float(unit),
        sources,
    )


def _checked_key(key: Any) -> Key:
    match key:
        case (str() as file, int() as line, str() as name):
            return file, line, name
    raise LprofError(f"not a function: {key!r:.60}")


def _checked_row(row: Any) -> Row:
    match row:
        case (int() as line, int() as hits, int() | float() as time) if hits > 0:
            return line, hits, time
    raise LprofError(f"not the times of a line: {row!r:.60}")


def _one_line(error: Exception) -> str:
    return " ".join(f"{error}".split())[:200] or type(error).__name__
