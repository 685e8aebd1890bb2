"""One span for each garbage collection, named by its generation.

Several frameworks may request the spans. Each collection is one span all the same.
"""

from __future__ import annotations

import gc
from typing import Any, ClassVar

from laptime._native import recording


class GcSpans:
    """A request for the spans."""

    _requests: ClassVar[set[GcSpans]] = set()
    _start = 0
    _names: ClassVar[list[int]] = []

    def install(self) -> None:
        if not GcSpans._requests:
            GcSpans._names = [recording.name(f"gc {generation}") for generation in range(3)]
            gc.callbacks.append(_called)
        GcSpans._requests.add(self)

    def remove(self) -> None:
        GcSpans._requests.discard(self)
        if not GcSpans._requests and _called in gc.callbacks:
            gc.callbacks.remove(_called)


def _called(phase: str, info: dict[str, Any]) -> None:
    if phase == "start":
        GcSpans._start = recording.now()
    else:
        recording.put_span(GcSpans._names[info["generation"]], recording.GC, GcSpans._start)
