"""Steps of ``fit``, ``evaluate`` and ``predict``.

A step is a batch. It ends where the next one begins, or where the loop over the batches ends. With
``steps_per_execution``, Keras calls its callbacks once for several batches. On TensorFlow the times
of the batches inside are known from the requests for input; otherwise the steps are equally long.

The methods of ``CallbackList`` run on the thread that runs the loop. They and the loops themselves
get wrappers without a Python frame (``Around``).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from keras.src import backend
from keras.src.callbacks.callback_list import CallbackList
from keras.src.models.model import Trainer
from keras.src.trainers.epoch_iterator import EpochIterator

from laptime._native import Around, recording
from laptime.collect import marks
from laptime.collect.stepping import Stepping
from laptime.frameworks.keras.batches import Batches

_PHASES = {"train": "train", "test": "validation", "predict": "inference"}


def install(fit_began: Callable[[Any], None]) -> None:
    """Stays for the rest of the process. ``fit_began``: called with the model."""
    loops = _Loops()
    for kind in _PHASES:
        _wrap(CallbackList, f"on_{kind}_begin", before=_beginning(loops, kind))
        _wrap(CallbackList, f"on_{kind}_end", before=loops.ended)
        _wrap(CallbackList, f"on_{kind}_batch_begin", before=loops.batch_began)
        _wrap(CallbackList, f"on_{kind}_batch_end", loops.batch_computed, loops.batch_ended)
    _wrap(CallbackList, "on_epoch_begin", before=loops.epoch_began)
    _wrap(CallbackList, "on_epoch_end", before=loops.epoch_ended)
    _wrap(EpochIterator, "_enumerate_iterator", before=loops.reads_from)
    for name in ("fit", "evaluate", "predict"):
        _wrap(Trainer, name, loops.called, loops.returned)
    _wrap(CallbackList, "on_train_begin", before=lambda callbacks: fit_began(callbacks.model))


def _wrap(owner: type, name: str, before: Any = None, after: Any = None) -> None:
    setattr(owner, name, Around(owner.__dict__[name], before, after))


def _beginning(loops: _Loops, kind: str) -> Any:
    return lambda _: loops.began(kind)


class _Loop:
    """A loop over batches."""

    def __init__(self, kind: str, stepping: Stepping) -> None:
        self.phase = _PHASES[kind]
        self.is_fit = kind == "train"
        self.stepping = stepping
        # On torch, Keras requests a batch before it reports the batch's begin.
        self.waits_before = backend.backend() == "torch"
        self.start_epoch()

    def start_epoch(self) -> None:
        self.batches: Batches | None = None  # known when the first one begins
        self.is_executing = False  # a batch, or several at once, began and did not end as a step
        self.begin = self.end = 0  # of the execution, in ticks; end 0: not computed yet
        self.requested: list[int] = []  # when the execution requested its batches


class _Loops:
    """Those of one thread. While it runs a loop, no other thread makes steps."""

    def __init__(self) -> None:
        self._running: list[_Loop] = []  # fit, and evaluate within it
        self._depths: list[int] = []  # loops around each call of fit, evaluate, predict
        self._thread = 0
        self._source: Any = None  # the newest that batches are read from

    def called(self, _: Any) -> None:
        if self._is_ours():
            self._depths.append(len(self._running))

    def returned(self, *_: object) -> None:
        """Ends loops that an exception has ended."""
        if self._depths and self._is_ours():
            depth = self._depths.pop()
            while len(self._running) > depth:
                self.ended()

    def reads_from(self, source: Any) -> None:
        if self._is_ours():
            self._source = source

    def began(self, kind: str) -> None:
        if not self._is_ours():
            return
        stepping = marks.steppers.get(backend.backend())
        if stepping is None or (not self._running and stepping.hooks.by_program):
            return
        if not self._running:
            stepping.finish()  # a loop by hand before it
        self._end_last_step()  # of the epoch around it
        stepping.hooks.by_program = True
        self._running.append(_Loop(kind, stepping))
        if kind != "train":
            self._begin_epoch()

    def epoch_began(self, _: Any) -> None:
        if self._running and self._is_ours():
            self._begin_epoch()

    def epoch_ended(self, _: Any) -> None:
        if self._is_ours():
            self._end_last_step()

    def ended(self, _: Any = None) -> None:
        if not self._running or not self._is_ours():
            return
        self._end_last_step()
        loop = self._running.pop()
        if not self._running:
            loop.stepping.hooks.by_program = False

    def batch_began(self, _: Any) -> None:
        if not self._running or not self._is_ours():
            return
        loop = self._running[-1]
        if loop.is_executing:
            self._end_step()
        elif not loop.waits_before:
            loop.stepping.begin()
        if loop.batches is None:
            loop.batches = Batches(self._source)
        loop.is_executing = True
        loop.begin, loop.end, loop.requested = recording.now(), 0, []

    def batch_computed(self, _: Any) -> None:
        if self._running and self._is_ours():
            loop = self._running[-1]
            loop.end = recording.now()
            loop.requested = _requested(loop)

    def batch_ended(self, *_: object) -> None:
        if not self._running or not self._is_ours():
            return
        loop = self._running[-1]
        loop.end = recording.now()
        if loop.is_executing and loop.batches is not None and loop.batches.next_is_last():
            self._end_step()  # so lines that run after the loop are not counted for it

    def _is_ours(self) -> bool:
        thread = threading.get_ident()
        if not self._running and not self._depths:
            self._thread = thread
        return self._thread == thread

    def _begin_epoch(self) -> None:
        loop = self._running[-1]
        loop.start_epoch()
        if loop.waits_before:
            loop.stepping.begin()

    def _end_last_step(self) -> None:
        """Ends the last step of a loop where its batch ended. What follows belongs to no step."""
        if not self._running or not self._running[-1].is_executing:
            return
        loop = self._running[-1]
        if loop.end == 0:  # the input had ended, or an exception was raised
            loop.is_executing = False
        else:
            self._end_step(loop.end)

    def _end_step(self, end: int = 0) -> None:
        """``end``: in ticks; 0: now."""
        loop = self._running[-1]
        loop.is_executing = False
        assert loop.batches is not None
        samples = loop.batches.execute(len(loop.requested))
        ends = _ends_within(loop, end or recording.now(), len(samples))
        for number, moment in zip(samples, [*ends, end]):
            loop.stepping.mark(loop.phase, number, moment)


def _requested(loop: _Loop) -> list[int]:
    """When the batches of several at once were requested, in ticks. Empty: unknown."""
    if loop.batches is None or loop.batches.at_once == 1:
        return []
    tensorflow = sys.modules.get("laptime.frameworks.tensorflow")
    return list(tensorflow.requests_of_call()) if tensorflow is not None else []


def _ends_within(loop: _Loop, end: int, batches: int) -> list[int]:
    """The ends of all batches of an execution but the last one, in ticks."""
    if len(loop.requested) >= batches:
        return loop.requested[1:batches]
    length = (end - loop.begin) / batches
    return [loop.begin + round(length * (i + 1)) for i in range(batches - 1)]
