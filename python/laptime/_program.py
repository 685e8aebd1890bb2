"""The program that is profiled: finding it, reading it, and being its ``__main__``."""

from __future__ import annotations

import io
import os
import sys
from types import CodeType, ModuleType


class ProgramError(Exception):
    """There is no such program; one line."""


def read_script(path: str) -> CodeType:
    """The compiled script. A mistake in it is the script's own SyntaxError."""
    try:
        with io.open_code(os.path.abspath(path)) as file:
            source = file.read()
    except OSError as error:
        raise ProgramError(f"cannot open {path}: {error.strerror}") from None
    return compile(source, path, "exec", dont_inherit=True)


def find_script(name: str) -> str:
    """The script, here or on the PATH."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for candidate in [name, *(os.path.join(folder, name) for folder in folders if folder)]:
        if os.path.isfile(candidate):
            return candidate
    raise ProgramError(f"Could not find script {name!r}")


def main_module(path: str) -> ModuleType:
    """A fresh ``__main__``, as the interpreter prepares it for a script; it stays in place, as classes and threads need it."""
    module = ModuleType("__main__")
    module.__dict__.update(__file__=path, __cached__=None, __package__=None, __builtins__=__builtins__)
    _kept.append(sys.modules.get("__main__"))
    sys.modules["__main__"] = module
    return module


_kept: list[ModuleType | None] = []  # a module that is freed may take its functions' globals along


def check_writable(path: str) -> None:
    """Raises OSError unless the file can be written. Asked before the program runs: hours later would be too late."""
    existed = os.path.exists(path)
    with open(path, "ab"):
        pass
    if not existed:
        os.unlink(path)
