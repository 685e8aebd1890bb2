"""Marks in a program: named regions and training steps. Without a recording each mark costs a call
that does nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from laptime._native import Around
from laptime._native import recording as _native
from laptime.collect import marks

Item = TypeVar("Item")
if TYPE_CHECKING:  # its bound would import typing as if the program did
    Function = TypeVar("Function", bound=Callable[..., Any])

_CO_COROUTINE = 0x80


class scope(_native.Scope):
    """``with scope("forward"):`` times the block; ``@scope("forward")`` times each call of a
    function.
    """

    def __call__(self, function: Function) -> Function:
        code = getattr(function, "__code__", None)
        if code is not None and code.co_flags & _CO_COROUTINE:
            timed: Function = _timed_coroutine(self.name, function)
        else:
            timed = _timed(self.name, function)
        return timed


def _timed(name: str, function: Any) -> Any:
    @functools.wraps(function)
    def timed(*args: Any, **kwargs: Any) -> Any:
        with _native.Scope(name):
            return function(*args, **kwargs)

    return timed


def _timed_coroutine(name: str, function: Any) -> Any:
    @functools.wraps(function)
    async def timed(*args: Any, **kwargs: Any) -> Any:
        with _native.Scope(name):
            return await function(*args, **kwargs)

    return timed


def step(samples: int = 0) -> None:
    """Marks the end of a training step with ``samples`` samples (0: unknown)."""
    marks.mark_step(samples)


def steps(loader: Iterable[Item], samples: int | Callable[[Item], int] = 0) -> Iterator[Item]:
    """``for batch in steps(loader):`` makes each iteration of the loop a step. The time to get a
    batch is a wait for input.

    ``samples``: the number of samples in a batch, or a function that returns it for a batch.
    """
    _native.begin_step()
    iterator = iter(loader)
    wait = _native.Scope("input", _native.LOADER)
    # A loader whose waits are recorded anyway.
    seen = isinstance(getattr(type(iterator), "__next__", None), Around)
    while True:
        if not seen:
            wait.begin()
        try:
            item = next(iterator)
        except StopIteration:
            return
        wait.end()
        yield item
        marks.mark_step(samples(item) if callable(samples) else samples)
