"""``torch.autograd.profiler.profile``, the older interface on which torch.profiler itself is built,
recorded by laptime.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import Any

import torch
from torch.autograd import profiler as torch_autograd
from torch.autograd.profiler_util import EventList

from laptime.compat.torch_profiler import own_options, sources
from laptime.compat.torch_profiler.capture import Capture
from laptime.compat.torch_profiler.events import Cycle, Options, merge
from laptime.compat.torch_profiler.gpu_session import GpuSession

__all__ = ["profile", "record_function"]

TorchProfile = torch_autograd.profile  # torch's class, before `install`
record_function = torch_autograd.record_function


def _problem(options: dict[str, Any], device: str | None) -> str | None:
    details = any(options.get(name) for name in ("record_shapes", "with_flops", "profile_memory"))
    why = sources.problem(
        {"CPU"} if options.get("use_cpu", True) else set(), device, details=details
    )
    return (
        why
        or ", ".join(
            own_options.of_torch(
                options.get("experimental_config"), options.get("activity_filters")
            )
        )
        or None
    )


class profile(TorchProfile):  # type: ignore[misc, valid-type]
    """Takes torch's arguments. Without CPU ops, or with a device that laptime cannot record, it is
    torch's own profiler.
    """

    def __new__(cls, enabled: bool = True, **options: Any) -> Any:
        device = "cuda" if options.get("use_cuda") else options.get("use_device")
        if device == "cuda" and not torch.cuda.is_available():
            device = None  # torch reports this itself
        why = _problem(options, device) if enabled else None
        if why is None:
            return super().__new__(cls)
        sources.fall_back(why)
        return TorchProfile(enabled, **options)

    def __init__(self, enabled: bool = True, **options: Any) -> None:
        super().__init__(enabled, **options)
        self._cycles: list[Cycle] = []
        self._capture: Capture | None = None
        self._gpu: GpuSession | None = None
        self._needs_loading = False
        if enabled:
            self._options = Options(
                use_device=self.use_device,
                shapes=self.record_shapes,
                memory=self.profile_memory,
                stacks=self.with_stack,
                flops=self.with_flops,
                longest_s=options.get("post_processing_timeout_s"),
            )

    def _prepare_trace(self) -> None:
        self.entered = True
        if hasattr(self, "create_trace_id"):
            self.trace_id = self.create_trace_id()
        self._gpu = GpuSession() if self.use_device == "cuda" else None

    def _start_trace(self) -> None:
        self.entered = True
        torch_autograd._run_on_profiler_start()
        self._capture = Capture(
            shapes=self.record_shapes,
            memory=self.profile_memory,
            modules=self.with_modules,
            frames=self.with_stack,
            gpu=self._gpu,
        )
        self._capture.start()

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> Any:
        if not self.enabled or self._capture is None:
            return None
        self._capture.stop()
        torch_autograd._run_on_profiler_stop()
        if not self.acc_events:
            self._cycles.clear()
        self._function_events = None
        self._needs_loading = self._needs_processing = True
        if self.acc_events:
            self.cycles()  # the next cycle's file replaces this one
        return False

    def cycles(self) -> list[Cycle]:
        """The latest cycle first, as torch lists accumulated events."""
        if self._needs_loading and self._capture is not None:
            self._cycles.insert(0, Cycle(self._capture.profile, self._options))
            self._needs_loading = False
        return self._cycles

    def _ensure_function_events(self) -> None:
        self._needs_processing = False
        if self._function_events is None and self.cycles():
            began = time.perf_counter()
            self._function_events = self._options.event_list(
                event for cycle in self._cycles for event in cycle.events()
            )
            self._count(time.perf_counter() - began)

    def _count(self, seconds: float) -> None:
        stats = getattr(self, "_stats", None)  # since torch 2.3
        if stats is not None:
            stats.function_events_build_tree_call_duration_us = int(seconds * 1e6)
            stats.number_of_events = len(self._function_events or ())

    @property
    def function_events(self) -> EventList:
        self._ensure_function_events()
        return self._function_events

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        if not self.cycles():
            raise AssertionError("Expected profiling results")
        if group_by_overload_name:
            sources.say_once(
                "torch.profiler's group_by_overload_name has no effect: overloads are not recorded"
            )
        rows = [cycle.averages(group_by_input_shape, group_by_stack_n) for cycle in self._cycles]
        return self._options.event_list(merge(rows))

    @property
    def self_cpu_time_total(self) -> float:
        total: float = self.key_averages().self_cpu_time_total
        return total

    def export_chrome_trace(
        self, path: str, metadata: dict[str, str] | None = None, use_python_export: bool = False
    ) -> None:
        """The events of the last cycle."""
        if not self.cycles():
            raise AssertionError("Expected profiling results")
        self._cycles[0].loaded.export_kineto(
            os.fspath(path),
            os.fspath(path),
            list((metadata or {}).items()),
            stacks=self.with_stack,
            modules=self.with_modules,
        )

    def toggle_collection_dynamic(self, enabled: bool, activities: Iterable[Any]) -> None:
        if self._capture is not None and any(activity.name == "CPU" for activity in activities):
            self._capture.toggle(enabled)
