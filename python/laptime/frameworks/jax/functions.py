"""Which jitted functions are the program's own, and what they are called. Imports jax."""

from __future__ import annotations

import functools
import os
from types import CodeType
from typing import Any

import jax
from jax._src import pmap

_FOLDER = os.path.dirname(jax.__file__) + os.sep
_PMAP = pmap.__file__


class Functions:
    def __init__(self) -> None:
        self._names: set[str] = set()

    def identify(self, name: str, function: Any) -> tuple[str, CodeType | None] | None:
        """The name of a function, and its code if that is known. None: an op of JAX itself.

        A program that was compiled already is only known by its name.
        """
        name = plain_name(name)
        innermost = _innermost(function)
        code = getattr(innermost, "__code__", None)
        if code is not None and code.co_filename == _PMAP:
            innermost = _innermost(_mapped(innermost))
            name, code = getattr(innermost, "__name__", name), getattr(innermost, "__code__", None)
        elif function is None or (code is not None and code.co_filename.startswith(_FOLDER)):
            return (name, None) if name in self._names else None
        self._names.add(name)
        return name, code


def plain_name(name: str) -> str:
    """The function of "f", "jit_f" or "jit(f)"."""
    if name.startswith("jit(") and name.endswith(")"):
        return name[len("jit(") : -1]
    return name.removeprefix("jit_")


def _innermost(function: Any) -> Any:
    """The program's function in JAX's transformations of it."""
    for _ in range(64):
        inner = (
            function.func
            if isinstance(function, functools.partial)
            else getattr(function, "__wrapped__", None)
        )
        if inner is None:
            break
        function = inner
    return function


def _mapped(function: Any) -> Any:
    """The function that pmap maps. It is a variable of the function that pmap jits."""
    variables = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cell = variables.get("fun")
    return getattr(cell.cell_contents, "f", None) if cell is not None else None
