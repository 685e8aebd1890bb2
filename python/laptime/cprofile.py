"""``python -m laptime.cprofile [-o file] [-s sort] [-m module | script] args``: cProfile's command
line.

Prints the same table as cProfile, from laptime's function engine. Returns the program's own exit
code.
"""

from __future__ import annotations

import os
import pstats
import runpy
import sys
from collections.abc import Sequence
from optparse import OptionParser
from typing import Any

from laptime.compat.cprofile import Profile
from laptime.compat.program import ProgramError, check_writable, main_module, read_script

_USAGE_ERROR = 2
# As the interpreter's own cProfile: by cumulative time, or by name.
_DEFAULT_SORT = 2 if sys.version_info >= (3, 11) else -1


def main(arguments: Sequence[str] | None = None) -> None:
    options, command = _parser().parse_args(None if arguments is None else list(arguments))
    if not command:
        _parser().print_usage()
        raise SystemExit(_USAGE_ERROR)
    target = command[0]
    # Absolute: the program may change its folder.
    outfile = os.path.abspath(options.outfile) if options.outfile else None
    if outfile:
        try:
            check_writable(outfile)
        except OSError as error:
            _end(f"cannot write {options.outfile}: {error.strerror}")
    sys.argv[:] = command
    code, namespace = _module(target) if options.module else _script(target)
    profile = Profile()
    try:
        profile.runctx(code, namespace, None)
    finally:
        _show(profile, outfile, options.sort)


def _parser() -> OptionParser:
    """A parser of the same kind as cProfile's, so that its errors read the same on each Python."""
    usage = (
        "python -m laptime.cprofile [-o output_file_path] [-s sort] [-m module | scriptfile]"
        " [arg] ..."
    )
    parser = OptionParser(usage=usage, prog="laptime.cprofile")
    parser.allow_interspersed_args = False
    parser.add_option("-o", "--outfile", help="Save stats to <outfile>")
    parser.add_option(
        "-s",
        "--sort",
        default=_DEFAULT_SORT,
        choices=sorted(pstats.Stats.sort_arg_dict_default),
        help="Sort order when printing to stdout, based on pstats.Stats class",
    )
    parser.add_option(
        "-m", dest="module", action="store_true", default=False, help="Profile a library module"
    )
    return parser


def _module(name: str) -> tuple[Any, dict[str, Any]]:
    return "run_module(modname, run_name='__main__')", {
        "run_module": runpy.run_module,
        "modname": name,
    }


def _script(path: str) -> tuple[Any, dict[str, Any]]:
    sys.path.insert(0, os.path.dirname(path))
    try:
        code = read_script(path)
    except ProgramError as error:
        _end(str(error))
    return code, vars(main_module(path))


def _show(profile: Profile, outfile: str | None, sort: Any) -> None:
    try:
        if outfile:
            profile.dump_stats(outfile)
        else:
            profile.print_stats(sort)
            sys.stdout.flush()
    except BrokenPipeError as error:
        sys.stdout = None  # nothing is left to flush at exit
        raise SystemExit(error.errno) from None


def _end(message: str) -> None:
    print(f"laptime: {message}", file=sys.stderr)
    raise SystemExit(_USAGE_ERROR)


if __name__ == "__main__":
    main()
