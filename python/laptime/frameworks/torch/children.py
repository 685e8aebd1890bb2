"""The purpose of a child process: a loader's worker only prepares batches, any other may compute as
its parent does.

The purpose follows from the function that the child runs, not from the process that started it.
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


def when_known(owner: Owner, action: Callable[[Owner], None]) -> None:
    """Calls ``action`` as soon as the purpose of a process is known.

    This covers this process, if it is being started, and each child that multiprocessing forks from
    it.
    """
    util.register_after_fork(owner, action)
    if will_be_known():
        _call_when_spawned(lambda: action(owner))


def _call_when_spawned(action: Callable[[], None]) -> None:
    """Since 3.11 a spawned process does not run what ``register_after_fork`` registered."""
    process: Any = context.SpawnProcess
    if "_after_fork" not in vars(process):
        return
    original = process._after_fork

    def after_fork() -> None:
        process._after_fork = staticmethod(original)
        original()
        action()

    process._after_fork = staticmethod(after_fork)


def is_known() -> bool:
    """Whether multiprocessing started this process."""
    return multiprocessing.parent_process() is not None


def will_be_known() -> bool:
    """Whether multiprocessing is starting this process and imports the program's main module."""
    return getattr(multiprocessing.current_process(), "_inheriting", False)


def is_forked_by_multiprocessing() -> bool:
    """Contract: runs in the child, inside what Python calls there after ``os.fork``."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("laptime."):
        frame = frame.f_back
    return frame is not None and frame.f_globals.get("__name__") in _FORKING


def is_loader_worker() -> bool:
    """A worker of torch or of torchdata, whose function has the same name."""
    return (
        getattr(getattr(multiprocessing.current_process(), "_target", None), "__name__", "")
        == "_worker_loop"
    )
