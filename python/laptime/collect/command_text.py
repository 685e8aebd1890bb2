"""The text of a program that the interpreter was given as ``-c TEXT``."""

from __future__ import annotations

import sys

_WITH_VALUE = "WX"  # options of the interpreter that take the next argument, or the rest of theirs
# What starts another program: multiprocessing's children, `laptime run -m`, runners of the user's.
_STARTERS = ("from multiprocessing.", "runpy.run_")


def command_text() -> str | None:
    """None where the program is something else, or where the text only starts another program."""
    text = _after_c(sys.orig_argv[1:])
    return None if text is None or any(starter in text for starter in _STARTERS) else text


def _after_c(arguments: list[str]) -> str | None:
    rest = iter(arguments)
    for argument in rest:
        if argument == "-" or not argument.startswith("-"):
            return None  # a script, or its standard input
        if argument.startswith("--"):
            continue
        for place, letter in enumerate(argument[1:], 2):
            if letter == "m":
                return None
            if letter == "c" or letter in _WITH_VALUE:
                value = argument[place:] or next(rest, None)
                if letter == "c":
                    return value
                break
    return None
