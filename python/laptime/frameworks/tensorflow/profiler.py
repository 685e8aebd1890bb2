"""A program that starts TensorFlow's own profiler gets the session that laptime's bursts use too.

This includes Keras's TensorBoard callback and ``tf.summary.trace_on(profiler=True)``.
"""

from __future__ import annotations

import sys
from importlib import import_module

from laptime.collect.program_profilers import SharedSession, share

_NAME = "tf.profiler"
_HOME = "tensorflow.python.profiler.profiler_v2"
_PUBLIC = "profiler.experimental"
_APIS = ("tensorflow._api.v2", "tensorflow._api.v2.compat.v2")


def make_way() -> None:
    """Contract: the profiler's functions work as before, whatever happens here."""
    home = import_module(_HOME)
    public = [sys.modules.get(f"{api}.{_PUBLIC}") for api in _APIS]
    servers = [sys.modules.get(f"{api}.{_PUBLIC}.server") for api in _APIS]
    session = SharedSession(_NAME)
    share(_NAME, [home, *public], "start", "stop", [session])
    start_server = home.start_server
    share(_NAME, [home], "start_server", "", [session])
    for module in servers:  # where it has another name
        if getattr(module, "start", None) is start_server:
            module.start = home.start_server  # type: ignore[union-attr]
