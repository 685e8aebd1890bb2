"""From what the hooks see to marked steps, and from steps to sources that record or rest.

Steps are marked on one thread: the one whose optimizers step, and until one does, the main thread. What other threads
read (a thread that prepares batches) makes no steps there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from threading import get_ident
from typing import Any

from laptime._native import recording
from laptime._torch.batches import LoaderNumbers, samples_in
from laptime._torch.cpu_shares import CpuShares
from laptime._torch.event_cost import EventCost
from laptime._torch.schedule import Schedule
from laptime._torch.sources import Sources
from laptime._torch.step_rules import SKIPPED, Ended, StepRules

_MARKED = "step"


class Laps:
    def __init__(self, new_schedule: Callable[[], Schedule], load: Callable[[], Sources], gradients_on: Callable[[], bool],
                 measure_cost: Callable[[], EventCost] = EventCost) -> None:
        """``load`` and ``measure_cost`` are called with the first sign of training, or by ``load_sources``."""
        self._new_schedule = new_schedule
        self._load = load
        self._measure_cost = measure_cost
        self.cost = EventCost()
        self._gradients_on = gradients_on
        self._phases: dict[str, int] = {}
        self._sources: Sources | None = None
        self._start_over()

    def _start_over(self) -> None:
        self._schedule = self._new_schedule()
        self._rules = StepRules()
        self.cpu_shares = CpuShares()
        self._loaders = LoaderNumbers(self._loader_dropped)
        self._numbers = self._loaders.numbers
        self._thread = threading.main_thread().ident
        self._has_begun = False
        self._has_trained = False
        self._by_program = False  # the program marks its steps itself
        self._whole = False  # the sources were on from the step's beginning …
        self._events = 0  # … and had recorded so many events then
        self._stepped = False  # an optimizer, since the gradient scaler looked last
        self._evaluated: Callable[[], Any] | None = None
        self._gradients = True

    def load_sources(self) -> None:
        if self._sources is None:
            self._sources = self._load()
            if self._sources:
                self.cost = self._measure_cost()
            self._switch(bool(self._sources) and self._schedule.first())

    def after_fork(self) -> None:
        """In the child: most only prepare batches. One that trains counts its own steps."""
        if self._sources:
            self._sources.switch(False)
        self._start_over()

    def spent(self) -> float | None:
        """What recording ops and the like added so far, in ticks; None: unknown."""
        return self._schedule.spent() if self._sources else None

    def switching(self) -> float:
        """What it took to switch the sources on and off the last time, in ticks."""
        return self._sources.switching if self._sources else 0

    def close(self) -> None:
        if self._sources:
            self._sources.close()

    # ---- what the hooks tell ----

    def batch_asked(self, iterator: Any) -> None:
        if get_ident() != self._thread or self._by_program:
            return
        if not self._has_begun:
            self._begin()
        if self._whole:
            self.cpu_shares.ended()
        self._gradients = self._gradients_on()
        loader = self._numbers.get(id(iterator)) or self._loaders.add(iterator)
        ended = self._rules.ask(loader, self._gradients, self._evaluated is not None and self._is_evaluating())
        if ended:
            self._mark(ended)
        if self._whole:
            self.cpu_shares.asked()

    def batch_came(self, iterator: Any, batch: Any, raised: type[BaseException] | None) -> None:
        if get_ident() != self._thread or self._by_program:
            return
        loader = self._numbers.get(id(iterator)) or self._loaders.add(iterator)
        if self._whole:
            self.cpu_shares.came()
        if raised is None:
            self._rules.got(loader, samples_in(batch), self._gradients)
        elif issubclass(raised, StopIteration):
            self._rules.closed(loader)

    def _loader_dropped(self, loader: int) -> None:
        if get_ident() != self._thread or self._by_program:
            return
        ended = self._rules.dropped(loader)
        if ended:
            self._mark(ended)

    def optimizer_made(self) -> None:
        self._rules.optimizer_made()
        if not self._has_begun:
            recording.begin_step()

    def gradients_zeroed(self, optimizer: int) -> None:
        self._rules.gradients_zeroed(optimizer)

    def optimizer_stepped(self, optimizer: int) -> None:
        self._stepped = True
        self._evaluated = None
        if self._by_program:
            return
        if not self._has_trained:
            self._has_trained = True
            self._thread = get_ident()
        ended = self._rules.optimizer_stepped(optimizer)
        if ended:
            self._mark(ended)

    def scaler_updated(self) -> None:
        """With mixed precision a step whose gradients overflow is skipped: for the loop it was a step all the same."""
        if not self._stepped:
            self.optimizer_stepped(SKIPPED)
        self._stepped = False

    def evaluating(self, module: Callable[[], Any]) -> None:
        """A model was put into eval mode; ``module``: a weak reference to it."""
        self._evaluated = module

    def marked_by_program(self, samples: int = 0) -> None:
        """The program's own marks win over all that is told from hooks, from the first one on."""
        self._by_program = True
        self._mark(Ended(_MARKED, samples))

    def _is_evaluating(self) -> bool:
        model = self._evaluated() if self._evaluated is not None else None
        return model is not None and not model.training

    # ---- steps ----

    def _begin(self) -> None:
        """The first step begins here, not where the program began."""
        self.load_sources()
        self._has_begun = True
        recording.begin_step()

    def _mark(self, ended: Ended) -> None:
        self._has_begun = True
        sources = self._sources
        if sources is None:
            self.load_sources()
            sources = self._sources
        phase = self._phases.get(ended.phase)
        if phase is None:
            phase = self._phases[ended.phase] = recording.name(ended.phase)
        if not sources.loaded:
            recording.mark_step(ended.samples, phase)
            return
        sources.at_step()
        wall = recording.mark_step(ended.samples, phase, int(self._whole))
        counted = (sources.events() - self._events) * self.cost.event if self._whole else 0.0
        self._switch(self._schedule.after(ended.phase, wall, self._whole, counted))

    def _switch(self, on: bool) -> None:
        assert self._sources is not None
        self._sources.switch(on)
        self._whole = on
        if on:
            self._events = self._sources.events()
