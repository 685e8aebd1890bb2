"""Records ops through a framework's own profiler, in whole bursts of steps."""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Callable, Iterator

from laptime._native import recording, torch_ops, xplane
from laptime.collect import profiler_owner
from laptime.collect.own_time import own_time
from laptime.collect.signal_handlers import raised_by_handler
from laptime.collect.source import Source

# A profile stays in memory until its burst ends. One of more steps is read in parts.
_MOST_STEPS = 64


class ProfilerSource(Source):
    """Contract: ``on`` takes about 0.1 ms. ``off`` takes some milliseconds, in which the profile is
    read and recorded.

    While the program uses the profiler itself, nothing is recorded, and ``records`` is False.
    """

    def __init__(
        self,
        kind: str,
        call_sites: Callable[[str, list[str]], list[tuple[int, bool]]],
        calls: xplane.OpCalls | None = None,
    ) -> None:
        """``call_sites``: those of ops, by the name of their compiled function and their own.
        ``calls``: of ops that have no name.
        """
        self._kind = kind
        self._writer = xplane.ProfileWriter(
            call_sites, input_hooked=True, dispatch_hooked=True, calls=calls
        )
        self._begin: tuple[int, int] | None = None  # while a session runs
        self._events = 0
        self._steps = 0  # in the session
        self._worked = 0  # ticks, until they are taken
        self._try_out()
        profiler_owner.when_requested(self.off)

    @abstractmethod
    def _start(self) -> None:
        """Starts a session of the profiler."""

    @abstractmethod
    def _stop(self) -> bytes:
        """Ends the session. Returns its XSpace."""

    @property
    def kind(self) -> str:
        return self._kind

    @property
    def records(self) -> bool:
        return self._begin is not None

    @property
    def events(self) -> int:
        return self._events

    def take_work(self) -> int:
        worked, self._worked = self._worked, 0
        return worked

    def on(self) -> None:
        if self._begin is None and profiler_owner.acquire(profiler_owner.LAPTIME):
            with self._own_work():
                self._begin_session()

    def at_step(self) -> None:
        self._steps += 1

    def after_step(self) -> None:
        if self._steps >= _MOST_STEPS:
            self.off()
            self.on()

    def off(self) -> None:
        if self._begin is not None:
            with self._own_work():
                self._end_session()

    @contextlib.contextmanager
    def _own_work(self) -> Iterator[None]:
        began = recording.now()
        try:
            with own_time():
                yield
        finally:
            self._worked += recording.now() - began

    def _begin_session(self) -> None:
        try:
            self._start()
        except Exception as error:
            profiler_owner.release(profiler_owner.LAPTIME)
            if raised_by_handler(error):
                raise
            self._warn_busy()
            return
        self._begin, self._steps = torch_ops.clock_point(), 0

    def _end_session(self) -> None:
        begin, self._begin = self._begin, None
        assert begin is not None
        end = torch_ops.clock_point()
        try:
            space = self._stop()
        finally:
            profiler_owner.release(profiler_owner.LAPTIME)
        self._events += self._writer.put(space, begin, end)

    def close(self) -> None:
        self.off()
        profiler_owner.when_requested(None)

    def _try_out(self) -> None:
        """The first session of a process takes longer than later ones."""
        if not profiler_owner.acquire(profiler_owner.LAPTIME):
            return
        try:
            self._start()
            if not self._stop():
                raise RuntimeError("its profiler returned an empty profile")
        finally:
            profiler_owner.release(profiler_owner.LAPTIME)

    def _warn_busy(self) -> None:
        recording.warn(
            "ops_profiler_busy",
            "intervals without ops, because the program used the framework's profiler itself",
        )
