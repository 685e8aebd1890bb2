"""What it costs on this machine to record an op, and what the hooks of a step cost. Both follow
from the time that a small op takes.

Assumption: all three are torch's dispatching and Python's calling, so they grow and shrink
together.

Measured on steps of 1.4 ms of a CNN (bench/torch/in_step_bench.py), with and without recording in
turns in one process. A recorded op costs torch and laptime together one small op. The hooks of a
step and the decision on the next one cost thirty. In a loop of nothing else, where everything is in
the cache, these costs are half and a tenth of that.
"""

from __future__ import annotations

from types import ModuleType

from laptime._native import recording
from laptime.collect.stepping import EventCost

_OPS = 50
_ROUNDS = 5
_EVENT = 1.0
_HOOKS = 30.0


def measure_event_cost(torch: ModuleType) -> EventCost:
    """Call while nothing is recorded. It takes about 0.2 ms."""
    with torch.no_grad():
        value = torch.zeros(2, device="cpu")
        small_op = min(_ticks(value) for _ in range(_ROUNDS)) / _OPS
    return EventCost(_EVENT * small_op, _HOOKS * small_op)


def _ticks(value: object) -> int:
    add, begin = value.add_, recording.now()  # type: ignore[attr-defined]
    for _ in range(_OPS):
        add(value)
    return recording.now() - begin
