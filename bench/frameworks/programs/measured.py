"""What the programs of this folder share: they time their own steps, so that import and tracing do
not count, and print the result as JSON.
"""

import contextlib
import hashlib
import json
import os
import statistics
import sys
import time

WARMUP = 20  # steps that are not timed
STEPS = int(os.environ.get("STEPS", "600"))


class Clock:
    """Call ``tick`` where a step begins, and ``report`` once at the end."""

    def __init__(self):
        self._ticks = []

    def tick(self):
        self._ticks.append(time.perf_counter())

    def report(self, arrays):
        ticks = self._ticks[WARMUP:]
        steps = [after - before for before, after in zip(ticks, ticks[1:], strict=False)]
        digest = hashlib.sha256()
        for array in arrays:
            digest.update(array.tobytes())
        json.dump(
            {
                "median_s": statistics.median(steps),
                "loop_s": ticks[-1] - ticks[0],
                "steps": len(steps),
                "result": digest.hexdigest(),
            },
            sys.stdout,
        )
        sys.stdout.write("\n")


def own_profiler(framework):
    """The framework's own profiler around the loop, if the benchmark requests it."""
    if not (folder := os.environ.get("OWN_PROFILER")):
        return contextlib.nullcontext()
    if framework == "jax":
        import jax

        return jax.profiler.trace(folder)
    import tensorflow as tf

    return tf.profiler.experimental.Profile(folder)
