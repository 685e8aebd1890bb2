"""What is recorded of a program that makes no steps, or none yet: stretches of time, as many as the budget allows.

Sources are switched on the main thread, as they are between two steps, and never while it captures a CUDA graph.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from laptime._native import recording
from laptime._torch.main_thread_clock import MainThreadClock
from laptime._torch.schedule import ByClock
from laptime._torch.sources import Sources

PERIOD_S = 0.25
_INSTEAD = "use laptime.step() or --full (docs/steps.md)"
_VALUE = "ops recorded"  # 1 from where the sources are on, 0 from where they rest and at the end


class Stretches:
    """Contract: from ``begin`` to ``end``; the sources rest after that."""

    def __init__(self, sources: Sources, schedule: ByClock, event_cost: float, captures: Callable[[], bool]) -> None:
        """``captures``: whether the thread captures a CUDA graph, to which nothing may be added. ``event_cost``: in ticks."""
        self._sources = sources
        self._schedule = schedule
        self._event_cost = event_cost
        self._captures = captures
        self._clock: MainThreadClock | None = None
        self._began_s = time.monotonic()
        self._turned = recording.now()
        self._was_on = self._rested = False
        self._events = 0

    def begin(self) -> None:
        try:
            self._clock = MainThreadClock(self._turn, PERIOD_S)
        except RuntimeError:  # no thread to be had
            return
        self._switch(self._schedule.first())
        self._tell()

    def end(self, steps_follow: bool) -> float:
        """The first step begins, or recording ends. What recording added, in ticks."""
        if self._clock is not None:
            self._clock.stop()
            self._clock = None
            self._switch(False)
            self._tell()
            if not steps_follow:
                self._say()
        return self._schedule.spent()

    def forget(self) -> None:
        """In a forked child, which has no clock."""
        self._clock = None

    def _turn(self) -> None:
        if self._clock is None or self._captures():
            return
        now, recorded = recording.now(), self._sources.are_on
        wall, self._turned = now - self._turned, now
        self._sources.at_step()
        counted = (self._sources.events() - self._events) * self._event_cost if recorded else 0.0
        self._switch(self._schedule.after("", wall, recorded, counted))

    def _switch(self, on: bool) -> None:
        changes = on != self._sources.are_on
        self._sources.switch(on)
        self._events = self._sources.events()
        if on:
            self._was_on = True
        elif self._clock is not None:
            self._rested = True
        if changes:
            self._tell()

    def _tell(self) -> None:
        recording.value(_VALUE, self._sources.are_on)

    def _say(self) -> None:
        if not self._rested or time.monotonic() - self._began_s < PERIOD_S:  # all was recorded, or torch hardly more than imported
            return
        if self._was_on:
            recording.lose("torch_stretches", f"no steps found: ops and GPU work of parts of the time; {_INSTEAD}")
        else:
            recording.lose("torch_no_steps", f"no steps found: no ops or GPU work recorded; {_INSTEAD}")
