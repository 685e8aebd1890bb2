"""kernprof's options, from the command line and the settings file."""

from __future__ import annotations

import sys
from argparse import REMAINDER, ArgumentParser, Namespace
from typing import Any

from laptime import __version__
from laptime.compat.line_profiler import config as configuration
from laptime.compat.line_profiler.options import (
    add_flag,
    is_boolean,
    positive_float,
    with_explicit_flags,
)

_TARGET = '{path/to/script | -m path.to.module | -c "literal code"}'
_ENDS_OPTIONS = ("-m", "-c")
_FLAGS = ("line-by-line", "builtin", "preimports", "prof-imports", "rich", "skip-zero", "summarize")


def parse(arguments: list[str]) -> Namespace:
    """The options. Where the command line sets none, the settings' values count.

    Besides kernprof's own: ``script``, ``args``, ``module`` (the script is a module's name),
    ``code`` and ``code_source`` ("command" or "stdin") if there is no file.
    """
    own, kind, rest = _split(arguments)
    if kind is None:  # the script and what follows belong to the script
        options = _parser(needs_target=True).parse_args([*with_explicit_flags(own, _FLAGS), *rest])
    else:
        options = _parser(needs_target=False).parse_args(with_explicit_flags(own, _FLAGS))
    settings = configuration.load(options.config)
    options.config = settings.path or False
    for key, value in settings.tables["kernprof"].items():
        if getattr(options, key, None) is None:
            setattr(options, key, value)
    options.verbose -= options.quiet
    options.module, options.code, options.code_source = kind == "-m", None, ""
    if kind is not None:
        options.script, options.args = rest[0], rest[1:]
    if kind == "-c":
        options.code, options.code_source = rest[0], "command"
    elif options.script == "-" and kind is None:
        options.code, options.code_source = sys.stdin.read(), "stdin"
    return options


def _split(arguments: list[str]) -> tuple[list[str], str | None, list[str]]:
    """-m and -c end kernprof's own options, as they end Python's. After the script they belong to
    the script.
    """
    at = 0
    while (
        at < len(arguments) and arguments[at].startswith("-") and arguments[at] not in ("-", "--")
    ):
        if arguments[at] in _ENDS_OPTIONS:
            rest = arguments[at + 1 :]
            if not rest:
                _parser(needs_target=False).error(
                    f"argument expected for the {arguments[at]} option"
                )
            return arguments[:at], arguments[at], rest
        at += 1 + _takes_next(arguments, at)
    return arguments[:at], None, arguments[at:]


def _takes_next(arguments: list[str], at: int) -> bool:
    """Whether the next word is the option's value."""
    option = arguments[at]
    following = arguments[at + 1] if at + 1 < len(arguments) else "-"
    if not option.startswith("--"):
        return option[-1] in "spou" or (option[-1] == "i" and following.isdigit())
    if option in ("--setup", "--prof-mod", "--outfile", "--unit", "--config"):
        return True
    if option == "--output-interval":
        return following.isdigit()
    return is_boolean(following)


def _parser(needs_target: bool) -> ArgumentParser:
    default = configuration.load().tables["kernprof"]
    parser = ArgumentParser(
        prog="kernprof",
        description="Run and profile a python script or module.",
        usage=None if needs_target else f"kernprof [options] {_TARGET} ...",
    )
    parser.add_argument("-V", "--version", action="version", version=__version__)
    parser.add_argument(
        "--config",
        help=(
            "Path to the TOML file, from the `tool.line_profiler.kernprof` table of which to load "
            "defaults for the options."
        ),
    )
    parser.add_argument(
        "--no-config",
        action="store_const",
        dest="config",
        const=False,
        help="Disable the loading of configuration files other than the default one",
    )
    _add_profiling_options(parser.add_argument_group("profiling options"), default)
    _add_output_options(parser.add_argument_group("output options"), default)
    if needs_target:
        parser.add_argument(
            "script", metavar=_TARGET, help="The python script file, module, or literal code to run"
        )
        parser.add_argument("args", nargs=REMAINDER, help="Optional script arguments")
    return parser


def _add_profiling_options(group: Any, default: Any) -> None:
    add_flag(
        group,
        "-l",
        "--line-by-line",
        help=(
            "Use the line-by-line profiler instead of cProfile. Implies `--builtin`. "
            f"(Default: {default['line_by_line']})"
        ),
    )
    add_flag(
        group,
        "-b",
        "--builtin",
        help=(
            "Put `profile` in the builtins. Use `profile.enable()`/`.disable()` to toggle"
            " profiling, `@profile` to decorate functions, or `with profile:` to profile a section"
            f" of code. (Default: {default['builtin']})"
        ),
    )
    group.add_argument(
        "-s",
        "--setup",
        help=(
            "Path to the Python source file containing setup code to execute before the code "
            f"to profile. (Default: {default['setup'] or 'N/A'})"
        ),
    )
    group.add_argument(
        "-p",
        "--prof-mod",
        action="append",
        help=(
            "List of modules, functions and/or classes to profile specified by their name or path."
            " These profiling targets can be supplied both as comma-separated items, or separately"
            " with multiple copies of this flag. Packages are automatically recursed into unless"
            " they are specified with `<pkg>.__init__`. Adding the current script/module profiles"
            " the entirety of it. Only works with line profiling (`-l`/`--line-by-line`)."
            f" (Default: {default['prof_mod'] or 'N/A'}; pass an empty string to clear the defaults"
            " (or any `-p` target specified earlier))"
        ),
    )
    add_flag(
        group,
        "--preimports",
        help=(
            "Eagerly import all profiling targets specified via `-p` and profile them, instead of"
            " only profiling those that are directly imported in the profiled code. Only works"
            f" with line profiling (`-l`/`--line-by-line`). (Default: {default['preimports']})"
        ),
    )
    add_flag(
        group,
        "--prof-imports",
        help=(
            "If the script/module profiled is in `--prof-mod`, autoprofile all its imports. Only"
            " works with line profiling (`-l`/`--line-by-line`). (Default:"
            f" {default['prof_imports']})"
        ),
    )


def _add_output_options(group: Any, default: Any) -> None:
    group.add_argument(
        "-o",
        "--outfile",
        help=(
            "Save stats to OUTFILE. (Default: '<script_or_module_name>.lprof' in "
            "line-profiling mode (`-l`/`--line-by-line`); '<script_or_module_name>.prof' otherwise)"
        ),
    )
    group.add_argument(
        "-v",
        "--verbose",
        "--view",
        action="count",
        default=default["verbose"],
        help=(
            f"Increase verbosity level (default: {default['verbose']}). At level 1, view the"
            " profiling results in addition to saving them; at level 2, show other diagnostic"
            " info."
        ),
    )
    group.add_argument(
        "-q",
        "--quiet",
        action="count",
        default=0,
        help=(
            f"Decrease verbosity level (default: {default['verbose']}). At level -1, disable"
            ' helpful messages (e.g. "Wrote profile results to <...>"); at level -2, silence the'
            " stdout; at level -3, silence the stderr."
        ),
    )
    add_flag(
        group,
        "-r",
        "--rich",
        help=f"Use rich formatting if viewing output. (Default: {default['rich']})",
    )
    group.add_argument(
        "-u",
        "--unit",
        type=positive_float,
        help=(
            "Output unit (in seconds) in which the timing info is "
            f"displayed. (Default: {default['unit']} s)"
        ),
    )
    add_flag(
        group,
        "-z",
        "--skip-zero",
        help=f"Hide functions which have not been called. (Default: {default['skip_zero']})",
    )
    add_flag(
        group,
        "--summarize",
        help=f"Print a summary of total function time. (Default: {default['summarize']})",
    )
    group.add_argument(
        "-i",
        "--output-interval",
        type=int,
        const=1,
        nargs="?",
        help=(
            "Enables outputting of cumulative profiling results to OUTFILE every OUTPUT_INTERVAL"
            " seconds. Uses the threading module. Minimum value (and the value implied if the bare"
            " option is given) is 1 s. (Default: 0 s (disabled))"
        ),
    )
