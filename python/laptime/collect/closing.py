"""Writes facts about the engines at the end of a recording: what they cost, what they could not
measure, which code they stopped timing.
"""

from __future__ import annotations

import sys

from laptime._native import recording
from laptime.collect import engine
from laptime.collect.own_time import waited_for_processor

_FRAMEWORKS = ("tensorflow", "jax")  # of whose own work little is recorded
# Up to 3.11, tracing a program disables its specialized instructions. A hot loop becomes slower by
# 1.9 times what its events cost.
_TRACED = 1.9 if sys.version_info < (3, 12) else 1.0


def write_closing_facts() -> None:
    """Call while recording is still on."""
    if not recording.on():
        return
    recording.set_property("python_cost_ns", round(_TRACED * engine.own_cost().estimated_ns))
    if waited := waited_for_processor():
        recording.set_property("ran_ns", waited[0])
        recording.set_property("waited_for_processor_ns", waited[1])
    if frameworks := [name for name in _FRAMEWORKS if name in sys.modules]:
        recording.set_property("frameworks", ",".join(frameworks))
    for notice in engine.notices():
        recording.warn(notice.name, notice.message)
    demoted = engine.demoted()
    if demoted:
        recording.warn(
            "over_budget",
            "functions timed by call or only counted, because more would have cost over the budget;"
            " --full times them all",
            len(demoted),
        )
