"""Recording of a program without steps: recorded intervals by the clock, as many as the budget
allows.

This includes programs that make no steps yet, or no more. A native thread switches ops and the GPU
by the clock, without running Python. Memory needs Python, because only Python knows its roles. So
it is recorded in steps only.

While steps end, the thread only watches. After three seconds and four usual steps without a step's
end, it decides until the next step ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from laptime._native import recording
from laptime._native import torch_intervals as _native
from laptime.collect.sources import Sources

if TYPE_CHECKING:  # a run imports each only if it records it
    from laptime.frameworks.torch.gpu import TorchGpu
    from laptime.frameworks.torch.memory import MemorySource
    from laptime.frameworks.torch.op_source import OpSource

PERIOD_S = 0.25
TURNS_BEFORE = 12  # three seconds: by then most training programs have begun to step


class Sums(NamedTuple):
    spent: float = 0.0  # ticks that recording added
    recorded: bool = False
    rested: bool = False
    took_over: int = 0  # how often steps stopped coming


class Intervals:
    """Contract: runs from ``begin`` to ``end``. After that the sources are off.

    ``forked``: in a child, which does not use its parent's GPU and writes nothing before its first
    interval.
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
            self._ops.write_kind()
        _native.stop()  # left over from an interrupted ``end``
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
                "torch_clock",
                "the thread that records by the clock could not start; without steps no ops are"
                " recorded",
            )

    def end_step(self) -> bool:
        """A step ended, so steps decide from here on.

        True: the clock decided in this step, perhaps only in its last part. Ops and GPU are off
        then.
        """
        decided = self._runs and _native.end_step()
        if decided:
            self._name_modules()
        return decided

    def steps_record(self, on: bool) -> None:
        """Sets what is on until the next step ends."""
        _native.steps_record(on)

    def end(self) -> Sums:
        """Ends recording. May be called more than once and on any thread."""
        sums = _native.stop() if self._runs else None
        if sums is not None:
            self._ended, self._runs = Sums(*sums), False
            self._name_modules()
        return self._ended

    def _name_modules(self) -> None:
        """Names the modules of the clock's ops, and writes where ops come from if that is missing.
        A forked child has no part to write to before it records.
        """
        if self._ops is not None:
            self._ops.off()
            self._ops.write_kind()
