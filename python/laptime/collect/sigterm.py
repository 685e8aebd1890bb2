"""SIGTERM ends a process as ever, with its counts written where Python can be asked for them
(native/sigterm.h).
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from laptime._native import sigterm

# One of these stands for "write": no program sends it to Python for that, and few use any of them.
_SPARE = range(signal.SIGRTMAX - 7, signal.SIGRTMIN, -1)


_writing = _asked = False


def writing(stop: Callable[[], None]) -> None:
    """Calls it. SIGTERM that comes meanwhile ends the process when it is done: what it has begun to
    write nobody else could end.
    """
    global _writing
    if _writing:
        return
    _writing = True
    try:
        stop()
    finally:
        _writing = False
        if _asked:
            sigterm.end_process()


def write_before(stop: Callable[[], None]) -> None:
    """`stop`: calls `writing`. Not where SIGTERM ends nothing: it is ignored or handled, or the
    kernel keeps it from the first process.
    """
    spare = next((number for number in _SPARE if signal.getsignal(number) is signal.SIG_DFL), None)
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL or spare is None or os.getpid() == 1:
        return

    def end(*_: object) -> None:
        global _asked
        sigterm.answer()
        _asked = True
        if not _writing:
            stop()

    signal.signal(spare, end)
    sigterm.install(spare)
    os.register_at_fork(after_in_child=_after_fork)


def _after_fork() -> None:
    """What another thread wrote, or was asked to, it does in the parent."""
    global _writing, _asked
    _writing = _asked = False
    sigterm.after_fork()
