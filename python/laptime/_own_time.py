"""What laptime takes of this process for itself, while the program waits: its start, its set-up for a framework, its end.

``own_time()`` around such work; work within work counts once.
"""

from __future__ import annotations

import os
import time
from _thread import get_ident
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

_total_ns = 0
_working: set[int] = set()  # threads


class own_time:  # noqa: N801  # a function to its callers, without contextlib's cost at the program's start
    def __init__(self, began_ns: int = 0) -> None:
        """``began_ns``: when the work began, where that was before; of ``time.perf_counter_ns``."""
        self._began_ns = began_ns
        self._is_outermost = False

    def __enter__(self) -> own_time:
        thread = get_ident()
        self._is_outermost = thread not in _working
        _working.add(thread)
        self._began_ns = self._began_ns or time.perf_counter_ns()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        global _total_ns
        if self._is_outermost:
            _working.discard(get_ident())
            _total_ns += time.perf_counter_ns() - self._began_ns

    def so_far_ns(self) -> int:
        """Of all such work, this one included."""
        return _total_ns + (time.perf_counter_ns() - self._began_ns if self._is_outermost else 0)


def waited_for_processor() -> tuple[int, int] | None:
    """How long the main thread ran and how long it waited for a processor, in ns; None: the kernel does not count that."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/schedstat", "rb") as file:
            ran, waited, _ = file.read().split()
        return int(ran), int(waited)
    except (OSError, ValueError):
        return None


def _forget() -> None:
    global _total_ns
    _total_ns = 0
    _working.clear()


os.register_at_fork(after_in_child=_forget)
