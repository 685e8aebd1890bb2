"""TensorFlow's functions, after they are wrapped so that laptime's bursts yield to them."""

from __future__ import annotations

from laptime.frameworks.tensorflow.profiler import make_way

make_way()

from tensorflow.profiler.experimental import Profile, start, stop  # noqa: E402  must be wrapped
from tensorflow.profiler.experimental.server import start as start_server  # noqa: E402

__all__ = ["Profile", "start", "start_server", "stop"]
