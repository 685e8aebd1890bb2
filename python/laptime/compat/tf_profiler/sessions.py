"""TensorFlow's functions, after they are wrapped so that laptime's bursts yield to them.

They come from the module that defines them. An import of ``tensorflow.profiler.experimental`` would
put a second copy of the public module into ``tf.profiler``.
"""

from __future__ import annotations

from laptime.frameworks.tensorflow.profiler import make_way

make_way()

from tensorflow.python.profiler.profiler_v2 import (  # noqa: E402  must be wrapped
    Profile,
    start,
    start_server,
    stop,
)

__all__ = ["Profile", "start", "start_server", "stop"]
