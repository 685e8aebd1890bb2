"""One span for each garbage collection, named by its generation."""

from __future__ import annotations

import gc
from typing import Any

from laptime._native import recording


class GcSpans:
    def __init__(self) -> None:
        self._start = 0
        self._names = [recording.name(f"gc {generation}") for generation in range(3)]

    def install(self) -> None:
        gc.callbacks.append(self._called)

    def remove(self) -> None:
        if self._called in gc.callbacks:
            gc.callbacks.remove(self._called)

    def _called(self, phase: str, info: dict[str, Any]) -> None:
        if phase == "start":
            self._start = recording.now()
        else:
            recording.put_span(self._names[info["generation"]], recording.GC, self._start)
