"""tf.profiler.experimental.client, unchanged: what it requests runs in the server's process."""

from tensorflow.python.profiler.profiler_client import monitor, trace

__all__ = ["monitor", "trace"]
