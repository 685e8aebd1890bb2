"""Since 3.12 Python warns of a fork in a process with several threads. The recorder's own threads
are safe in a fork.

Contract: the program gets exactly the warnings that it gets without laptime, even if it turns them
into errors.
"""

from __future__ import annotations

import _warnings
import os
import sys
from typing import Any

_OUR_NAME = b"laptime\n"  # of threads (src/record/encoder.cpp)


class _OnlyOurThreads:
    """Replaces a filter's regular expression. It matches the warning if the program itself has one
    thread.
    """

    def match(self, text: str) -> bool:
        return (
            text.startswith("This process (pid=")
            and "is multi-threaded" in text
            and _threads_of_program() <= 1
        )


_filter: tuple[Any, ...] = ("ignore", _OnlyOurThreads(), DeprecationWarning, None, 0)


def leave_out_our_threads() -> None:
    _put_first()
    os.register_at_fork(before=_put_first)


def _put_first() -> None:
    """The program may have put filters before ours, or use a list of its own
    (``warnings.catch_warnings``).
    """
    filters = getattr(sys.modules.get("warnings"), "filters", _warnings.filters)
    if isinstance(filters, list) and (not filters or filters[0] is not _filter):
        if _filter in filters:
            filters.remove(_filter)
        filters.insert(0, _filter)


def _threads_of_program() -> int:
    count = 0
    for thread in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{thread}/comm", "rb") as file:
                ours = file.read() == _OUR_NAME and int(thread) != os.getpid()
        except OSError:  # it has ended
            continue
        count += not ours
    return count
