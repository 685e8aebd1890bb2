"""torch.profiler, recorded by laptime: change the import line, or run under ``laptime run
--replace-torch-profiler``.

How it is built. Options, schedule, tables and trace handlers are the installed torch's own:
``profile`` is a subclass of ``torch.profiler.profile``, so whatever that accepts is accepted, and
what it prints looks as it always did. Laptime takes the place of what lies underneath (backend.py):
ops come from laptime's source, go through the recorder into a temporary ``.lap`` file (capture.py;
under ``laptime run`` into the recording that is on, where the profile session is found again by
its mark), and are read back, nested and averaged in C++ (src/trace/torch/torch_events.h). Events
become Python objects only when ``events()`` is asked for.

Where it differs: ops of all threads are seen, not only those of the thread that started the
profiler; ``with_stack`` gives each op its Python frames without being asked to be verbose; a file
or a recording survives what torch keeps in memory. Where laptime cannot see ops, torch's own
profiler does the work, and one line says so.
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
