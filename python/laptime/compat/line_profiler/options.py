"""What both command lines share: flags that can be negated, numbers, and readable paths."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_WORDS = {
    **dict.fromkeys(("", "0", "off", "false", "f", "no", "n"), False),
    **dict.fromkeys(("1", "on", "true", "t", "yes", "y"), True),
}
_FLAG_VALUES = "Y[es] | N[o] | T[rue] | F[alse] | on | off | 1 | 0"


def is_boolean(text: str) -> bool:
    return text.casefold() in _WORDS


def as_boolean(text: str) -> bool:
    if not is_boolean(text):
        raise ValueError(f"{text!r} is neither yes nor no")
    return _WORDS[text.casefold()]


def positive_float(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise ValueError(f"{text} is not above 0")
    return value


def add_flag(parser: Any, *names: str, help: str) -> None:
    """A flag that is None unless given, so that settings may decide: ``-x``, ``--xyz``, ``--xyz
    no``, ``--no-xyz``.
    """
    long = next(name for name in names if name.startswith("--"))
    short = [name for name in names if name != long]
    target = long[2:].replace("-", "_")
    if short:
        help = (
            f"{help.removesuffix(')')}; short form: {short[0]})"
            if help.endswith(")")
            else f"{help} (Short form: {short[0]})"
        )
        parser.add_argument(
            *short, dest=target, action="store_const", const=True, help=argparse.SUPPRESS
        )
    parser.add_argument(
        long, dest=target, nargs="?", const=True, type=as_boolean, metavar=_FLAG_VALUES, help=help
    )
    parser.add_argument(
        f"--no-{long[2:]}",
        dest=target,
        nargs="?",
        const=False,
        type=_negated,
        help=argparse.SUPPRESS,
    )


def with_explicit_flags(arguments: list[str], flags: Iterable[str]) -> list[str]:
    """``--rich FILE`` means the flag and a file, but ``--rich no`` takes the next word. This finds
    out which one it is.
    """
    explicit = []
    for word, following in zip(arguments, [*arguments[1:], ""]):
        bare = word.removeprefix("--no-") if word.startswith("--no-") else word.removeprefix("--")
        is_bare_flag = word.startswith("--") and bare in flags and not is_boolean(following or "-")
        explicit.append(f"{word}=yes" if is_bare_flag else word)
    return explicit


def _negated(text: str) -> bool:
    return not as_boolean(text)


def short_path(path: str | os.PathLike[str]) -> str:
    """The shortest form of a path: as given, absolute, or relative to the current folder."""
    absolute = Path(path).absolute()
    candidates = [str(Path(path)), str(absolute)]
    if absolute.is_relative_to(Path.cwd()):
        candidates.append(str(absolute.relative_to(Path.cwd())))
    return min(candidates, key=len)


def python_command() -> str:
    """The interpreter, as the user would type it."""
    for name in ("python", "python3"):
        found = shutil.which(name)
        if found and os.path.samefile(found, sys.executable):
            return name
    return short_path(sys.executable)
