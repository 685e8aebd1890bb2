"""jax.profiler in a run of laptime: change the import line, or run under ``laptime run
--replace-profilers``.

Sessions, options, servers and files are the installed JAX's own. Annotations also mark the run:
``StepTraceAnnotation`` steps, ``TraceAnnotation`` and ``annotate_function`` scopes. While a session
of the program runs, laptime's own bursts of JAX's profiler yield.
"""

from __future__ import annotations

from jax.profiler import (
    ProfileData,
    ProfileOptions,
    device_memory_profile,
    save_device_memory_profile,
)

from laptime.compat.jax_profiler.annotations import (
    StepTraceAnnotation,
    TraceAnnotation,
    annotate_function,
)
from laptime.compat.jax_profiler.replacing import install, uninstall
from laptime.compat.jax_profiler.sessions import (
    start_server,
    start_trace,
    stop_server,
    stop_trace,
    trace,
)

__all__ = [
    "ProfileData",
    "ProfileOptions",
    "StepTraceAnnotation",
    "TraceAnnotation",
    "annotate_function",
    "device_memory_profile",
    "install",
    "save_device_memory_profile",
    "start_server",
    "start_trace",
    "stop_server",
    "stop_trace",
    "trace",
    "uninstall",
]
