"""SIGTERM ends a process as without laptime. Its counts are written before, if Python can do that
(native/sigterm.h).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from laptime._native import sigterm

# One of these signals means "write". Few programs use any of them, and none sends one to Python.
_SPARE = range(signal.SIGRTMAX - 7, signal.SIGRTMIN, -1)


_writing = _end_requested = False


def writing(stop: Callable[[], None]) -> None:
    """Calls ``stop``. If SIGTERM arrives meanwhile, the process ends after the call: no other code
    could finish what it has begun to write.
    """
    global _writing
    if _writing:
        return
    _writing = True
    try:
        stop()
    finally:
        _writing = False
        if _end_requested:
            sigterm.end_process()


def write_before(stop: Callable[[], None]) -> None:
    """Installs the handler. ``stop`` must call ``writing``.

    Does nothing if SIGTERM would not end the process: the program ignores or handles it, or it
    is process 1, which the kernel protects.
    """
    spare = next((number for number in _SPARE if signal.getsignal(number) is signal.SIG_DFL), None)
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL or spare is None or os.getpid() == 1:
        return

    def end(*_: object) -> None:
        global _end_requested
        sigterm.answer()
        _end_requested = True
        if not _writing:
            stop()

    signal.signal(spare, end)
    sigterm.install(spare)
    os.register_at_fork(after_in_child=_after_fork)


def _after_fork() -> None:
    """What another thread was writing, or had to write, happens in the parent."""
    global _writing, _end_requested
    _writing = _end_requested = False
    sigterm.after_fork()
