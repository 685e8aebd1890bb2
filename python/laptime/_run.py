"""``python -m laptime._run [options] script.py args… | -m module args… | -c code args…``: what `laptime run` starts.

It prepares the environment and becomes the interpreter that runs the program. So the program has the process to itself:
``sys.argv``, ``__main__``, ``__file__``, ``sys.path``, stdin, signals, tracebacks and exit code are the interpreter's own.
The collectors start in ``laptime/_site/sitecustomize.py``, before the program's first import, in this process and in every
Python that it starts.

The contract, by environment:

===================  ==================================================================================================
LAPTIME_RECORD       the folder that the processes of the run record into; set by `laptime run`, needed here
LAPTIME_PYTHON       JSON: {"lines": bool, "functions": bool, "budget": share or null, "include": [glob], "exclude": [glob],
                     "source": bool,
                     "torch": {"ops": bool, "shapes": bool, "memory": bool, "gpu": bool, "steps": [[begin, end], …] or null,
                     "block": bool, "replace_profiler": bool}}
PYTHONPATH           begins with laptime/_site; the program finds its own entries behind it
===================  ==================================================================================================

Options: ``--no-lines``, ``--functions``, ``--budget PCT|none``, ``--include GLOB``, ``--exclude GLOB`` (both may be
repeated), ``--no-source``; for PyTorch ``--no-ops``, ``--shapes``, ``--memory``, ``--steps A:B[,C:D…]``, ``--replace-torch-profiler``. Mistakes
get one line and exit code 2.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from typing import NoReturn

from laptime._collectors import OPTIONS_VARIABLE, RECORD_VARIABLE, SITE_FOLDER

_USAGE_ERROR = 2


def main(arguments: Sequence[str] | None = None) -> None:
    options, command = _parse(list(sys.argv[1:] if arguments is None else arguments))
    if not os.environ.get(RECORD_VARIABLE):
        _end(f"{RECORD_VARIABLE} is not set: start the program with `laptime run`")
    _check(command)
    os.environ[OPTIONS_VARIABLE] = json.dumps({
        "lines": options.lines, "functions": options.functions, "budget": options.budget, "include": options.include,
        "exclude": options.exclude, "source": options.source,
        "torch": {"ops": options.ops, "shapes": options.shapes, "memory": options.memory, "gpu": options.gpu, "steps": options.steps,
                  "block": False, "replace_profiler": options.replace_torch_profiler},
    })
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != SITE_FOLDER]
    os.environ["PYTHONPATH"] = os.pathsep.join([SITE_FOLDER, *paths])
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *_interpreter_flags(), *options.flag, *command])


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        _end(message)


def _parse(arguments: list[str]) -> tuple[Namespace, list[str]]:
    parser = _Parser(prog="laptime run", usage="laptime run [options] script.py | -m module | -c code [args…]")
    parser.add_argument("--no-lines", dest="lines", action="store_false", help="do not time lines")
    parser.add_argument("--functions", action="store_true", help="time calls of functions")
    parser.add_argument("--budget", type=_budget, default=0.05, help="share of time that this may cost, e.g. 5%%, or none")
    parser.add_argument("--include", action="append", default=[], metavar="GLOB", help="also these files are the user's")
    parser.add_argument("--exclude", action="append", default=[], metavar="GLOB", help="these files are not the user's")
    parser.add_argument("--no-source", dest="source", action="store_false", help="do not store the text of the program's files")
    parser.add_argument("--no-ops", dest="ops", action="store_false", help="PyTorch: do not record ops")
    parser.add_argument("--shapes", action="store_true", help="PyTorch: record the shapes of ops' inputs")
    parser.add_argument("--memory", action="store_true", help="PyTorch: record allocations")
    parser.add_argument("--no-gpu", dest="gpu", action="store_false", help="do not record what GPUs do")
    parser.add_argument("--steps", type=_steps, metavar="A:B", help="PyTorch: record ops in steps A to B-1 only, from 0")
    parser.add_argument("--replace-torch-profiler", action="store_true", help="PyTorch: torch.profiler leads to laptime's")
    parser.add_argument("--flag", action="append", default=[], help="a flag for the interpreter itself, e.g. --flag=-u")
    parser.add_argument("-m", dest="module", nargs=REMAINDER)
    parser.add_argument("-c", dest="code", nargs=REMAINDER)
    parser.add_argument("command", nargs=REMAINDER)
    options = parser.parse_args(arguments)
    for flag, words in (("-m", options.module), ("-c", options.code)):
        if words:
            return options, [flag, *words]
    if not options.command:
        parser.error("a script, -m module or -c code is needed")
    return options, options.command


def _budget(text: str) -> float | None:
    if text == "none":
        return None
    share = float(text.removesuffix("%")) / 100
    if not 0 < share < 1:
        raise ValueError(text)
    return share


def _steps(text: str) -> list[list[int]]:
    """``10:20,100:110``: steps 10 to 19 and 100 to 109."""
    ranges = [[int(number) if number.isdecimal() else -1 for number in part.split(":")] for part in text.split(",")]
    if any(len(part) != 2 or not 0 <= part[0] < part[1] for part in ranges):
        raise ArgumentTypeError(f"steps are given as 10:20 (10 to 19, counted from 0) or 10:20,100:110, not {text!r}")
    return ranges


def _check(command: list[str]) -> None:
    target = command[0]
    if target.startswith("-"):
        return
    try:
        if not os.path.isdir(target):
            with open(target, "rb"):
                pass
    except OSError as error:
        _end(f"cannot open {target}: {error.strerror}")


def _interpreter_flags() -> list[str]:
    """-O, -W, -X and the like, as this interpreter was started with them."""
    from subprocess import _args_from_interpreter_flags  # type: ignore[attr-defined]

    return _args_from_interpreter_flags()


def _end(message: str) -> NoReturn:
    print(f"laptime: {message}", file=sys.stderr)
    raise SystemExit(_USAGE_ERROR)


if __name__ == "__main__":
    main()
