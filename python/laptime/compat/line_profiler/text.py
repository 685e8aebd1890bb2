"""The tables that line_profiler prints, character for character. Scripts and documents rely on the
layout.
"""

from __future__ import annotations

import inspect
import io
import linecache
import os
import sys
import tempfile
import tokenize
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

from laptime.compat.line_profiler.config import column_widths

_NOT_FOUND = """
Could not find file {}
Are you sure you are running this program from the same directory
that you ran the profiler from?
Continuing without the function's contents.
"""
_NOT_STORED = """
The results hold no source of {}
A file that they name is not opened.
Continuing without the function's contents.
"""


def show_func(
    filename: str,
    start_lineno: int,
    func_name: str,
    timings: Sequence[tuple[int, int, float]],
    unit: float,
    output_unit: float | None = None,
    stream: TextIO | None = None,
    stripzeros: bool = False,
    rich: bool = False,
    *,
    config: Any = None,
    sources: Mapping[str, str] | None = None,
) -> None:
    """One function: a line for each source line, with hits, time, time per hit and share if it was
    executed.

    ``sources``: the only texts to show, by file. None: those of this process's files.
    """
    out: TextIO = stream or sys.stdout
    total = sum(time for _, _, time in timings)
    if stripzeros and not sum(hits for _, hits, _ in timings):
        return
    out.write(f"Total time: {total * unit:g} s\n")
    source = _source_or_blanks(out, filename, start_lineno, func_name, timings, sources)
    widths = dict(column_widths(config))
    cells = _cells(timings, total, unit / (output_unit or unit), widths)
    for at, column in enumerate(("hits", "time", "perhit")):
        widths[column] = max([widths[column], *(len(row[at]) for row in cells.values())])
    left = " ".join(
        f"%{widths[column]}s" for column in ("line", "hits", "time", "perhit", "percent")
    )
    header = (left + "  %-s") % ("Line #", "Hits", "Time", "Per Hit", "% Time", "Line Contents")
    out.write(f"\n{header}\n{'=' * len(header)}\n")
    rows = [
        (left % (number, *cells.get(number, ("", "", "", ""))), text.rstrip("\n").rstrip("\r"))
        for number, text in enumerate(source, start_lineno)
    ]
    if not (rich and _write_rich(out, rows)):
        for numbers, text in rows:
            _write_row(out, numbers, text)
    out.write("\n")


def show_text(
    stats: Mapping[tuple[str, int, str], Sequence[tuple[int, int, float]]],
    unit: float,
    output_unit: float | None = None,
    stream: TextIO | None = None,
    stripzeros: bool = False,
    details: bool = True,
    summarize: bool = False,
    sort: bool = False,
    rich: bool = False,
    *,
    config: Any = None,
    sources: Mapping[str, str] | None = None,
) -> None:
    """All functions, then the summary. ``sort``: the most expensive last."""
    out: TextIO = stream or sys.stdout
    out.write(f"Timer unit: {output_unit if output_unit is not None else unit:g} s\n\n")
    functions = list(stats.items())
    if sort:
        functions.sort(key=lambda item: sum(time for _, _, time in item[1]))
    if details:
        for (file, line, name), timings in functions:
            show_func(
                file,
                line,
                name,
                timings,
                unit,
                output_unit,
                out,
                stripzeros,
                rich,
                config=config,
                sources=sources,
            )
    if summarize:
        _write_summary(out, functions, unit, stripzeros, rich)


def is_generated_code(filename: str) -> bool:
    """Code without a file whose source Python still knows, such as a notebook's cell."""
    folder = os.path.normcase(tempfile.gettempdir())
    begins = (
        "<generated",
        "<ipython-input-",
        os.path.join(folder, "ipykernel_"),
        os.path.join(folder, "xpython_"),
    )
    return os.path.normcase(filename).startswith(begins)


def get_code_block(filename: str | os.PathLike[str], lineno: int) -> list[str]:
    """The lines of the block that begins at ``lineno``."""
    return _block(linecache.getlines(os.fspath(filename))[lineno - 1 :])


def _block(lines: list[str]) -> list[str]:
    try:
        return inspect.getblock(lines)
    except tokenize.TokenError:  # not Python, or cut off
        return lines


def _source_or_blanks(
    out: TextIO,
    filename: str,
    first: int,
    name: str,
    timings: Sequence[tuple[int, int, float]],
    sources: Mapping[str, str] | None,
) -> list[str]:
    exists = os.path.exists(filename)
    if sources is not None and filename in sources:
        out.write(f"File: {filename}\nFunction: {name} at line {first}\n")
        lines = list(io.StringIO(sources[filename]))
        return lines if name == "<module>" else _block(lines[first - 1 :])
    if sources is None and (exists or is_generated_code(filename)):
        out.write(f"File: {filename}\nFunction: {name} at line {first}\n")
        if exists:
            linecache.checkcache(filename)
        return (
            linecache.getlines(filename) if name == "<module>" else get_code_block(filename, first)
        )
    out.write((_NOT_STORED if exists else _NOT_FOUND).format(filename))
    numbers = [line for line, _, _ in timings]
    return [""] * (max(numbers) - min(*numbers, first) + 1 if numbers else 1)


def _cells(
    timings: Sequence[tuple[int, int, float]], total: float, scale: float, widths: Mapping[str, int]
) -> dict[int, tuple[str, str, str, str]]:
    """Hits, time, time per hit and share as text. A number that is too wide for its column is
    written with an exponent.
    """

    def fit(number: float, column: str) -> str:
        text = f"{number:5.1f}"
        return text if len(text) <= widths[column] else f"{number:5.3g}"

    result = {}
    for line, hits, time in timings:
        count = f"{int(hits)}"
        if len(count) > widths["hits"]:
            count = f"{hits:g}"
        share = f"{100 * time / total:5.1f}" if total else ""
        result[line] = (
            count,
            fit(time * scale, "time"),
            fit(float(time) * scale / hits, "perhit"),
            share,
        )
    return result


def _write_row(out: TextIO, numbers: str, text: str) -> None:
    try:
        out.write(f"{numbers}  {text}\n")
    except UnicodeEncodeError:
        encoding = getattr(out, "encoding", None) or "ascii"
        out.write(
            f"{numbers}  {text.encode(encoding, errors='backslashreplace').decode(encoding)}\n"
        )


def _write_rich(out: TextIO, rows: Sequence[tuple[str, str]]) -> bool:
    """The rows with colours. False if rich is not installed."""
    try:
        from rich.console import Console
        from rich.highlighter import ReprHighlighter
        from rich.syntax import Syntax
        from rich.table import Table
        from rich.text import Text
    except ImportError:
        return False
    numbers = Text("\n".join(left for left, _ in rows))
    ReprHighlighter().highlight(numbers)
    table = Table(
        box=None,
        padding=0,
        collapse_padding=True,
        show_header=False,
        show_footer=False,
        show_edge=False,
        pad_edge=False,
        expand=False,
    )
    table.add_row(
        numbers,
        "  ",
        Syntax("\n".join(text for _, text in rows), "python", background_color="default"),
    )
    Console(file=out, soft_wrap=True, color_system="standard").print(table)
    out.write("\n")
    return True


def _write_summary(
    out: TextIO, functions: Sequence[Any], unit: float, stripzeros: bool, rich: bool
) -> None:
    write = _rich_summary_writer(out) if rich else None
    for (file, line, name), timings in functions:
        seconds = sum(time for _, _, time in timings) * unit
        if stripzeros and not seconds:
            continue
        if write:
            write(seconds, file, line, name)
        else:
            out.write(f"{seconds:6.2f} seconds - {file}:{line} - {name}\n")


def _rich_summary_writer(out: TextIO) -> Callable[[float, str, int, str], None] | None:
    try:
        from rich.console import Console
        from rich.markup import escape
    except ImportError:
        return None
    console = Console(file=out, soft_wrap=True, color_system="standard")

    def write(seconds: float, file: str, line: int, name: str) -> None:
        console.print(
            f"{seconds:6.2f} seconds - [link={file}]{escape(file)}[/link]:{line} - {escape(name)}"
        )

    return write
