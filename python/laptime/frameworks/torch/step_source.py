"""From steps that the hooks tell to sources that record or rest. What is done in every step is
native (``StepHooks``).
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from laptime._native import recording, torch_steps
from laptime.collect import engine
from laptime.collect.own_time import own_time
from laptime.collect.signal_handlers import raised_by_handler
from laptime.frameworks.torch.cpu_shares import CpuShares
from laptime.frameworks.torch.event_cost import EventCost
from laptime.frameworks.torch.intervals import Intervals, Sums
from laptime.frameworks.torch.loaders import LoaderNumbers
from laptime.frameworks.torch.schedule import Schedule
from laptime.frameworks.torch.sources import Sources, say_off

_MARKED = "step"
_BACKWARD_CODES = tuple(
    function.__code__
    for function in (torch.Tensor.backward, torch.autograd.backward, torch.autograd.grad)
)


class StepSource:
    def __init__(
        self,
        new_schedule: Callable[[], Schedule],
        load: Callable[[], Sources],
        first_step: Callable[[Any], None],
        measure_cost: Callable[[], EventCost],
    ) -> None:
        """``load`` and ``measure_cost`` are called with the first sign of training, or by
        ``load_sources``; ``first_step`` with the first optimizer of each class that steps.
        """
        self._new_schedule = new_schedule
        self._load = load
        self._measure_cost = measure_cost
        self.cost = EventCost()
        self._phases: dict[str, int] = {}
        self._sources: Sources | None = None
        self._loading = threading.Lock()
        self._setup_ns = 0
        self._intervals: Intervals | None = None
        self._start_over()
        self.hooks = torch_steps.StepHooks(
            begin=self._begin,
            mark=self._mark,
            gradients_on=torch.is_grad_enabled,
            add_loader=self._add_loader,
            is_training=_is_training,
            first_step=first_step,
            shares=self.cpu_shares,
            backward_codes=_BACKWARD_CODES,
            torch_folder=os.path.dirname(torch.__file__) + os.sep,
            thread=_main_thread(),
            tensor=torch.Tensor,
            disable=torch._C.DisableTorchFunction,
            mode_is_on=torch._C._is_torch_function_mode_enabled,
        )

    def _start_over(self) -> None:
        self._schedule = self._new_schedule()
        self.cpu_shares = CpuShares()
        self._loaders = LoaderNumbers(
            lambda iterator, loader: self.hooks.loader_dropped(iterator, loader)
        )
        self._steps = 0
        self._by_clock = Sums()
        self.clocked_names: list[str] = []  # what the clock switches, in words
        self._events = 0  # that the sources had recorded when the step began
        self._counted = 0.0  # ticks that the events of recorded steps should have cost

    def load_sources(self) -> None:
        """Nothing where another thread is at it: it is waited for by nobody."""
        if self._sources is not None or not self._loading.acquire(blocking=False):
            return
        try:
            with _unseen_by_modes(), self._own_work():
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

    @contextlib.contextmanager
    def _own_work(self) -> Iterator[None]:
        """Set-up, which may compile for 10 s: no line of the program's, and a span of its own."""
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
            recording.set_property("torch_setup_ns", self._setup_ns)

    def record_by_clock(self, budget: float, at_once: bool, forked: bool = False) -> None:
        """Where no steps end: that one began may mean no more than a batch to look at. Contract:
        the sources are loaded.
        """
        if self._sources:
            self._intervals = Intervals(self._sources, forked)
            self.clocked_names = self._intervals.names
            self._intervals.begin(budget, at_once, self.cost.event)

    def finish(self) -> None:
        """The step that is under way ends with what it did last."""
        self.hooks.finish()

    def end_intervals(self) -> Sums:
        """What was recorded by the clock."""
        intervals = self._intervals
        if intervals is not None:  # perhaps for two threads at once
            self._by_clock = intervals.end()
            self._intervals = None
        return self._by_clock

    def after_fork(self) -> None:
        """In the child, which counts its own steps.

        Nothing is on until it is known what the child is for.
        """
        self._intervals = None  # its clock is the parent's
        self._loading = threading.Lock()
        if self._sources:
            self._sources.rest_in_child()
        self._start_over()
        self.hooks.start_over(self.cpu_shares, _main_thread())

    def begin_in_child(self) -> None:
        """It is no loader's worker. What is to be recorded from the beginning is."""
        if self._sources is None:
            self.load_sources()
        else:
            self._begin_first()

    def costs(self) -> dict[str, float]:
        """In ticks, as events are priced: the hooks of all steps, what was recorded in steps, what
        was recorded by the clock.
        """
        return {
            "torch_hooks": self._steps * self.cost.hooks,
            "torch_ops": self._counted,
            "torch_by_clock": self._by_clock.spent,
        }

    def switching(self) -> float:
        """What it took to switch the sources on and off the last time, in ticks."""
        return self._sources.switching if self._sources else 0

    def source_names(self) -> list[str]:
        """What is recorded in some steps only, in words."""
        return [
            {"gpu": "GPU work"}.get(name, name)
            for name in (self._sources.loaded if self._sources else ())
        ]

    @property
    def steps(self) -> int:
        """That ended, where anything is recorded in some of them only."""
        return self._steps

    def waited_in_vain(self) -> bool:
        """Sources that the steps were to switch on, of which none came."""
        sources = self._sources
        return bool(sources and not sources.are_on and self._steps == 0)

    def close(self) -> None:
        self.end_intervals()
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
        try:
            self.load_sources()
        except Exception as error:
            self._give_up(error)
        recording.begin_step()

    def _mark(self, ended: str, samples: int, end: int = 0) -> None:
        """``end``: when, in ticks; 0: now."""
        try:
            self._end_step(ended, samples, end)
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """What goes wrong inside of the program's own ``optimizer.step()`` must not end that: steps
        are marked from here on, and no more.
        """
        if raised_by_handler(error):
            raise error
        failed, self._sources = self._sources, Sources()
        say_off("steps", error)
        if failed:
            failed.close()

    def _end_step(self, ended: str, samples: int, end: int) -> None:
        sources = self._sources
        if sources is None:
            self.load_sources()
            sources = self._sources
        if self._intervals is not None and self._intervals.end_step() and sources is not None:
            sources.switch(False)  # the clock did, in the middle of this step
        phase = self._phases.get(ended)
        if phase is None:
            phase = self._phases[ended] = recording.name(ended)
        if not sources:
            are_none = (
                sources is not None and self._steps == 0
            )  # else they are being loaded, or have failed: this step goes without
            recording.mark_step(samples, phase, -1 if are_none else 0, end)
            return
        recorded = sources.are_on
        if recorded:
            self.cpu_shares.step_ended()
        sources.at_step()
        wall = recording.mark_step(samples, phase, int(recorded), end)
        if wall == 0:  # nothing is recorded any more: there is no room for it, as was said
            self._switch(False)
            return
        self._steps += 1
        counted = (sources.events() - self._events) * self.cost.event if recorded else 0.0
        self._counted += counted
        self._switch(self._schedule.after(ended, wall, recorded, counted))

    def _begin_first(self) -> None:
        self._switch(bool(self._sources) and self._schedule.first())

    def _switch(self, on: bool) -> None:
        assert self._sources is not None
        self._sources.switch(on)
        self.hooks.recorded = on
        if self._intervals is not None:
            self._intervals.steps_record(on)
        if on:
            self._events = self._sources.events()
            self.cpu_shares.step_began()


@contextlib.contextmanager
def _unseen_by_modes() -> Iterator[None]:
    """What torch is tried on meanwhile no mode of the program's is told of."""
    with torch._C.DisableTorchFunction(), _disable_current_modes():
        yield


def _is_training(model: Callable[[], Any]) -> bool:
    """Also when the model is gone; ``model``: a weak reference."""
    found = model()
    return found is None or bool(found.training)


def _main_thread() -> int:
    ident = threading.main_thread().ident
    assert ident is not None
    return ident
