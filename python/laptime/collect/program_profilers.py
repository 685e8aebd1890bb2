"""Wraps the functions by which a program starts and stops its framework's own profiler. While that
runs, the program has what only one profiler can use.
"""

from __future__ import annotations

import functools
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from laptime._messages import say
from laptime._native import recording
from laptime.collect import profiler_owner


class Shared(ABC):
    """Something that belongs to laptime unless the program has taken it."""

    def __init__(self) -> None:
        self._takers: set[str] = set()
        self._newest = ""  # the taker that the last call added; empty if it had taken it already

    def take(self, taker: str) -> None:
        self._newest = "" if taker in self._takers else taker
        self._takers.add(taker)
        self.leave()

    def release(self, taker: str) -> None:
        self._takers.discard(taker)
        if not self._takers:
            self.resume()

    def release_if_new(self, taker: str) -> None:
        """The start failed: the profiler does not run, unless it ran before."""
        if self._newest == taker:
            self.release(taker)

    @abstractmethod
    def leave(self) -> None:
        """Gives it to the program. Called again for each start."""

    @abstractmethod
    def resume(self) -> None:
        """Laptime may use it again. Called again for each stop."""


class SharedSession(Shared):
    """The framework's profiler session, which laptime's bursts use too."""

    def __init__(self, profiler: str) -> None:
        super().__init__()
        self._profiler = profiler
        self._is_reported = False

    def leave(self) -> None:
        if profiler_owner.request_from_program(self._profiler) and not self._is_reported:
            self._is_reported = True
            say(f"{self._profiler} runs; laptime records no ops by it until it stops")
            recording.warn(
                "profiler_left",
                f"bursts ended or were left out while the program's own {self._profiler} ran; ops"
                " in that time are not recorded",
            )

    def resume(self) -> None:
        profiler_owner.release(self._profiler)


def share(
    profiler: str, modules: Iterable[Any], start: str, stop: str, shared: Sequence[Shared]
) -> None:
    """``profiler``: its name in messages.

    From ``start`` to ``stop`` the program has what is shared. An empty ``stop``: until the end
    of the process.

    Contract: both functions work as before, whatever happens here. Wraps them once.
    """

    def each(method: str) -> Callable[[], None]:
        actions = [functools.partial(getattr(one, method), start) for one in shared]
        return functools.partial(_try, profiler, actions)

    modules = tuple(modules)
    _replace(modules, start, before=each("take"), failed=each("release_if_new"))
    if stop:
        _replace(modules, stop, after=each("release"), failed=each("release"))


def _nothing() -> None: ...


def _replace(
    modules: Sequence[Any],
    name: str,
    before: Callable[[], None] = _nothing,
    after: Callable[[], None] = _nothing,
    failed: Callable[[], None] = _nothing,
) -> None:
    original = getattr(modules[0], name, None)
    if original is None or hasattr(original, "_shared_by_laptime"):
        return

    @functools.wraps(original)
    def replaced(*arguments: Any, **named: Any) -> Any:
        before()
        try:
            result = original(*arguments, **named)
        except BaseException:
            failed()
            raise
        after()
        return result

    replaced._shared_by_laptime = True  # type: ignore[attr-defined]
    home = sys.modules.get(getattr(original, "__module__", ""))  # its own module's callers
    for module in (*modules, home):
        if getattr(module, name, None) is original:
            setattr(module, name, replaced)


def _try(profiler: str, actions: Iterable[Callable[[], None]]) -> None:
    for action in actions:
        try:
            action()
        except Exception as error:
            say(f"{profiler}: {error}")
