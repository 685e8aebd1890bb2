"""Switches sources with the steps that the hooks find. What runs in every step is native
(``StepHooks``).
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
from laptime.frameworks.torch.sources import Sources, report_off

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
        """``load`` and ``measure_cost`` are called at the first sign of training, or by
        ``load_sources``. ``first_step`` is called with the first optimizer of each class that
        steps.
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
        self.clocked_names: list[str] = []  # names of what the clock switches
        self._events = 0  # events that the sources had recorded when the step began
        self._counted = 0.0  # ticks that the events of recorded steps should have cost

    def load_sources(self) -> None:
        """Returns at once if another thread is already loading. Never waits."""
        if self._sources is not None or not self._loading.acquire(blocking=False):
            return
        try:
            with _hidden_from_modes(), self._own_work():
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
            recording.set_property("torch_setup_ns", self._setup_ns)

    def record_by_clock(self, budget: float, at_once: bool, forked: bool = False) -> None:
        """Records by the clock where no steps end. The begin of a step proves nothing: the program
        may only look at a batch.

        Contract: the sources are loaded.
        """
        if self._sources:
            self._intervals = Intervals(self._sources, forked)
            self.clocked_names = self._intervals.names
            self._intervals.begin(budget, at_once, self.cost.event)

    def finish(self) -> None:
        """Ends the present step with what it did last."""
        self.hooks.finish()

    def end_intervals(self) -> Sums:
        """Ends recording by the clock and returns its sums."""
        intervals = self._intervals
        if intervals is not None:  # two threads may get here at once
            self._by_clock = intervals.end()
            self._intervals = None
        return self._by_clock

    def after_fork(self) -> None:
        """Runs in the child, which counts its own steps.

        Nothing is on until the child's purpose is known.
        """
        self._intervals = None  # its thread exists only in the parent
        self._loading = threading.Lock()
        if self._sources:
            self._sources.rest_in_child()
        self._start_over()
        self.hooks.start_over(self.cpu_shares, _main_thread())

    def begin_in_child(self) -> None:
        """Starts in a child that is no loader's worker. Records from its beginning if the schedule
        does.
        """
        if self._sources is None:
            self.load_sources()
        else:
            self._begin_first()

    def costs(self) -> dict[str, float]:
        """Costs in ticks, as events are priced: the hooks of all steps, recording in steps,
        recording by the clock.
        """
        return {
            "torch_hooks": self._steps * self.cost.hooks,
            "torch_ops": self._counted,
            "torch_by_clock": self._by_clock.spent,
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
        self.end_intervals()
        if self._sources:
            self._sources.close()

    def marked_by_program(self, samples: int = 0) -> None:
        """From their first one on, the program's own marks replace the steps that hooks find."""
        self.hooks.by_program = True
        self._mark(_MARKED, samples)

    def _add_loader(self, iterator: Any) -> int:
        return self._loaders.add(iterator)

    def _begin(self) -> None:
        """Begins the first step here, not where the program began."""
        try:
            self.load_sources()
        except Exception as error:
            self._give_up(error)
        recording.begin_step()

    def _mark(self, ended: str, samples: int, end: int = 0) -> None:
        """``end``: its time in ticks; 0: now."""
        try:
            self._end_step(ended, samples, end)
        except Exception as error:
            self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        """Stops recording in steps. From here on steps are only marked.

        An error inside the program's own ``optimizer.step()`` must not end that call.
        """
        if raised_by_handler(error):
            raise error
        failed, self._sources = self._sources, Sources()
        report_off("steps", error)
        if failed:
            failed.close()

    def _end_step(self, ended: str, samples: int, end: int) -> None:
        sources = self._sources
        if sources is None:
            self.load_sources()
            sources = self._sources
        if self._intervals is not None and self._intervals.end_step() and sources is not None:
            sources.switch(False)  # the clock recorded the last part of this step
        phase = self._phases.get(ended)
        if phase is None:
            phase = self._phases[ended] = recording.name(ended)
        if not sources:
            # Otherwise sources are still being loaded, or have failed: the step has no records.
            are_none = sources is not None and self._steps == 0
            recording.mark_step(samples, phase, -1 if are_none else 0, end)
            return
        recorded = sources.are_on
        if recorded:
            self.cpu_shares.step_ended()
        sources.at_step()
        wall = recording.mark_step(samples, phase, int(recorded), end)
        if wall == 0:  # recording stopped for lack of space, as was reported
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
def _hidden_from_modes() -> Iterator[None]:
    """Hides the set-up's own torch calls from the program's torch modes."""
    with torch._C.DisableTorchFunction(), _disable_current_modes():
        yield


def _is_training(model: Callable[[], Any]) -> bool:
    """True if the model no longer exists. ``model``: a weak reference."""
    found = model()
    return found is None or bool(found.training)


def _main_thread() -> int:
    ident = threading.main_thread().ident
    assert ident is not None
    return ident
