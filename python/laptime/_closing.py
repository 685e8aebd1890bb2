"""What a recording says of the engines at its end: what they cost, what they could not measure, what they gave up."""

from __future__ import annotations

from laptime import _engine
from laptime._native import recording


def write_closing_facts() -> None:
    """Call while recording is still on."""
    if not recording.on():
        return
    recording.set_property("python_cost_ns", str(_engine.own_cost().estimated_ns))
    for notice in _engine.notices():
        recording.lose(notice.name, notice.message)
    demoted = _engine.demoted()
    if demoted:
        recording.lose("over_budget", "functions timed by call or only counted, because more would have cost over the budget; "
                       "--full times them all", len(demoted))
