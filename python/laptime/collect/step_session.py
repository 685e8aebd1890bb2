"""What the sessions of all frameworks have in common: the schedule of recorded steps, and its
cost.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from laptime._native import recording
from laptime.collect import engine, marks
from laptime.collect.schedule import Budget, Everything, Ranges, Schedule
from laptime.collect.stepping import Stepping


class StepSession:
    """Contract: a subclass sets ``_steps`` in its ``__init__``."""

    _steps: Stepping

    def __init__(
        self, framework: str, budget: float | None, ranges: Sequence[Sequence[int]] | None
    ) -> None:
        """``ranges``: the steps to record, each [begin, end). None: as the budget allows."""
        self._framework = framework
        self._budget, self._ranges = budget, ranges
        self._began, self._began_ticks = time.perf_counter_ns(), recording.now()
        self._engines_before: tuple[int, int] | None = None

    def _take_marks(self) -> None:
        """Steps that the program or a library marks are this framework's."""
        marks.mark_step = self._steps.marked_by_program
        marks.steppers[self._framework] = self._steps

    def _leave_marks(self) -> None:
        marks.mark_step = recording.mark_step
        marks.steppers.pop(self._framework, None)

    def _new_schedule(self) -> Schedule:
        if self._ranges is not None:
            return Ranges([(begin, end) for begin, end in self._ranges])
        return (
            Everything()
            if self._budget is None
            else Budget(
                self._budget,
                self._share_of_engines,
                lambda: self._steps.switching(),
                lambda: self._steps.cost.hooks,
            )
        )

    def _share_of_engines(self) -> float:
        """The engines' share of the time since the first call, which is when the program began to
        step.
        """
        cost, now = engine.own_cost().estimated_ns, time.perf_counter_ns()
        if self._engines_before is None:
            self._engines_before = cost, now
        return max(0, cost - self._engines_before[0]) / max(1, now - self._engines_before[1])

    def _write_cost(self) -> None:
        ticks = recording.now() - self._began_ticks
        if ticks > 0:
            ns_a_tick = (time.perf_counter_ns() - self._began) / ticks
            for name, cost in self._steps.costs().items():
                recording.set_property(f"{name}_ns", round(cost * ns_a_tick))
