"""Checks whether a source of ops reads this torch correctly: runs known ops and compares what a
probe saw.
"""

from __future__ import annotations

from types import ModuleType

from laptime._native import torch_ops as _native

FUNCTION, USER_SCOPE = 0, 7
_REGION = "laptime: self-test of the op recorder, a name that is long enough to be on the heap"


def problem_of(source: _native.Source, torch: ModuleType) -> str:
    """The problem, or "".

    Changes nothing that the program could notice: no random number, no autograd node.
    """
    if torch._C._get_tracing_state() is not None:
        return "torch is tracing"
    source.start_probe()
    try:
        if not source.on():
            return "torch refused the callback"
        with torch.enable_grad(), torch.autograd.profiler.record_function(_REGION):
            ones = torch.ones(2)
            ones.mul(ones)
        source.off()
    finally:
        source.off()
        rows = source.stop_probe()
    return _problem_in(rows)


def _problem_in(rows: list[_native.ProbedRow]) -> str:
    found = {
        name: (scope, depth, thread_agrees, sequence_agrees)
        for name, scope, depth, thread_agrees, sequence_agrees in rows
    }
    for name, scope, depth in (
        (_REGION, USER_SCOPE, 0),
        ("aten::ones", FUNCTION, 1),
        ("aten::empty", FUNCTION, 2),
        ("aten::mul", FUNCTION, 1),
    ):
        if name not in found:
            return f"{name} was not seen"
        if found[name][:2] != (scope, depth):
            return (
                f"{name} was seen with scope {found[name][0]} at depth {found[name][1]}, not"
                f" {scope} at {depth}"
            )
        if not found[name][2]:
            return f"{name} was seen on another thread, or did not end"
    if not found["aten::mul"][3]:
        return "sequence numbers differ from torch's own"
    return ""
