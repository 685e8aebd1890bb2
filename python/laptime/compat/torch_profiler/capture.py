"""One stretch of profiling: recorded, found again, loaded.

Where the process records already, the stretch is part of that recording, and is read from this process's own part of it.
Otherwise a recording of its own goes into a temporary folder, which lives until its events are no longer needed.
"""

from __future__ import annotations

import atexit
import os
import tempfile
from typing import Any

from laptime._native import recording, torch_events
from laptime.compat.torch_profiler import sources

_FILE = "profile.lap"


class Capture:
    """Contract: ``start``, ``stop``, then ``profile``; nothing but OSError leaves ``start``."""

    def __init__(self, *, shapes: bool, memory: bool, places: bool) -> None:
        self._ops = sources.ops(shapes=shapes)
        self._places = places
        self._memory = sources.memory() if memory else None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._owns_recording = False
        self._stretch = torch_events.Stretch()
        self._link = 0
        self._loaded: Any = None

    def start(self) -> None:
        self._owns_recording = not recording.on()
        if self._owns_recording:
            self._folder = tempfile.TemporaryDirectory(prefix="laptime-", ignore_cleanup_errors=True)
            problem = recording.start(os.path.join(self._folder.name, _FILE))
            if problem:
                raise OSError(problem)
            atexit.register(self._abandon)
        if self._memory is not None:
            self._memory.on()
        self._stretch.begin()
        self._ops.on()

    def stop(self) -> None:
        self._ops.off()
        self._link = self._stretch.end()
        if self._memory is not None:
            self._memory.off()
        if self._owns_recording:
            atexit.unregister(self._abandon)
            recording.stop()
        elif self._link:
            # Now: the outer recording may end, and its parts with it, before anybody asks for the events.
            self._loaded = torch_events.Profile(torch_events.part_path(), self._link, self._stretch.begin_ns(), self._places)

    def toggle(self, on: bool) -> None:
        """Ops only in between; the stretch goes on."""
        self._ops.on() if on else self._ops.off()

    @property
    def profile(self) -> Any:
        """What was recorded; loaded when first asked for."""
        if self._loaded is None:
            if self._folder is None or not self._link:
                raise RuntimeError("laptime: the recording ended before the profiler was stopped; it has no events")
            self._loaded = torch_events.Profile(os.path.join(self._folder.name, _FILE), self._link, 0, self._places)
            self._folder.cleanup()
            self._folder = None
        return self._loaded

    def _abandon(self) -> None:
        """A program that ends while it is profiled."""
        self._ops.off()
        recording.stop()
