"""Records XLA's instructions through JAX's own profiler, and at the end of each burst the bytes of
live arrays.
"""

from __future__ import annotations

import sys
from typing import Any

from jax._src.lib import _profiler

from laptime.collect.profiler_source import ProfilerSource
from laptime.frameworks.jax.compiled_lines import CompiledLines
from laptime.frameworks.jax.memory import put_live_bytes

_CUDA = "jax_plugins.xla_cuda"
_HOST_LEVEL = 2  # instructions and the runtime's own work


def load(gpu: bool) -> ProfilerSource:
    """Raises if this JAX's profiler does not work. ``gpu``: laptime may record the GPU."""
    if gpu and any(name.startswith(_CUDA) for name in sys.modules):
        raise RuntimeError("JAX's profiler would take CUPTI from laptime; --no-gpu records ops")
    return JaxOps()


class JaxOps(ProfilerSource):
    def __init__(self) -> None:
        self._session: Any = None
        super().__init__("JAX's profiler", CompiledLines().call_sites)

    def _start(self) -> None:
        options = _profiler.ProfileOptions()
        options.python_tracer_level = 0
        options.host_tracer_level = _HOST_LEVEL
        self._session = _profiler.ProfilerSession(options)

    def _stop(self) -> bytes:
        session, self._session = self._session, None
        space = bytes(session.stop())
        put_live_bytes()
        return space
