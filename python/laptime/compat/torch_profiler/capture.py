"""One profile session: records it, finds it again, loads it.

If the process already records, the session is part of that recording and is read from the process's
own part file. Otherwise it has a recording of its own in a temporary folder, which exists until its
events are no longer needed.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import weakref
from typing import Any, ClassVar

from laptime._native import recording, torch_session
from laptime.compat.torch_profiler import sources
from laptime.compat.torch_profiler.details import Details
from laptime.compat.torch_profiler.gpu_session import GpuSession


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # a forked child must not remove its parent's folder
        shutil.rmtree(folder, ignore_errors=True)


class Capture:
    """Contract: ``start``, ``stop``, then ``profile``. ``start`` raises nothing but OSError."""

    _running: ClassVar[weakref.WeakSet[Capture]] = weakref.WeakSet()

    def __init__(
        self, *, shapes: bool, memory: bool, modules: bool, frames: bool, gpu: GpuSession | None
    ) -> None:
        self._ops = sources.ops(shapes=shapes, frames=frames)
        self._details = Details(inputs=shapes, modules=modules)
        self._gpu = gpu
        self._call_sites = frames or modules
        self._memory = sources.memory() if memory else None
        self._remove_file: weakref.finalize[Any, Any] | None = None
        self._path = ""
        self._owns_recording = False
        self._session = torch_session.ProfileSession()
        self._link = 0
        self._notes: Any = None
        self._loaded: Any = None

    def start(self) -> None:
        self._owns_recording = not recording.on()
        if self._owns_recording:
            folder = tempfile.mkdtemp(prefix="laptime-")
            self._remove_file = weakref.finalize(self, _remove, folder, os.getpid())
            self._path = os.path.join(folder, "profile.lap")
            problem = recording.start(self._path)
            if problem:
                raise OSError(problem)
            atexit.register(self._abandon)
        Capture._running.add(self)
        if self._memory is not None:
            self._memory.on()
        if self._gpu is not None:
            self._gpu.begin()
        self._session.begin()
        self._ops.on()
        self._details.on()

    def stop(self) -> None:
        Capture._running.discard(self)
        self._ops.off()
        details = self._details.off(self._session.begin_ticks())
        if self._gpu is not None:
            self._gpu.wait()
        self._link = self._session.end()
        self._notes = torch_session.Notes(self._session, details)
        if self._gpu is not None:
            self._gpu.end()
        if self._memory is not None:
            self._memory.off()
        if self._owns_recording:
            self._end_recording()
        elif self._link:
            # Loaded now, because the outer recording and its parts may end before the program
            # requests the events.
            self._loaded = self._load(torch_session.part_path(), self._session.begin_ns())

    def toggle(self, on: bool) -> None:
        """Switches ops only. The session continues."""
        self._ops.on() if on else self._ops.off()

    @property
    def profile(self) -> Any:
        """The recorded session, loaded on first use."""
        if self._loaded is None:
            if self._remove_file is None or not self._link:
                raise RuntimeError(
                    "laptime: the recording ended before the profiler was stopped; it has no events"
                )
            self._loaded = self._load(self._path, 0)
            self._remove_file()
        return self._loaded

    def _load(self, path: str, from_ns: int) -> Any:
        from laptime._reader import torch_events  # most programs read no events

        return torch_events.Profile(path, self._link, from_ns, self._call_sites, self._notes)

    def _end_recording(self) -> None:
        atexit.unregister(self._abandon)
        recording.stop()

    def _abandon(self) -> None:
        """Stops the session in a program that ends while it is profiled, or in a child that is
        forked meanwhile.
        """
        Capture._running.discard(self)
        self._ops.off()
        self._details.off(0)
        if self._gpu is not None:
            self._gpu.end()
        if self._memory is not None:
            self._memory.off()
        if self._owns_recording:
            self._end_recording()


def _stop_in_child() -> None:
    """A forked loader worker inherits everything switched on, and nothing would switch it off. So a
    child is not profiled.
    """
    for capture in tuple(Capture._running):
        capture._abandon()


os.register_at_fork(after_in_child=_stop_in_child)
