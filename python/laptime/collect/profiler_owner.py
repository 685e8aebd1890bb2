"""Who runs the framework's profiler in this process: the program, laptime, or nobody.

TensorFlow and JAX allow one profiler session at a time. Laptime's bursts use the same sessions as
the program, so a burst must end before the program's session starts.

Contract: the program always comes first. Every name but ``LAPTIME`` is one of the program's
profilers. Several of them may run at once. No function raises, unless the burst's end does.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

LAPTIME = "laptime"

_lock = threading.Lock()
_owners: list[str] = []  # the newest is last
_end_burst: Callable[[], None] | None = None


def acquire(owner: str) -> bool:
    """Returns whether ``owner`` has the profiler now. Laptime gets it only if nobody has it."""
    if owner != LAPTIME:
        request_from_program(owner)
        return True
    with _lock:
        if not _owners:
            _owners.append(LAPTIME)
        return _owners == [LAPTIME]


def release(owner: str) -> None:
    with _lock:
        if owner in _owners:
            _owners.remove(owner)


def owner() -> str:
    """The newest owner. Empty: nobody."""
    with _lock:
        return _owners[-1] if _owners else ""


def request_from_program(name: str = "program") -> bool:
    """Gives the profiler to the program. Laptime's burst has ended when this returns.

    Returns whether laptime may run bursts in this process. Then it has to yield.
    """
    with _lock:
        if name not in _owners:
            _owners.append(name)  # from here on no burst starts
        end_burst = _end_burst if LAPTIME in _owners else None
        may_run = _end_burst is not None
    if end_burst is not None:
        end_burst()
        release(LAPTIME)
    return may_run


def when_requested(end_burst: Callable[[], None] | None) -> None:
    """``end_burst`` ends laptime's burst. It runs on the thread on which the program starts its
    profiler, while a burst runs or begins. None: laptime runs no bursts.
    """
    global _end_burst
    with _lock:
        _end_burst = end_burst


def _after_fork() -> None:
    """A session does not continue in a child. Another thread may have held the lock."""
    global _lock
    _lock = threading.Lock()
    _owners.clear()


os.register_at_fork(after_in_child=_after_fork)
