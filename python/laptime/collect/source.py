"""The base class of everything that is recorded in some steps only: ops, memory, the GPU.

A module of a framework defines a source and a function ``load`` that returns it, off. A source of
another framework derives from the same class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod


class Source(ABC):
    """Records something while it is on.

    Contract:

    - ``load`` may take seconds, because it may compile. It runs once in a process, on the thread
      that imported the framework or made its first step.
    - ``load`` may raise. The reason is then reported in one line, and the run is recorded without
      this source. A ``kind`` of "off: REASON" means the same, but ``load`` has reported it already.
    - ``on``, ``off`` and ``at_step`` run at the end of a step, on the thread that ends the step,
      with the GIL. The program waits for them, so they take microseconds. The first ``on`` may take
      milliseconds.
    - A program without steps may be recorded by the clock. A native thread then switches what is
      behind the source, and calls none of these methods.
    - ``on`` and ``off`` may be called twice in a row. ``off`` may be called without ``on``.
    - After a fork the child calls ``off`` once, whatever the parent had switched on.
    - ``close`` is called last, once or more, perhaps on another thread. It leaves the source off.
    - Every method may raise. The caller then reports one line, writes a warning into the run and
      drops the source. Other sources and the program continue.
    - What a signal handler of the program raised inside a method goes to the program.
    """

    @property
    @abstractmethod
    def kind(self) -> str:
        """How it records, or "off: REASON" if it cannot. It does not change."""

    @abstractmethod
    def on(self) -> None:
        """Starts to record."""

    @abstractmethod
    def off(self) -> None:
        """Stops recording. Everything that was recorded until now is kept."""

    @property
    def records(self) -> bool:
        """Whether it really records while it is on. The steps in which it did not are no recorded
        steps.
        """
        return True

    def at_step(self) -> None:  # noqa: B027  most sources have nothing to do here
        """Called at the end of each step in which the source was on."""

    def after_step(self) -> None:  # noqa: B027  the same
        """Called right after the end of each step after which the source is on."""

    def take_work(self) -> int:
        """Ticks that switching took since the last call, if it is much: the next step begins after
        it.
        """
        return 0

    @property
    def events(self) -> int:
        """How many events were recorded since ``load``. The schedule prices recording by it."""
        return 0

    @abstractmethod
    def close(self) -> None:
        """Stops for good and undoes what ``load`` installed in the program."""
