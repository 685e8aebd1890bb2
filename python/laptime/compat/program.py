"""The program that is profiled: finds it, reads it, and runs it as ``__main__``."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType


class ProgramError(Exception):
    """There is no such program. The message is one line."""


def read_script(path: str) -> CodeType:
    """The compiled script. An error in it is the script's own SyntaxError."""
    try:
        with io.open_code(os.path.abspath(path)) as file:
            source = file.read()
    except OSError as error:
        raise ProgramError(f"cannot open {path}: {error.strerror}") from None
    return compile(source, path, "exec", dont_inherit=True)


def find_script(name: str) -> str:
    """The script, in the current folder or on the PATH."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for candidate in [name, *(os.path.join(folder, name) for folder in folders if folder)]:
        if os.path.isfile(candidate):
            return candidate
    raise ProgramError(f"Could not find script {name!r}")


def find_module(name: str) -> ModuleSpec:
    """The module to run. For a package this is its ``__main__``. Imports the packages that contain
    it.
    """
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
    except ModuleNotFoundError as error:
        if not error.name or not f"{name}.".startswith(f"{error.name}."):
            raise  # an import of the program's own package failed
        spec = None
    except ValueError:  # no valid name, or a module in sys.modules without a spec
        spec = None
    get_code = getattr(getattr(spec, "loader", None), "get_code", None)
    if spec is None or get_code is None or get_code(spec.name) is None:
        raise ProgramError(f"Could not find module `{name}`")
    return spec


def main_module(path: str) -> ModuleType:
    """A fresh ``__main__``, as the interpreter prepares it for a script. It remains, because
    classes and threads need it.
    """
    module = ModuleType("__main__")
    module.__dict__.update(
        __file__=path, __cached__=None, __package__=None, __builtins__=__builtins__
    )
    _kept.extend((sys.modules.get("__main__"), module))
    sys.modules["__main__"] = module
    return module


@contextlib.contextmanager
def restored() -> Iterator[None]:
    """Restores ``sys.path``, ``sys.argv`` and ``__main__`` afterwards."""
    lists = [(name, getattr(sys, name), list(getattr(sys, name))) for name in ("path", "argv")]
    main = sys.modules.get("__main__")
    try:
        yield
    finally:
        for name, object, items in lists:
            object[:] = items
            setattr(sys, name, object)
        if main is not None:
            sys.modules["__main__"] = main


_kept: list[ModuleType | None] = []  # a module that is freed may clear its functions' globals


def check_writable(path: str) -> None:
    """Raises OSError unless the file can be written. Called before the program runs, because hours
    later is too late.
    """
    existed = os.path.exists(path)
    with open(path, "ab"):
        pass
    if not existed:
        os.unlink(path)
