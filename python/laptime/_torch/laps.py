"""From steps that the hooks tell to sources that record or rest. What is done in every step is native (``StepHooks``)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from laptime._native import recording, torch_steps
from laptime._torch.cpu_shares import CpuShares
from laptime._torch.event_cost import EventCost
from laptime._torch.loaders import LoaderNumbers
from laptime._torch.schedule import Schedule
from laptime._torch.sources import Sources
from laptime._torch.stretches import Stretches, Sums

_MARKED = "step"


class Laps:
    def __init__(self, new_schedule: Callable[[], Schedule], load: Callable[[], Sources], gradients_on: Callable[[], bool],
                 first_step: Callable[[Any], None], measure_cost: Callable[[], EventCost]) -> None:
        """``load`` and ``measure_cost`` are called with the first sign of training, or by ``load_sources``; ``first_step`` with the
        first optimizer of each class that steps."""
        self._new_schedule = new_schedule
        self._load = load
        self._measure_cost = measure_cost
        self.cost = EventCost()
        self._phases: dict[str, int] = {}
        self._sources: Sources | None = None
        self._stretches: Stretches | None = None
        self._start_over()
        self.hooks = torch_steps.StepHooks(
            begin=self._begin, mark=self._mark, gradients_on=gradients_on, add_loader=self._add_loader, is_training=_is_training,
            first_step=first_step, shares=self.cpu_shares, thread=_main_thread())

    def _start_over(self) -> None:
        self._schedule = self._new_schedule()
        self.cpu_shares = CpuShares()
        self._loaders = LoaderNumbers(lambda iterator, loader: self.hooks.loader_dropped(iterator, loader))
        self._steps = 0
        self._before_steps = Sums()
        self.clocked_names: list[str] = []  # what the clock switches, in words
        self._events = 0  # that the sources had recorded when the step began

    def load_sources(self) -> None:
        if self._sources is None:
            self._sources = self._load()
            if self._sources:
                self.cost = self._measure_cost()
            self.hooks.tells = bool(self._sources)
            self._switch(bool(self._sources) and self._schedule.first())

    def record_by_clock(self, budget: float, at_once: bool) -> None:
        """Until a step has ended: that one began may mean no more than a batch to look at. Contract: the sources are loaded."""
        if self._sources:
            self._stretches = Stretches(self._sources)
            self.clocked_names = self._stretches.names
            self._stretches.begin(budget, at_once, self.cost.event)

    def end_stretches(self) -> Sums:
        """What was recorded by the clock."""
        stretches = self._stretches
        if stretches is not None:  # perhaps for two threads at once
            self._before_steps = stretches.end()
            self._stretches = None
        return self._before_steps

    def after_fork(self) -> None:
        """In the child: most only prepare batches. One that trains counts its own steps."""
        self._stretches = None  # its clock is the parent's
        if self._sources:
            self._sources.rest_in_child()
        self._start_over()
        self.hooks.start_over(self.cpu_shares, _main_thread())

    def spent(self) -> float | None:
        """What recording ops and the like added so far, and the hooks in the steps that it is decided in, in ticks; None: unknown."""
        spent = self._schedule.spent() if self._sources else None
        return None if spent is None else spent + self._before_steps.spent + self._steps * self.cost.hooks

    def switching(self) -> float:
        """What it took to switch the sources on and off the last time, in ticks."""
        return self._sources.switching if self._sources else 0

    def source_names(self) -> list[str]:
        """What is recorded in some steps only, in words."""
        return [{"gpu": "GPU work"}.get(name, name) for name in (self._sources.loaded if self._sources else ())]

    def waited_in_vain(self) -> bool:
        """Sources that the steps were to switch on, of which none came."""
        return bool(self._sources) and not self._sources.are_on and self._steps == 0

    def close(self) -> None:
        self.end_stretches()
        if self._sources:
            self._sources.close()

    def marked_by_program(self, samples: int = 0) -> None:
        """The program's own marks win over all that is told from hooks, from the first one on."""
        self.hooks.by_program = True
        self._mark(_MARKED, samples)

    def _add_loader(self, iterator: Any) -> int:
        return self._loaders.add(iterator)

    def _begin(self) -> None:
        """The first step begins here, not where the program began."""
        self.load_sources()
        recording.begin_step()

    def _mark(self, ended: str, samples: int) -> None:
        sources = self._sources
        if sources is None:
            self.load_sources()
            sources = self._sources
        if self._stretches is not None:
            self.end_stretches()
        phase = self._phases.get(ended)
        if phase is None:
            phase = self._phases[ended] = recording.name(ended)
        if not sources.loaded:
            recording.mark_step(samples, phase)
            return
        recorded = sources.are_on
        sources.at_step()
        wall = recording.mark_step(samples, phase, int(recorded))
        self._steps += 1
        counted = (sources.events() - self._events) * self.cost.event if recorded else 0.0
        self._switch(self._schedule.after(ended, wall, recorded, counted))

    def _switch(self, on: bool) -> None:
        assert self._sources is not None
        self._sources.switch(on)
        self.hooks.recorded = on
        if on:
            self._events = self._sources.events()


def _is_training(model: Callable[[], Any]) -> bool:
    """Also when the model is gone; ``model``: a weak reference."""
    found = model()
    return found is None or bool(found.training)


def _main_thread() -> int:
    ident = threading.main_thread().ident
    assert ident is not None
    return ident
