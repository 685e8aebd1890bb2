"""IPython's %lprun and %%lprun_all. IPython shows their docstrings for ``%lprun?``."""

from __future__ import annotations

import builtins
import os
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.core.page import page
from IPython.utils.ipstruct import Struct

from laptime.compat.kernprof.autoprofile import functions_in
from laptime.compat.line_profiler.profiler import LineProfiler


@magics_class
class LineProfilerMagics(Magics):
    shell: Any

    @line_magic
    def lprun(self, parameter_s: str = "") -> LineProfiler | None:
        """Execute a statement under the line-by-line profiler: ``%lprun -f function -m module
        statement``.

        -f <function>: a function to profile, any expression that gives one; may be repeated
        -m <module>: all functions and methods of a module; may be repeated
        -D <filename>: write the raw results (``.lprof``), for ``python -m laptime.line_profiler``
        -T <filename>: write the table as text
        -r: return the LineProfiler
        -s, -z: leave out functions that were not called
        -u <unit>: unit of the times in seconds
        """
        options, statement = self._options(parameter_s, "rszf:m:D:T:u:")
        profiler = LineProfiler(*(self._evaluated(name) for name in options.f))
        for name in options.m:
            try:
                profiler.add_module(__import__(name, fromlist=[""]))
            except Exception as error:
                raise UsageError(
                    f"Could not find module {name}.\n{type(error).__name__}: {error}"
                ) from None
        with _as_builtin(profiler):
            message, _ = _guarded(
                profiler.runctx, statement, self.shell.user_global_ns, self.shell.user_ns
            )
        return _show(profiler, options, message)

    @cell_magic
    def lprun_all(self, parameter_s: str = "", cell: str = "") -> LineProfiler | None:
        """Execute a cell under the line-by-line profiler: its lines, and those of the functions
        that it defines.

        -D, -T, -r, -z, -u: as for %lprun
        -t: the time taken, in seconds, in the variable ``_total_time_taken``
        -p: only the cell's own lines, not its functions
        """
        options, _ = self._options(parameter_s, "rzptD:T:u:")
        profiler = LineProfiler()
        handle, path = tempfile.mkstemp(suffix=".py")
        try:
            source = textwrap.dedent(cell).strip("\n") or "..."
            with open(handle, "w", encoding="utf-8") as file:
                file.write(source)
            code = compile(source, path, "exec")
            for each in [code] if "p" in options else [code, *functions_in(code)]:
                profiler.add_code(each)
            with _as_builtin(profiler), profiler:
                message, seconds = _guarded(
                    exec, code, self.shell.user_global_ns, self.shell.user_ns
                )
            if "t" in options:
                self.shell.user_ns["_total_time_taken"] = seconds
            return _show(profiler, options, message)
        finally:
            os.unlink(path)

    def _options(self, text: str, letters: str) -> tuple[Any, str]:
        options, rest = self.parse_options(
            text.replace('"', r"\"").replace("'", r"\'"), letters, list_all=True
        )
        options.merge(Struct(D=[""], T=[""], f=[], m=[], u=[None]))
        try:
            options.unit = None if options.u[0] is None else float(options.u[0])
        except ValueError:
            raise TypeError("Timer unit setting must be a float.") from None
        return options, rest

    def _evaluated(self, name: str) -> Any:
        try:
            return eval(name, self.shell.user_global_ns, self.shell.user_ns)
        except Exception as error:
            raise UsageError(
                f"Could not find function {name}.\n{type(error).__name__}: {error}"
            ) from None


@contextmanager
def _as_builtin(profiler: LineProfiler) -> Iterator[None]:
    before = vars(builtins).get("profile")
    vars(builtins)["profile"] = profiler
    try:
        yield
    finally:
        if before is None:
            del vars(builtins)["profile"]
        else:
            vars(builtins)["profile"] = before


def _guarded(call: Callable[..., Any], *args: Any) -> tuple[str | None, float]:
    """The exception that ended the code early, if it may do so, and the seconds it took."""
    begin = time.perf_counter()
    message = None
    try:
        call(*args)
    except (SystemExit, KeyboardInterrupt) as error:
        message = f"{type(error).__name__} exception caught in code being profiled."
    return message, time.perf_counter() - begin


def _show(profiler: LineProfiler, options: Any, message: str | None) -> LineProfiler | None:
    out = StringIO()
    profiler.print_stats(out, output_unit=options.unit, stripzeros="s" in options or "z" in options)
    text = out.getvalue().rstrip()
    page(text)
    if options.D[0]:
        profiler.dump_stats(options.D[0])
        print(f"\n*** Profile stats pickled to file {options.D[0]!r}.")
    if options.T[0]:
        with open(options.T[0], "w", encoding="utf-8") as file:
            print(text, file=file)
        print(f"\n*** Profile printout saved to text file {options.T[0]!r}.")
    if message:
        print(f"\n*** {message}")
    return profiler if "r" in options else None
