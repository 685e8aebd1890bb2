"""Compilations by torch.compile: how long they took, of what, why they were repeated, and where a
graph broke.

torch._dynamo is watched once the program imports it. Importing it here would take a second.
``torch._dynamo.reset()`` forgets its compile callbacks, so the context that each compilation enters
is watched instead.
"""

from __future__ import annotations

from typing import Any

from laptime._native import recording
from laptime.collect.imports import when_imported
from laptime.collect.patches import Patches
from laptime.frameworks.torch.compiled_lines import CompiledLines

_LONGEST = 400


def watch_compilations(patches: Patches) -> None:
    patches.add_undo(when_imported("torch._dynamo", lambda: _Watch().install(patches)))


class _Watch:
    def __init__(self) -> None:
        self._start = 0
        self._breaks_seen = 0
        self._lines = CompiledLines()

    def install(self, patches: Patches) -> None:
        from torch._dynamo.metrics_context import MetricsContext

        patches.around(MetricsContext, "__enter__", before=self._enter)
        patches.around(MetricsContext, "__exit__", after=self._leave)
        self._lines.report_new()

    def _enter(self, context: Any) -> None:
        if not context.in_progress():
            self._start = recording.now()

    def _leave(self, context: Any, *_: object) -> None:
        if context.in_progress():
            return
        from torch._dynamo import utils

        self._put_breaks(utils.graph_break_reasons)
        metrics = utils.get_compilation_metrics()
        if metrics:
            self._put_compilation(metrics[-1])
        self._lines.report_new()

    def _put_compilation(self, metrics: Any) -> None:
        reason = metrics.recompile_reason
        strings = {"function": metrics.co_name or "backward"}
        if reason or metrics.fail_reason:
            strings["reason"] = _one_line(reason or metrics.fail_reason)
        recording.put_event(
            "recompile" if reason else "torch.compile",
            recording.COMPILE,
            self._start,
            metrics.co_filename or "",
            metrics.co_firstlineno or 0,
            metrics.co_name or "",
            strings,
        )

    def _put_breaks(self, reasons: list[Any]) -> None:
        if len(reasons) < self._breaks_seen:  # torch._dynamo.reset() was called
            self._breaks_seen = 0
        for broken in reasons[self._breaks_seen :]:
            frame = broken.user_stack[-1] if broken.user_stack else None
            recording.put_event(
                "graph break",
                recording.COMPILE,
                recording.now(),
                frame.filename if frame else "",
                (frame.lineno if frame else 0) or 0,
                frame.name if frame else "",
                {"reason": _one_line(broken.reason)},
            )
        self._breaks_seen = len(reasons)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_LONGEST]
