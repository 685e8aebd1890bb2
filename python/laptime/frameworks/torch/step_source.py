"""Switches the sources of torch with the steps that the hooks find. What runs in every step is
native (``StepHooks``).
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from laptime._native import torch_steps
from laptime.collect.schedule import Schedule
from laptime.collect.sources import Sources
from laptime.collect.stepping import EventCost, Stepping
from laptime.frameworks.torch.cpu_shares import CpuShares
from laptime.frameworks.torch.intervals import Intervals, Sums
from laptime.frameworks.torch.loaders import LoaderNumbers
from laptime.frameworks.torch.sources import NAME

_BACKWARD_CODES = tuple(
    function.__code__
    for function in (torch.Tensor.backward, torch.autograd.backward, torch.autograd.grad)
)


class StepSource(Stepping):
    hooks: torch_steps.StepHooks

    def __init__(
        self,
        new_schedule: Callable[[], Schedule],
        load: Callable[[], Sources],
        first_step: Callable[[Any], None],
        measure_cost: Callable[[], EventCost],
    ) -> None:
        """``first_step`` is called with the first optimizer of each class that steps."""
        self._intervals: Intervals | None = None
        super().__init__(NAME, new_schedule, load, measure_cost)
        self.hooks = torch_steps.StepHooks(
            begin=self.begin,
            mark=self.mark,
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
        super()._start_over()
        self.cpu_shares = CpuShares()
        self._loaders = LoaderNumbers(
            lambda iterator, loader: self.hooks.loader_dropped(iterator, loader)
        )
        self._by_clock = Sums()
        self.clocked_names: list[str] = []  # names of what the clock switches

    def _hidden(self) -> contextlib.AbstractContextManager[None]:
        return _hidden_from_modes()

    def record_by_clock(self, budget: float, at_once: bool, forked: bool = False) -> None:
        """Records by the clock where no steps end. The begin of a step proves nothing: the program
        may only look at a batch.

        Contract: the sources are loaded.
        """
        if self._sources:
            self._intervals = Intervals(self._sources, forked)
            self.clocked_names = self._intervals.names
            self._intervals.begin(budget, at_once, self.cost.event)

    def end_intervals(self) -> Sums:
        """Ends recording by the clock and returns its sums."""
        intervals = self._intervals
        if intervals is not None:  # two threads may get here at once
            self._by_clock = intervals.end()
            self._intervals = None
        return self._by_clock

    def after_fork(self) -> None:
        """Nothing is on until the child's purpose is known: it may be a loader's worker."""
        self._intervals = None  # its thread exists only in the parent
        super().after_fork()
        self.hooks.start_over(self.cpu_shares, _main_thread())

    def costs(self) -> dict[str, float]:
        return {**super().costs(), f"{NAME}_by_clock": self._by_clock.spent}

    def close(self) -> None:
        self.end_intervals()
        super().close()

    def _add_loader(self, iterator: Any) -> int:
        return self._loaders.add(iterator)

    def _end_step(self, ended: str, samples: int, end: int) -> None:
        if self._sources is None:
            self.load_sources()
        if self._intervals is not None and self._intervals.end_step() and self._sources is not None:
            self._sources.switch(False)  # the clock recorded the last part of this step
        super()._end_step(ended, samples, end)

    def _recorded_step_ends(self) -> None:
        self.cpu_shares.step_ended()

    def _switch(self, on: bool) -> None:
        super()._switch(on)
        if self._intervals is not None:
            self._intervals.steps_record(on)
        if on:
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
