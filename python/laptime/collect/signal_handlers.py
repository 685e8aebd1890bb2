"""Decides whether the program raised an exception that appeared in laptime's code.

Python calls the program's signal handlers wherever it happens to run (SIGALRM, SIGUSR1: timeouts,
preemption). What they raise belongs to the program.
"""

from __future__ import annotations

import signal
from types import CodeType
from typing import Any


def raised_by_handler(error: BaseException) -> bool:
    """Whether a handler that the program installed raised it."""
    handlers = {_code(signal.getsignal(number)) for number in signal.valid_signals()} - {None}
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code in handlers:
            return True
        traceback = traceback.tb_next
    return False


def _code(handler: Any) -> CodeType | None:
    if handler is None or isinstance(handler, signal.Handlers):
        return None
    function = getattr(handler, "func", handler)  # functools.partial's
    function = getattr(function, "__func__", function)
    if not hasattr(function, "__code__"):
        function = next(
            (vars(each)["__call__"] for each in type(function).__mro__ if "__call__" in vars(each)),
            None,
        )
    code = getattr(function, "__code__", None)
    return code if isinstance(code, CodeType) else None
