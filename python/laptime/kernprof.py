"""``python -m laptime.kernprof``: line_profiler's kernprof, with laptime's engines.

Runs a script, a module (``-m``), code (``-c``) or stdin (``-``). With ``-l`` it times lines, else
functions. It writes ``<script>.lprof`` or ``<script>.prof``. In the program ``profile`` is the
profiler: a builtin with ``-l`` and ``-b``. Decorators from ``from laptime import profile`` or
``from line_profiler import profile`` use it too.
"""

from __future__ import annotations

import builtins
import contextlib
import os
import runpy
import shutil
import sys
import tempfile
import textwrap
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from shlex import quote
from typing import Any, NoReturn, TypeVar

from laptime._profile import profile as decorator
from laptime.compat.kernprof import options as command_line
from laptime.compat.kernprof.contextual import ContextualProfile
from laptime.compat.kernprof.dump_timer import DumpTimer
from laptime.compat.kernprof.messages import Messages
from laptime.compat.line_profiler.config import ConfigError, says_yes
from laptime.compat.line_profiler.counted import CountedProfiler
from laptime.compat.line_profiler.options import python_command, short_path
from laptime.compat.line_profiler.profiler import LineProfiler
from laptime.compat.program import (
    ProgramError,
    check_writable,
    find_module,
    find_script,
    main_module,
    read_script,
    restored,
)

_USAGE_ERROR = 2

Found = TypeVar("Found")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command as a program. Restores ``sys.path``, ``sys.argv`` and ``__main__`` at the
    end.
    """
    with restored():
        _run_command(arguments)


def _run_command(arguments: Sequence[str] | None = None) -> None:
    try:
        options = command_line.parse(sys.argv[1:] if arguments is None else list(arguments))
    except ConfigError as error:
        _end(_USAGE_ERROR, f"kernprof: {error}")
    options.messages = Messages(
        options.verbose, says_yes(os.environ.get("LINE_PROFILER_DEBUG", ""))
    )
    _say_what_is_profiled(options)
    with contextlib.ExitStack() as stack:
        if options.verbose < -1:
            nowhere = stack.enter_context(open(os.devnull, "w"))
            stack.enter_context(contextlib.redirect_stdout(nowhere))
            if options.verbose < -2:
                stack.enter_context(contextlib.redirect_stderr(nowhere))
        options.tmpdir = stack.enter_context(_temporary_folder())
        if options.code is not None:
            _write_code(options)
        _profile_program(options)


def _say_what_is_profiled(options: Namespace) -> None:
    configs = short_path(options.config) if options.config else "laptime's own defaults"
    options.messages.debug(f"Loaded configs from {configs!r}")
    if options.module:
        options.messages.debug(f"Profiling module: {options.script}")
    elif options.code is not None:
        options.messages.debug(f"Profiling script read from: {options.code_source}")
    else:
        options.messages.debug(f"Profiling script: {short_path(options.script)!r}")


def _profile_program(options: Namespace) -> None:
    if not options.outfile:
        options.outfile = f"{os.path.basename(options.script)}.{_extension(options)}"
        options.messages.debug(f"Using default output destination {short_path(options.outfile)!r}")
    options.outfile = os.path.abspath(options.outfile)
    try:
        check_writable(options.outfile)
    except OSError as error:
        _end(
            _USAGE_ERROR, f"kernprof: cannot write {short_path(options.outfile)}: {error.strerror}"
        )
    path = None if options.module else _found(find_script, options.script)
    sys.argv[:] = [options.script, *options.args]
    if options.module:
        sys.path.insert(0, os.getcwd())
    if options.setup:
        _run_setup(options)
    profiler: Any = LineProfiler() if options.line_by_line else ContextualProfile()
    if options.line_by_line and options.messages.diagnostics:
        profiler.announce = options.messages.debug
    options.builtin = options.builtin or options.line_by_line
    stdout = sys.stdout
    with _installed(profiler, options.builtin):
        module = _found(find_module, options.script) if options.module else None
        timer = (
            DumpTimer(max(options.output_interval, 1), profiler, options.outfile)
            if options.output_interval
            else None
        )
        try:
            _run(path, module, options, profiler)
        finally:
            if timer:
                timer.stop()
            _finish(options, profiler, stdout)


def _found(find: Callable[[str], Found], name: str) -> Found:
    try:
        return find(name)
    except ProgramError as error:
        _end(1, str(error))


def _run(path: str | None, module: ModuleSpec | None, options: Namespace, profiler: Any) -> None:
    if path is not None:
        sys.path.insert(0, os.path.dirname(path))
    if options.line_by_line and options.prof_mod:
        from laptime.compat.kernprof import autoprofile

        options.messages.calling(
            "laptime.compat.kernprof.autoprofile.run",
            path or options.script,
            prof_mod=options.prof_mod,
            profile_imports=options.prof_imports,
            as_module=options.module,
        )
        autoprofile.run(profiler, path, module, options)
    elif path is not None:
        namespace = vars(main_module(path))
        _exec(read_script(path), namespace, profiler, options)
    else:
        statement = "run_module(name, run_name='__main__', alter_sys=True)"
        _exec(
            statement, {"run_module": runpy.run_module, "name": options.script}, profiler, options
        )


def _exec(code: Any, namespace: dict[str, Any], profiler: Any, options: Namespace) -> None:
    runner = "run_module" if options.module else "execfile"
    if options.builtin:  # the program itself decides what is profiled
        options.messages.calling(runner, options.script)
        exec(code, namespace)
    else:
        options.messages.calling(
            f"{type(profiler).__name__}.runctx", f"{runner}({options.script!r}, globals())"
        )
        profiler.runctx(code, namespace, None)


def _run_setup(options: Namespace) -> None:
    """Runs code before profiling begins, for example large imports."""
    path = _found(find_script, options.setup)
    sys.path.insert(0, os.path.dirname(path))
    options.messages.debug(f"Executing file {short_path(path)!r} as pre-profiling setup")
    exec(read_script(path), {"__file__": path, "__name__": "__main__"})


@contextlib.contextmanager
def _installed(profiler: CountedProfiler, as_builtin: bool) -> Iterator[None]:
    """Makes `profile` this profiler: as laptime's decorator, as line_profiler's if that is
    installed, and as a builtin.
    """
    decorators = [decorator]
    if "line_profiler" in sys.modules:
        decorators.append(sys.modules["line_profiler"].profile)
    for each in decorators:
        each._kernprof_overwrite(profiler)
    if as_builtin:
        builtins.profile = profiler  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for each in decorators:
            each._kernprof_overwrite(None)


def _finish(options: Namespace, profiler: Any, stdout: Any) -> None:
    name = short_path(options.outfile)
    try:
        _dump(options, profiler)
    except OSError as error:
        _end(_USAGE_ERROR, f"kernprof: cannot write {name}: {error.strerror}")
    options.messages.info(f"Wrote profile results to {name!r}")
    if options.verbose > 0 and options.line_by_line:
        how = {
            "output_unit": options.unit,
            "stripzeros": options.skip_zero,
            "summarize": options.summarize,
            "rich": options.rich,
            "stream": stdout,
            "config": options.config,
        }
        options.messages.calling("LineProfiler.print_stats", **how)
        profiler.print_stats(**how)
    elif options.verbose > 0:
        options.messages.calling(f"{type(profiler).__name__}.print_stats")
        _print_functions(profiler)
    else:
        viewer = "laptime.line_profiler -rmt" if options.line_by_line else "pstats"
        options.messages.info(
            f"Inspect results with:\n{quote(python_command())} -m {viewer} {quote(name)}"
        )
    while profiler.enable_count:
        profiler.disable_by_count()


def _print_functions(profiler: Any) -> None:
    profiler.snapshot_stats()
    if profiler.stats:
        profiler.print_stats()
    else:
        print(
            "No function was profiled: decorate functions with @profile, or leave out -b to profile"
            " all."
        )


def _dump(options: Namespace, profiler: Any) -> None:
    """Leaves out functions of temporary files, which no longer exist for a reader."""
    if not options.line_by_line:
        profiler.dump_stats(options.outfile)
        return
    stats = profiler.get_stats()
    folder = options.tmpdir + os.sep
    stats.timings = {
        key: rows for key, rows in stats.timings.items() if not key[0].startswith(folder)
    }
    stats.to_file(options.outfile)


@contextlib.contextmanager
def _temporary_folder() -> Iterator[str]:
    """Keeps the file until the interpreter ends if the program fails: its traceback shows the
    source.
    """
    folder = tempfile.mkdtemp()
    try:
        yield folder
    except BaseException:
        import atexit

        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)


def _write_code(options: Namespace) -> None:
    """Code from the command line or stdin becomes a script. All of it is profiled."""
    prefix = f"kernprof-{options.code_source}"
    options.script = os.path.join(options.tmpdir, f"{prefix}.py")
    with open(options.script, "w", encoding="utf-8") as file:
        file.write(textwrap.dedent(options.code) + "\n")
    options.messages.debug(f"Wrote temporary script file to {short_path(options.script)!r}:")
    options.prof_mod = [*options.prof_mod, options.script]
    if not options.outfile:
        handle, options.outfile = tempfile.mkstemp(
            dir=os.curdir, prefix=prefix + "-", suffix="." + _extension(options)
        )
        os.close(handle)
        options.messages.debug(f"Using default output destination {short_path(options.outfile)!r}")


def _extension(options: Namespace) -> str:
    return "lprof" if options.line_by_line else "prof"


def _end(code: int, message: str) -> NoReturn:
    print(message, file=sys.stderr)
    raise SystemExit(code)


if __name__ == "__main__":
    _run_command()  # threads that still run after the program need its __main__
