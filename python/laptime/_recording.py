"""Records a part of a program into a ``.lap`` file."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar

from laptime._messages import say
from laptime._native import recording as _native
from laptime.collect import engine
from laptime.collect.closing import write_closing_facts
from laptime.frameworks import torch as torch_collector

DEFAULT_BUDGET = 0.05
_FOR_FRAMEWORKS = ("ops", "gpu", "steps", "budget", "include", "exclude")  # besides torch

if TYPE_CHECKING:  # its bound would import typing as if the program did
    Function = TypeVar("Function", bound=Callable[..., Any])

_marked: dict[int, CodeType] = {}  # functions marked by @lines


class _NotWritten(OSError):
    """The recorder reported why it cannot record."""


class Recording:
    """``with Recording("run.lap"):``, or ``start()`` and ``stop()``.

    - ``lines``: times the user's own code by line, without the standard library and site-packages.
      ``include`` and ``exclude`` are globs on file names.
    - ``functions``: counts and times all calls.
    - ``budget``: the share of time that this may cost. None: no limit.
    - ``source``: stores the text of the user's own files that the recording names.

    These need PyTorch, imported before. ``ops`` works with TensorFlow and JAX, too:

    - ``ops``: records ops in as many steps as the budget allows.
    - ``shapes``: records the ops' shapes.
    - ``memory``: records memory.
    - ``gpu``: records the GPU's work.

    If the process already records (`laptime run`), the block becomes part of that recording, and no
    file is written.
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
        source: bool = True,
    ) -> None:
        self.path = os.fspath(path)
        shared: dict[str, Any] = {
            "budget": budget,
            "include": tuple(include),
            "exclude": tuple(exclude),
        }
        self._engines: dict[str, Any] = {
            "lines": lines or bool(_marked),
            "functions": functions,
            "builtins": functions,
            "only": None if lines else tuple(_marked.values()),
            **shared,
        }
        self._torch: torch_collector.Options = {
            "ops": ops,
            "shapes": shapes,
            "memory": memory,
            "gpu": gpu,
            "steps": None,
            "block": True,
            "budget": budget,
            "include": shared["include"],
            "exclude": shared["exclude"],
        }
        self._source = source
        self._started: list[contextlib.ExitStack] = []  # each undoes one start
        self._await_gpu = False

    def start(self) -> None:
        """An interruption leaves nothing on."""
        undo = contextlib.ExitStack()
        try:
            self._start_recording(undo)
            self._start_engines(undo)
            self._started.append(undo)
        except BaseException:
            _close_quietly(undo)
            raise

    def stop(self) -> None:
        """Raises OSError if the file cannot be written. The end of a block, and of the program,
        only report the error.
        """
        self._take_undo().close()

    def _stop_quietly(self) -> None:
        _close_quietly(self._take_undo())

    def _take_undo(self) -> contextlib.ExitStack:
        try:
            return self._started.pop()  # one step, because another thread may end it too
        except IndexError:
            return contextlib.ExitStack()

    def _start_recording(self, undo: contextlib.ExitStack) -> None:
        if not _native.on():
            undo.callback(engine.stop_sources)
            # Before the start: an interruption may come with its end.
            undo.callback(self._end_recording)
            problem = _native.start(self.path)
            if not problem:
                self._start_sources()
                atexit.register(self._stop_quietly)
                return
            undo.pop_all()
            if not _native.on():  # another thread was first
                raise OSError(problem)
        _say_of_inner(self.path)
        undo.callback(_inner.discard, self)
        _inner.add(self)

    def _start_sources(self) -> None:
        if self._source:
            engine.start_sources(include=self._engines["include"], exclude=self._engines["exclude"])
        else:
            _native.set_property("source_text", "left out")

    def _start_engines(self, undo: contextlib.ExitStack) -> None:
        kinds = {kind: self._engines[kind] for kind in ("lines", "functions")}
        if any(kinds.values()) and engine.start_or_warn(**self._engines):
            undo.callback(engine.stop, **kinds)
        for code in _marked.values():
            engine.watch(code)
        if "torch" in sys.modules:
            torch_collector.start(self._torch)
            undo.callback(lambda: torch_collector.stop(self._await_gpu))
        if self not in _inner:  # otherwise they are measured already
            self._start_frameworks(undo)

    def _start_frameworks(self, undo: contextlib.ExitStack) -> None:
        options = {name: self._torch[name] for name in _FOR_FRAMEWORKS}  # type: ignore[literal-required]
        for name in ("tensorflow", "jax"):
            if name in sys.modules:
                collector = import_module(f"laptime.frameworks.{name}")
                collector.start(options)
                undo.callback(collector.stop)
        if "keras" in sys.modules:
            import_module("laptime.frameworks.keras").watch_loops()

    def _end_recording(self) -> None:
        atexit.unregister(self._stop_quietly)
        for _ in range(end_inner()):
            _native.warn(
                "block_cut",
                "blocks that began within this recording continued after its end: what they did"
                " then is not recorded",
            )
        write_closing_facts()
        if not _native.stop():
            raise _NotWritten(_native.error())

    def __enter__(self) -> Recording:
        self.start()
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._await_gpu = error is None
        self._stop_quietly()


_inner: set[Recording] = set()  # started where the process recorded already
_reported_inner = False


def end_inner() -> int:
    """Ends the blocks that began within a recording and are still open. Returns their number."""
    blocks = tuple(_inner)
    for inner in blocks:
        inner._stop_quietly()
    return len(blocks)


def _say_of_inner(path: str) -> None:
    """Once a process, because a block may be in a loop."""
    global _reported_inner
    if not _reported_inner:
        _reported_inner = True
        say(
            f"already recording; {path} is not written: the block is recorded as the outer"
            " recording is, with its options and its budget"
        )


def _close_quietly(undo: contextlib.ExitStack) -> None:
    """Reports a failure in one line. What the program does, and how it ends, must not change."""
    try:
        undo.close()
    except _NotWritten:
        pass
    except Exception as error:
        say(str(error))


def lines(function: Function) -> Function:
    """Times this function by line in every recording, also with ``lines=False``. Returns the
    function itself.
    """
    code = inspect_code(function)
    _marked[id(code)] = code
    if engine.running()[0]:
        engine.watch(code)
    return function


def inspect_code(function: Callable[..., Any]) -> CodeType:
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None) or getattr(
        getattr(function, "__func__", None), "__code__", None
    )
    if not isinstance(code, CodeType):
        raise TypeError(f"laptime.lines: {function!r} has no lines of Python")
    return code
