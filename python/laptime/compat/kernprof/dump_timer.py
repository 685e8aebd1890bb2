"""Writes the results so far at regular intervals, so that a user can look at a long run."""

from __future__ import annotations

import os
import threading
from typing import Any


class DumpTimer:
    def __init__(self, seconds: float, profiler: Any, outfile: str) -> None:
        self._seconds = seconds
        self._profiler = profiler
        self._outfile = outfile
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kernprof", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._seconds):
            try:
                self._dump()
            except OSError:  # the final write reports the error
                continue

    def _dump(self) -> None:
        """Replaces the file in one step, so that a reader never finds half a file."""
        part = f"{self._outfile}.part"
        write = getattr(self._profiler, "dump_snapshot", self._profiler.dump_stats)
        write(part)
        os.replace(part, self._outfile)
