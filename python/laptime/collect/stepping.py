"""Ends steps, and switches sources with them, for the hooks of any framework."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from laptime._native import recording
from laptime.collect import engine, marks
from laptime.collect.own_time import own_time
from laptime.collect.schedule import Schedule
from laptime.collect.signal_handlers import raised_by_handler
from laptime.collect.sources import Sources, report_off

_MARKED = "step"
_LATE = 0.1  # of a step: one that is marked later than this has ended long ago
_LONG = 0.02  # of a step: switching that takes longer belongs to no step


class EventCost(NamedTuple):
    """In ticks: of a recorded event, and of the hooks of one step."""

    event: float = 0.0
    hooks: float = 0.0


class Hooks(Protocol):
    """What finds the steps of a framework. It is native, because it runs in every step."""

    recorded: bool  # whether sources are on in this step
    reports_steps: bool  # whether ended steps are reported. Otherwise the hooks mark them
    by_program: bool  # whether the program marks its steps itself

    def set_busy(self, busy: bool, /) -> None:
        """While busy, the calling thread works for laptime and makes no steps."""

    def finish(self) -> None:
        """No more events follow."""


class Stepping:
    """Contract: ``hooks`` is set before the first step."""

    hooks: Hooks

    def __init__(
        self,
        framework: str,
        new_schedule: Callable[[], Schedule],
        load: Callable[[], Sources],
        measure_cost: Callable[[], EventCost],
    ) -> None:
        """``load`` and ``measure_cost`` are called at the first sign of training, or by
        ``load_sources``.
        """
        self._framework = framework
        self._new_schedule = new_schedule
        self._load = load
        self._measure_cost = measure_cost
        self.cost = EventCost()
        self._phases: dict[str, int] = {}
        self._sources: Sources | None = None
        self._loading = threading.Lock()
        self._setup_ns = 0
        self._start_over()

    def _start_over(self) -> None:
        self._schedule = self._new_schedule()
        self._steps = 0
        self._events = 0  # events that were priced so far
        self._reading = 0  # ticks that sources worked within a burst since the step's end
        self._counted = 0.0  # ticks that the events of recorded steps should have cost

    def load_sources(self) -> None:
        """Returns at once if another thread is already loading. Never waits."""
        if self._sources is not None or not self._loading.acquire(blocking=False):
            return
        try:
            with self._hidden(), self._own_work():
                sources = self._load()
                try:
                    if sources:
                        self.cost = self._measure_cost()
                except BaseException:
                    sources.close()
                    raise
            self._sources = sources
            self.hooks.reports_steps = bool(sources)
            self._begin_first()
        finally:
            self._loading.release()

    def _hidden(self) -> contextlib.AbstractContextManager[None]:
        """Hides the set-up's own use of the framework from the program."""
        return contextlib.nullcontext()

    @contextlib.contextmanager
    def _own_work(self) -> Iterator[None]:
        """Set-up, which may compile for 10 s. No line of the program is charged with it. It has a
        span of its own.
        """
        begin, begin_ns = recording.now(), time.perf_counter_ns()
        self.hooks.set_busy(True)
        try:
            with own_time():
                yield
        finally:
            self.hooks.set_busy(False)
            engine.skip_lines_since(begin)
            recording.put_span(recording.name("laptime: set-up"), recording.SCOPE, begin)
            self._setup_ns += time.perf_counter_ns() - begin_ns
            recording.set_property(f"{self._framework}_setup_ns", self._setup_ns)

    def finish(self) -> None:
        """Ends the present step with what it did last."""
        self.hooks.finish()

    def after_fork(self) -> None:
        """Runs in the child, which counts its own steps. Nothing is on."""
        self._loading = threading.Lock()
        if self._sources:
            self._sources.rest_in_child()
        self._start_over()

    def begin_in_child(self) -> None:
        """Starts in a child. Records from its beginning if the schedule does."""
        if self._sources is None:
            self.load_sources()
        else:
            self._begin_first()

    def costs(self) -> dict[str, float]:
        """Costs in ticks, as events are priced: the hooks of all steps, recording in steps."""
        return {
            f"{self._framework}_hooks": self._steps * self.cost.hooks,
            f"{self._framework}_ops": self._counted,
        }

    def switching(self) -> float:
        """Ticks that the last switching of the sources on and off took."""
        return self._sources.switching if self._sources else 0

    def source_names(self) -> list[str]:
        """Names, for a message, of what is recorded in some steps only."""
        return [
            {"gpu": "GPU work"}.get(name, name)
            for name in (self._sources.loaded if self._sources else ())
        ]

    @property
    def steps(self) -> int:
        """Steps that ended. Counted only if something is recorded in some of them only."""
        return self._steps

    def found_no_steps(self) -> bool:
        """Whether there are sources to switch on, but no step ended."""
        sources = self._sources
        return bool(sources and not sources.are_on and self._steps == 0)

    def close(self) -> None:
        if self._sources:
            self._sources.close()

    def marked_by_program(self, samples: int = 0) -> None:
        """From their first one on, the program's own marks replace the steps that hooks find."""
        self.hooks.by_program = True
        self.mark(_MARKED, samples)

    def begin(self) -> None:
        """Begins the first step here, not where the program began."""
        try:
            self.load_sources()
        except Exception as error:
            self._give_up(error)
        marks.began(self._framework)
        recording.begin_step()

    def mark(self, ended: str, samples: int = 0, end: int = 0) -> None:
        """Ends a step of the phase ``ended``. ``end``: its time in ticks; 0: now."""
        try:
            self._end_step(ended, samples, end)
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """Stops recording in steps. From here on steps are only marked.

        An error inside a call of the program's own must not end that call.
        """
        if raised_by_handler(error):
            raise error
        failed, self._sources = self._sources, Sources(self._framework)
        report_off(self._framework, "steps", error)
        if failed:
            failed.close()

    def _end_step(self, ended: str, samples: int, end: int) -> None:
        if self._sources is None:
            self.load_sources()
        sources = self._sources
        phase = self._phases.get(ended)
        if phase is None:
            phase = self._phases[ended] = recording.name(ended)
        if not sources:
            # Otherwise sources are still being loaded, or have failed: the step has no records.
            are_none = sources is not None and self._steps == 0
            recording.mark_step(samples, phase, -1 if are_none else 0, end)
            return
        recorded = sources.record
        if recorded:
            self._recorded_step_ends()
        sources.at_step()
        wall = recording.mark_step(samples, phase, int(recorded), end)
        if wall == 0:  # recording stopped for lack of space, as was reported
            self._switch(False)
            return
        self._steps += 1
        counted = self._price() + self._reading if recorded else 0.0
        on = self._schedule.after(ended, wall, recorded, counted)
        if end and recording.now() - end > _LATE * wall:
            return  # further steps that have ended may follow, and they had the same sources on
        self._switch(on)
        switching = sources.take_work()
        sources.after_step()
        self._reading = sources.take_work()
        if switching + self._reading > _LONG * wall:
            recording.begin_step()

    def _price(self) -> float:
        """What events should have cost that were recorded since the last call."""
        assert self._sources is not None
        before, self._events = self._events, self._sources.events()
        counted = max(0, self._events - before) * self.cost.event
        self._counted += counted
        return counted

    def _recorded_step_ends(self) -> None: ...

    def _begin_first(self) -> None:
        self._switch(bool(self._sources) and self._schedule.first())

    def _switch(self, on: bool) -> None:
        assert self._sources is not None
        was_on = self._sources.are_on
        self._sources.switch(on)
        self.hooks.recorded = on
        if was_on:
            self._price()  # of what was read only now
        if on:
            self._events = self._sources.events()
