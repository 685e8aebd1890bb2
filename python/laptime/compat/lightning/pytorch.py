"""The half of PyTorchProfiler that differs from Lightning's. Its torch.profiler is laptime's
drop-in. Its table is made from averages, not from a Python object for every op.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import torch

from laptime.compat import torch_profiler


class PyTorchProfiler:
    """Lightning's PyTorchProfiler with laptime.compat.torch_profiler.

    ``emit_nvtx`` stays torch's own.
    """

    profiler: Any
    _finished: Any = None  # the profiler that summary() shows
    _events: Any = None

    def _create_profiler(self, profiler: Any) -> Any:
        ours = {
            torch.profiler.profile: torch_profiler.profile,
            torch.autograd.profiler.profile: torch_profiler.autograd.profile,
        }
        return super()._create_profiler(ours.get(profiler, profiler))  # type: ignore[misc]

    def _cache_functions_events(self) -> None:
        self._finished = None if self._emit_nvtx else self.profiler  # type: ignore[attr-defined]
        self._events = None

    @property
    def function_events(self) -> Any:
        """Made on request. The summary does not need it."""
        if self._events is None and self._finished is not None and self._was_started():
            self._events = self._finished.events()
        return self._events

    @function_events.setter
    def function_events(self, events: Any) -> None:
        self._events = events

    def __getstate__(self) -> dict[str, Any]:
        """A copy has the settings and the finished events. It is not started."""
        state = {**self.__dict__, **_NOT_STARTED, "_recording_map": {}}
        state["_events"] = self.function_events
        schedule = self._schedule  # type: ignore[attr-defined]
        if schedule is not None:
            state["_schedule"] = copy(schedule)
            state["_schedule"].reset()
            arguments = {**state["_profiler_kwargs"], "schedule": state["_schedule"]}
            state["_profiler_kwargs"] = arguments
        return state

    def _was_started(self) -> bool:
        """A schedule may never reach its first recorded step."""
        return getattr(self._finished, "profiler", self._finished) is not None

    def summary(self) -> str:
        if not self._profiler_kwargs.get("enabled", True) or self._emit_nvtx:  # type: ignore[attr-defined]
            return ""
        self._delete_profilers()  # type: ignore[attr-defined]
        if self._finished is None or not self._was_started():
            return ""
        averages = self._finished.key_averages(self._group_by_input_shapes)  # type: ignore[attr-defined]
        if not averages:
            return ""
        table = averages.table(
            sort_by=self._sort_by_key,  # type: ignore[attr-defined]
            row_limit=self._row_limit,  # type: ignore[attr-defined]
            **self._table_kwargs,  # type: ignore[attr-defined]
        )
        text: str = self._stats_to_str({"records": table})  # type: ignore[attr-defined]
        return text


# The Trainer sets the module again, because a weak reference to it cannot be copied.
_NOT_STARTED: dict[str, Any] = {
    "profiler": None,
    "_finished": None,
    "_register": None,
    "_parent_profiler": None,
    "_start_action_name": None,
    "_lightning_module": None,
}
