"""Recording a part of a program into a ``.lap`` file."""

from __future__ import annotations

import atexit
import functools
import os
import sys
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any, TypeVar

from laptime import _engine, _torch
from laptime._closing import write_closing_facts
from laptime._native import recording as _native

DEFAULT_BUDGET = 0.05

Function = TypeVar("Function", bound=Callable[..., Any])

_marked: dict[int, CodeType] = {}  # by @lines


class Recording:
    """``with Recording("run.lap"):``, or ``start()`` and ``stop()``.

    ``lines``: the user's own code by line (not the standard library, not site-packages; ``include`` and ``exclude`` are
    globs on file names). ``functions``: calls of everything. ``budget``: the share of time that this may cost; None: any.
    With PyTorch imported before: ``ops``, in as many steps as the budget allows; their ``shapes``; ``memory``; what the ``gpu`` does.
    Where the process records already (`laptime run`), the block is part of that recording, and no file is written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        lines: bool = True,
        functions: bool = False,
        budget: float | None = DEFAULT_BUDGET,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        ops: bool = True,
        shapes: bool = False,
        memory: bool = False,
        gpu: bool = True,
    ) -> None:
        self.path = os.fspath(path)
        shared: dict[str, Any] = {"budget": budget, "include": tuple(include), "exclude": tuple(exclude)}
        self._engines: dict[str, Any] = {
            "lines": lines or bool(_marked), "functions": functions, "builtins": functions,
            "only": None if lines else tuple(_marked.values()), **shared,
        }
        self._torch: _torch.Options = {
            "ops": ops, "shapes": shapes, "memory": memory, "gpu": gpu, "steps": None, "block": True, "replace_profiler": False,
            **shared,
        }
        self._owns_recording = False
        self._torch_started = False

    def start(self) -> None:
        self._owns_recording = not _native.on()
        if self._owns_recording:
            problem = _native.start(self.path)
            if problem:
                raise OSError(problem)
            atexit.register(self.stop)
        else:
            print(f"laptime: already recording; {self.path} is not written, what it would hold is in the outer recording",
                  file=sys.stderr)
        _engine.start(**self._engines)
        for code in _marked.values():
            _engine.watch(code)
        if "torch" in sys.modules:
            _torch.start(self._torch)
            self._torch_started = True

    def stop(self) -> None:
        self._stop()

    def _stop(self, await_gpu: bool = False) -> None:
        try:
            if self._torch_started:
                self._torch_started = False
                _torch.stop(await_gpu)
        finally:
            self._end()

    def _end(self) -> None:
        _engine.stop(lines=self._engines["lines"], functions=self._engines["functions"])
        if self._owns_recording:
            atexit.unregister(self.stop)
            self._owns_recording = False
            write_closing_facts()
            if not _native.stop():
                raise OSError(_native.error())

    def __enter__(self) -> Recording:
        self.start()
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._stop(await_gpu=error is None)


def lines(function: Function) -> Function:
    """Times this function by line in every recording, also one with ``lines=False``. The function itself is returned."""
    code = inspect_code(function)
    _marked[id(code)] = code
    if _engine.running()[0]:
        _engine.watch(code)
    return function


def inspect_code(function: Callable[..., Any]) -> CodeType:
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None) or getattr(getattr(function, "__func__", None), "__code__", None)
    if not isinstance(code, CodeType):
        raise TypeError(f"laptime.lines: {function!r} has no lines of Python")
    return code
