"""tf.profiler.experimental in a run of laptime: change the import line, or run under ``laptime run
--replace-profilers``.

Sessions, options and files are the installed TensorFlow's own. ``Trace`` also marks the run: with
``step_num`` a step, else a scope. While a session of the program runs, laptime's own bursts of
TensorFlow's profiler yield.
"""

from __future__ import annotations

from tensorflow.python.profiler.profiler_v2 import ProfilerOptions

from laptime.compat.tf_profiler import client, server
from laptime.compat.tf_profiler.annotations import Trace
from laptime.compat.tf_profiler.replacing import install, uninstall
from laptime.compat.tf_profiler.sessions import Profile, start, stop

__all__ = [
    "Profile",
    "ProfilerOptions",
    "Trace",
    "client",
    "install",
    "server",
    "start",
    "stop",
    "uninstall",
]
