"""The time that laptime's own work takes while the program waits: start, set-up for a framework,
end.

Use ``own_time()`` around such work. Nested work counts once.
"""

from __future__ import annotations

import os
import time
from _thread import get_ident
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

_total_ns = _total_cpu_ns = 0
_working: set[int] = set()  # threads


class own_time:  # no contextlib: it would cost time at the program's start
    def __init__(self, began: tuple[int, int] | None = None) -> None:
        """``began``: when the work began, from ``now()``, if it began before this call."""
        self._began = began or (0, 0)
        self._is_given = began is not None
        self._is_outermost = False

    def __enter__(self) -> own_time:
        thread = get_ident()
        self._is_outermost = thread not in _working
        _working.add(thread)
        if not self._is_given:
            self._began = now()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        global _total_ns, _total_cpu_ns
        _total_ns, _total_cpu_ns = self.so_far()
        if self._is_outermost:
            _working.discard(get_ident())

    def so_far(self) -> tuple[int, int]:
        """All such work so far, this included: wall and CPU time in ns."""
        if not self._is_outermost:
            return _total_ns, _total_cpu_ns
        wall, cpu = now()
        return _total_ns + wall - self._began[0], _total_cpu_ns + cpu - self._began[1]


def now() -> tuple[int, int]:
    return time.perf_counter_ns(), time.thread_time_ns()


def waited_for_processor() -> tuple[int, int] | None:
    """How long the main thread ran, and how long it waited for a processor, in ns. None: the kernel
    does not count that.
    """
    try:
        with open(f"/proc/self/task/{os.getpid()}/schedstat", "rb") as file:
            ran, waited, _ = file.read().split()
        return int(ran), int(waited)
    except (OSError, ValueError):
        return None


def _forget() -> None:
    global _total_ns, _total_cpu_ns
    _total_ns = _total_cpu_ns = 0
    _working.clear()


os.register_at_fork(after_in_child=_forget)
