"""Calls a function on the main thread every so often, between two instructions of the program: where handlers of signals run, too."""

from __future__ import annotations

import _thread
import ctypes
from collections.abc import Callable

_Pending = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class MainThreadClock:
    """A main thread that waits in C is not woken: it is called when it goes on. ``call`` must not raise. Raises where no thread can be had."""

    def __init__(self, call: Callable[[], None], period_s: float) -> None:
        self._call = call
        self._period_s = period_s
        self._runs = True
        self._is_pending = False
        self._on_main = _Pending(self._called)
        ctypes.pythonapi["Py_IncRef"](ctypes.py_object(self._on_main))  # what is pending when we stop is called all the same
        self._stop = _thread.allocate_lock()
        self._stop.acquire()
        _thread.start_new_thread(self._wait, ())

    def stop(self) -> None:
        if self._runs:
            self._runs = False
            self._stop.release()

    def _wait(self) -> None:
        ask = ctypes.pythonapi["Py_AddPendingCall"]
        while not self._stop.acquire(timeout=self._period_s):
            if not self._is_pending:
                self._is_pending = True
                ask(self._on_main, None)

    def _called(self, _: object) -> int:
        if self._runs:
            self._call()
        self._is_pending = False
        return 0
