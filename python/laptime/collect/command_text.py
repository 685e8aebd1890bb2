"""The text of a program that the interpreter runs from ``-c TEXT``."""

from __future__ import annotations

import sys

_WITH_VALUE = "WX"  # interpreter options whose value is the rest of the argument, or the next one
# Texts that start another program: multiprocessing's children, `laptime run -m`, the user's own
# runners.
_STARTERS = ("from multiprocessing.", "runpy.run_")


def command_text() -> str | None:
    """None if the program is no such text, or if the text only starts another program."""
    text = _after_c(sys.orig_argv[1:])
    return None if text is None or any(starter in text for starter in _STARTERS) else text


def _after_c(arguments: list[str]) -> str | None:
    rest = iter(arguments)
    for argument in rest:
        if argument == "-" or not argument.startswith("-"):
            return None  # a script, or its standard input
        if argument.startswith("--"):
            continue
        for index, letter in enumerate(argument[1:], 2):
            if letter == "m":
                return None
            if letter == "c" or letter in _WITH_VALUE:
                value = argument[index:] or next(rest, None)
                if letter == "c":
                    return value
                break
    return None
