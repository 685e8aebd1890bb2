"""What it costs to record an event through a framework's own profiler, and what the hooks of a step
cost.

Measured on programs of bench/frameworks, recorded in full and bare in turns. Starting and stopping
the profiler is not included: that is measured each time (``own_time``).
"""

from __future__ import annotations

import time

from laptime._native import recording
from laptime.collect.stepping import EventCost

_SHORTEST_NS = 200_000


def profiled_cost(event_ns: float, hooks_ns: float) -> EventCost:
    """In ticks, whose length is measured. It takes 0.2 ms."""
    begin_ns, begin = time.perf_counter_ns(), recording.now()
    while (passed := time.perf_counter_ns() - begin_ns) < _SHORTEST_NS:
        pass
    ticks_a_ns = (recording.now() - begin) / passed
    return EventCost(event_ns * ticks_a_ns, hooks_ns * ticks_a_ns)
