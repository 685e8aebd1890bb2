"""torch.profiler, recorded by laptime: change the import line, or run under ``laptime run
--replace-torch-profiler``.

How it is built: options, schedule, tables and trace handlers are the installed torch's own.
``profile`` is a subclass of ``torch.profiler.profile``. So it accepts the same options and prints
the same.

Laptime replaces what lies underneath (autograd.py). Ops come from laptime's source and go through
the recorder into a temporary ``.lap`` file (capture.py). Under ``laptime run`` they go into the
present recording, where the mark of the profile session finds them again. C++ code reads them back,
nests them and averages them (src/trace/torch/torch_events.h). Events become Python objects only
when ``events()`` is called.

It differs from torch's profiler:

- It sees ops of all threads, not only of the thread that started the profiler.
- ``with_stack`` gives each op its Python frames without ``verbose``.
- A file or a recording survives when torch's data in memory does not.
- If laptime cannot record ops, torch's own profiler does, and one line reports that.
"""

from __future__ import annotations

from torch.profiler import (
    DeviceType,
    ExecutionTraceObserver,
    ProfilerAction,
    ProfilerActivity,
    itt,
    kineto_available,
    record_function,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

from laptime.compat.torch_profiler import autograd
from laptime.compat.torch_profiler.front import _KinetoProfile, profile
from laptime.compat.torch_profiler.replacing import install, uninstall

__all__ = [
    "DeviceType",
    "ExecutionTraceObserver",
    "ProfilerAction",
    "ProfilerActivity",
    "_KinetoProfile",
    "autograd",
    "install",
    "itt",
    "kineto_available",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
    "uninstall",
]
