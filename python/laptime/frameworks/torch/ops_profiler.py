"""Records ops through torch's own profiler. This costs more, gives no lines, and writes the ops
when each recorded interval ends.
"""

from __future__ import annotations

import threading
from types import ModuleType
from typing import Any

from laptime._native import recording
from laptime._native import torch_ops as _native
from laptime.frameworks.torch.op_source import OpSource


class ProfilerOps(OpSource):
    """Raises RuntimeError if this torch's profiler does not work."""

    events = 0

    def __init__(self, torch: ModuleType, shapes: bool) -> None:
        if not torch.profiler.kineto_available():
            raise RuntimeError("torch was built without its profiler")
        self._torch = torch
        self._shapes = shapes
        self._running: Any = None
        self._start: _native.Moment = (0, 0)
        self._check()
        super().__init__("torch.profiler")

    @property
    def records(self) -> bool:
        return self._running is not None

    def on(self) -> None:
        if self._running is None:
            self.write_kind()
            self._begin()

    def off(self) -> None:
        if self._running is not None:
            end, rows = self._finish()
            self.events += len(rows)
            _native.put_profiled(self._start, end, rows)

    def close(self) -> None:
        self.off()

    def _begin(self) -> None:
        profiler = self._torch.profiler.profile(
            activities=[self._torch.profiler.ProfilerActivity.CPU],
            record_shapes=self._shapes,
            with_flops=self._shapes,
        )
        try:
            profiler.start()
        except RuntimeError:  # the program uses the profiler itself now
            recording.warn(
                "ops_profiler_busy",
                "intervals without ops, because the program used torch.profiler itself",
            )
            return
        self._running = profiler
        self._start = _native.clock_point()

    def _finish(self) -> tuple[_native.Moment, list[_native.ProfiledRow]]:
        end = _native.clock_point()
        profiler, self._running = self._running, None
        profiler.stop()
        own = threading.get_native_id()
        rows = [
            _row(event, own)
            for event in profiler.profiler.kineto_results.events()
            if event.scope() in _SCOPES
        ]
        return end, sorted(rows, key=lambda row: row[2])

    def _check(self) -> None:
        try:
            self._begin()
            if self._running is None:
                raise RuntimeError("torch.profiler is in use")
            self._torch.ones(2)
            end, rows = self._finish()
        except (AttributeError, TypeError) as error:
            raise RuntimeError(f"torch.profiler is of an unknown kind: {error}") from None
        if not any(
            row[0] == "aten::ones" and self._start[1] <= row[1] <= row[2] <= end[1] for row in rows
        ):
            raise RuntimeError("torch.profiler did not see a known op")


_SCOPES = {0, 1, 2, 4, 7, 8, 9}


def _row(event: Any, own_thread: int) -> _native.ProfiledRow:
    thread = event.device_resource_id()
    shapes = event.shapes()
    return (
        event.name(),
        event.start_ns(),
        event.end_ns(),
        event.scope(),
        event.sequence_nr(),
        event.fwd_thread_id() or event.start_thread_id(),
        0 if thread == own_thread else thread,
        str(shapes) if shapes else "",
        max(event.flops(), 0),
    )
