"""tf.profiler.experimental.client, unchanged: what it requests runs in the server's process."""

from tensorflow.profiler.experimental.client import monitor, trace

__all__ = ["monitor", "trace"]
