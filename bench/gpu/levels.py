"""What is switched on around a training, by name.

laptime has its levels, torch.profiler has its own, and one level is nothing.

bare            never saw CUPTI nor a callback of torch's
kernels         laptime: kernels, copies and waits, without lines
gpu             laptime run in recorded steps: kernels, copies, waits;
                with lines forward and backward, no ops
full            gpu and all ops
shapes          full with shapes
memory          full with memory
everything      full with both
ops             laptime's ops alone
finalized       gpu for some steps, then CUPTI taken out again
rested          gpu for some steps, then off with CUPTI left in the process
profiler        torch.profiler, CPU and CUDA
profiler_all    torch.profiler with shapes, memory and stacks
run_full        what `laptime run --budget none` switches on, as it does it
run_default     what `laptime run` switches on: a budget of 5 %
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import torch

SHAPES, MEMORY = ("shapes", "everything"), ("memory", "everything")
OPS = ("full", "ops", *SHAPES, *MEMORY)
LAPTIME = ("kernels", "gpu", "finalized", "rested", *OPS)
RUN = {"run_full": ["--budget", "none"], "run_default": []}
WARM_STEPS = 10


class Level:
    """Contract: ``begin`` after the warm-up, ``mark`` after each step. ``end`` returns results."""

    def __init__(self, name: str, lap: str | None) -> None:
        self.name = name
        self._lap = lap
        self._gpu: Any = None
        self._ops: Any = None
        self._memory: Any = None
        self._profiler: Any = None
        self._step: Callable[[], None] | None = None

    def begin(self, step: Callable[[], None]) -> None:
        if self.name in LAPTIME:
            self._begin_laptime(step)
        elif self.name.startswith("profiler"):
            from torch.profiler import ProfilerActivity, profile

            more = (
                {"record_shapes": True, "profile_memory": True, "with_stack": True}
                if self.name == "profiler_all"
                else {}
            )
            self._profiler = profile(
                activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], **more
            )
            self._profiler.start()

    def _begin_laptime(self, step: Callable[[], None]) -> None:
        from laptime._native import recording
        from laptime.collect import cuda
        from laptime.collect.patches import Patches
        from laptime.frameworks.torch import memory, ops
        from laptime.frameworks.torch.compile_events import watch_compilations

        problem = recording.start(self._lap)
        if problem:
            raise OSError(problem)
        self._step = functools.partial(recording.mark_step, ops=1)
        if self.name in OPS:
            self._ops = ops.load(shapes=self.name in SHAPES)
            self._ops.on()
        if self.name in MEMORY:
            self._memory = memory.load()
            self._memory.on()
        if self.name != "ops":
            self._gpu = cuda.load(lines=self.name != "kernels")
            self._gpu.on()
        watch_compilations(Patches())
        if self.name in ("finalized", "rested"):
            for _ in range(WARM_STEPS):
                step()
            self._rest(step)

    def _rest(self, step: Callable[[], None]) -> None:
        torch.cuda.synchronize()
        if self.name == "rested":
            self._gpu.rest()
        else:
            self.detach(step)

    def detach(self, step: Callable[[], None]) -> None:
        """Takes CUPTI out of the process, while it continues to step."""
        from laptime.collect import cuda

        self._gpu.off()
        limit = time.monotonic() + 5
        while self._gpu.state != cuda.State.FINALIZED and time.monotonic() < limit:
            step()
            torch.cuda.synchronize()
        if self._gpu.state != cuda.State.FINALIZED:
            raise RuntimeError("CUPTI is still in the process")

    def mark(self) -> None:
        if self._step is not None:
            self._step()
        if self._memory is not None:
            self._memory.at_step()

    def flush(self) -> None:
        self._gpu.flush()

    def end(self) -> dict[str, Any]:
        outcome: dict[str, Any] = {}
        if torch.cuda.is_available():
            torch.cuda.synchronize()
        if self._gpu is not None:
            self._gpu.flush()
            outcome["gpu_state"] = self._gpu.state.name
            outcome["launches"], outcome["records"] = self._gpu.counts()
            self._gpu.close()
        if self._memory is not None:
            self._memory.close()
        if self._ops is not None:
            outcome["ops"], outcome["ops_kind"] = self._ops.events, self._ops.kind
            self._ops.close()
        if self._step is not None:
            from laptime._native import recording

            recording.stop()
        if self._profiler is not None:
            self._profiler.stop()
        return outcome

    def profiled_kernels(self) -> list[Any]:
        """torch.profiler's GPU events: (name, duration in ns)."""
        cuda = torch.autograd.DeviceType.CUDA
        events = self._profiler.profiler.kineto_results.events()
        return [
            (e.name(), e.duration_ns())
            for e in events
            if e.device_type() == cuda and not getattr(e, "is_user_annotation", bool)()
        ]
