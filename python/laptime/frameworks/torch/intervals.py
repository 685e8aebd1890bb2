"""What is recorded of a program that makes no steps, or none yet, or none any more: intervals of
time, as many as the budget allows.

A native thread switches ops and the GPU by the clock; no Python runs for it. Memory has roles that
only Python knows: it is recorded in steps only. While steps end the thread only listens; when none
has ended for three seconds and four usual steps it decides until the next one does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from laptime._native import recording
from laptime._native import torch_intervals as _native
from laptime.frameworks.torch.sources import Sources

if TYPE_CHECKING:  # each is imported when a run records it
    from laptime.frameworks.torch.gpu import TorchGpu
    from laptime.frameworks.torch.memory import MemorySource
    from laptime.frameworks.torch.op_source import OpSource

PERIOD_S = 0.25
TURNS_BEFORE = 12  # three seconds: by then most programs that train have begun to


class Sums(NamedTuple):
    spent: float = 0.0  # ticks that recording added
    recorded: bool = False
    rested: bool = False
    took_over: int = 0  # how often steps had stopped coming


class Intervals:
    """Contract: from ``begin`` to ``end``; the sources rest after that. ``forked``: in a child,
    which has no GPU of its parent's and leaves no trace before its first interval.
    """

    def __init__(self, sources: Sources, forked: bool = False) -> None:
        ops = cast("OpSource | None", sources.loaded.get("ops"))
        gpu = cast("TorchGpu | None", sources.loaded.get("gpu"))
        self._gpu = None if forked else gpu
        self._forked = forked
        self._ops = ops if ops is not None and ops.request is not None else None
        self._memory = cast("MemorySource | None", sources.loaded.get("memory"))
        self.names = [
            name
            for name, source in (("ops", self._ops), ("GPU work", self._gpu))
            if source is not None
        ]
        self._runs = False
        self._ended = Sums()

    def begin(self, budget: float, at_once: bool, event_ticks: float) -> None:
        """``at_once``: the first interval begins here."""
        if self._ops is None and self._gpu is None:
            return
        if self._ops is not None:
            self._ops.tell()
        _native.stop()  # one that an interrupted end left
        self._runs = _native.start(
            ops=self._ops.request if self._ops is not None else None,
            gpu=self._gpu.switch if self._gpu is not None else None,
            memory_off=self._memory.off_function if self._memory is not None else None,
            share=budget,
            turns_before=0 if at_once else TURNS_BEFORE,
            event_ticks=event_ticks,
            period_s=PERIOD_S,
            leaves_no_trace=self._forked,
        )
        if not self._runs:
            recording.warn(
                "torch_clock", "no thread could be had to record by the clock, without steps"
            )

    def end_step(self) -> bool:
        """A step ends, and steps decide. True: the clock did, if only in the last part of that
        step; ops and GPU are off.
        """
        decided = self._runs and _native.end_step()
        if decided:
            self._name_modules()
        return decided

    def steps_record(self, on: bool) -> None:
        """What is on until the next step ends."""
        _native.steps_record(on)

    def end(self) -> Sums:
        """Recording ends; perhaps more than once, on any thread."""
        sums = _native.stop() if self._runs else None
        if sums is not None:
            self._ended, self._runs = Sums(*sums), False
            self._name_modules()
        return self._ended

    def _name_modules(self) -> None:
        """Those that the clock's ops met; and where ops come from, if that is not said yet: a
        forked child has nowhere to before it records.
        """
        if self._ops is not None:
            self._ops.off()
            self._ops.tell()
