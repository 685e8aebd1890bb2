"""tf.profiler.experimental.server. A server may start a session at any time, so laptime's bursts
yield from its start on.
"""

from laptime.compat.tf_profiler.sessions import start_server as start

__all__ = ["start"]
