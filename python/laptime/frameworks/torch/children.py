"""What a child process is for: a loader's worker only prepares batches, any other may compute as
its parent does.

Told by what it was started to do, not by who started it.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable
from multiprocessing import context, util
from types import FrameType
from typing import Any, TypeVar

Owner = TypeVar("Owner")

_FORKING = ("multiprocessing.popen_fork", "multiprocessing.forkserver")


def when_known(owner: Owner, tell: Callable[[Owner], None]) -> None:
    """Calls ``tell`` in this process, if it is being started, and in each that multiprocessing
    forks from it, as soon as it knows what it is for.
    """
    util.register_after_fork(owner, tell)
    if will_be_known():
        _tell_when_spawned(lambda: tell(owner))


def _tell_when_spawned(tell: Callable[[], None]) -> None:
    """Since 3.11 a process that was spawned calls nobody who asked ``register_after_fork``."""
    process: Any = context.SpawnProcess
    if "_after_fork" not in vars(process):
        return
    original = process._after_fork

    def after_fork() -> None:
        process._after_fork = staticmethod(original)
        original()
        tell()

    process._after_fork = staticmethod(after_fork)


def is_known() -> bool:
    """In a child that multiprocessing has started."""
    return multiprocessing.parent_process() is not None


def will_be_known() -> bool:
    """In one that it starts: while that imports the program's main module."""
    return getattr(multiprocessing.current_process(), "_inheriting", False)


def is_forked_by_multiprocessing() -> bool:
    """Contract: called in the child, by what Python calls there after ``os.fork``."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("laptime."):
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") in _FORKING


def is_loader_worker() -> bool:
    """torch's, or one made after it: torchdata's has the same name."""
    return (
        getattr(getattr(multiprocessing.current_process(), "_target", None), "__name__", "")
        == "_worker_loop"
    )
