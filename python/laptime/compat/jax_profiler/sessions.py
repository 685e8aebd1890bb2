"""JAX's functions, after they are wrapped so that laptime's bursts yield to them."""

from __future__ import annotations

from laptime.frameworks.jax.profiler import make_way

make_way(gpu=False)

from jax.profiler import (  # noqa: E402  must be wrapped
    start_server,
    start_trace,
    stop_server,
    stop_trace,
    trace,
)

__all__ = ["start_server", "start_trace", "stop_server", "stop_trace", "trace"]
