"""What is recorded of a program that makes no steps, or none yet: stretches of time, as many as the budget allows.

A native thread switches ops and the GPU by the clock; no Python runs for it. Memory has roles that only Python knows: it is recorded in steps only.
"""

from __future__ import annotations

from typing import NamedTuple

from laptime._native import recording
from laptime._native import torch_stretches as _native
from laptime._torch.sources import Sources

PERIOD_S = 0.25
TURNS_BEFORE = 12  # three seconds: by then most programs that train have begun to


class Sums(NamedTuple):
    spent: float = 0.0  # ticks that recording added
    recorded: bool = False
    rested: bool = False


class Stretches:
    """Contract: from ``begin`` to ``end``; the sources rest after that."""

    def __init__(self, sources: Sources) -> None:
        ops, self._gpu = sources.loaded.get("ops"), sources.loaded.get("gpu")
        self._ops = ops if ops is not None and ops.wish is not None else None
        self.names = [name for name, source in (("ops", self._ops), ("GPU work", self._gpu)) if source is not None]
        self._runs = False
        self._ended = Sums()

    def begin(self, budget: float, at_once: bool, event_ticks: float) -> None:
        """``at_once``: the first stretch begins here."""
        if self._ops is None and self._gpu is None:
            return
        if self._ops is not None:
            self._ops.tell()
        _native.stop()  # one that an interrupted end left
        self._runs = _native.start(
            ops=self._ops and self._ops.wish, gpu=self._gpu and self._gpu.functions, share=budget, turns_before=0 if at_once else TURNS_BEFORE,
            event_ticks=event_ticks, period_s=PERIOD_S)
        if not self._runs:
            recording.lose("torch_clock", "no thread could be had to record by the clock, without steps")

    def end(self) -> Sums:
        """A step has ended, or recording ends; perhaps more than once, on any thread."""
        sums = _native.stop() if self._runs else None
        if sums is not None:
            self._ended, self._runs = Sums(*sums), False
        if self._ops is not None:
            self._ops.off()  # names the modules that were met
        return self._ended
