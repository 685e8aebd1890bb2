"""Steps of ``fit``, ``evaluate`` and ``predict``.

A step is a batch. It ends where the next one begins, or where the loop over the batches ends. With
``steps_per_execution``, Keras calls its callbacks once for several batches. On TensorFlow the times
of the batches inside are known from the requests for input; otherwise the steps are equally long.

The methods of ``CallbackList`` run on the thread that runs the loop. They get wrappers without a
Python frame (``Around``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from keras.src import backend
from keras.src.callbacks.callback_list import CallbackList
from keras.src.trainers.epoch_iterator import EpochIterator

from laptime._native import Around, recording
from laptime.collect import marks
from laptime.collect.stepping import Stepping

_PHASES = {"train": "train", "test": "validation", "predict": "inference"}


def install(fit_began: Callable[[Any], None]) -> None:
    """Stays for the rest of the process. ``fit_began``: called with the model."""
    loops = _Loops(fit_began)
    for name, method in {
        "on_train_begin": loops.train_began,
        "on_epoch_begin": loops.epoch_began,
        "on_train_batch_begin": loops.batch_began,
        "on_epoch_end": loops.epoch_ended,
        "on_train_end": loops.ended,
        "on_test_begin": loops.test_began,
        "on_test_batch_begin": loops.batch_began,
        "on_predict_begin": loops.predict_began,
        "on_predict_batch_begin": loops.batch_began,
    }.items():
        _wrap(name, before=method)
    for name in ("on_test_end", "on_predict_end"):
        _wrap(name, before=loops.ended)
    for name in ("on_train_batch_end", "on_test_batch_end", "on_predict_batch_end"):
        _wrap(name, after=loops.batch_ended)
    EpochIterator.__init__ = Around(EpochIterator.__init__, None, loops.reads_from)


def _wrap(name: str, before: Any = None, after: Any = None) -> None:
    setattr(CallbackList, name, Around(CallbackList.__dict__[name], before, after))


class _Loop:
    """A loop over batches."""

    def __init__(self, phase: str, stepping: Stepping, model: Any) -> None:
        self.phase = phase
        self.stepping = stepping
        self.executed = max(1, int(getattr(model, "steps_per_execution", 1)))
        self.left = 0  # batches of this epoch that did not begin yet; 0: unknown
        # On torch, Keras requests a batch before it reports the batch's begin.
        self.waits_before = backend.backend() == "torch"
        self.batches = 0  # of the present execution; 0: none began
        self.begin = self.end = 0  # of the execution, in ticks


class _Loops:
    def __init__(self, fit_began: Callable[[Any], None]) -> None:
        self._fit_began = fit_began
        self._running: list[_Loop] = []  # fit, and evaluate within it
        self._samples = 0

    def reads_from(self, iterator: Any, *_: object) -> None:
        self._samples = int(getattr(iterator.data_adapter, "batch_size", 0) or 0)

    def train_began(self, callbacks: Any) -> None:
        self._fit_began(callbacks.model)
        self._enter("train", callbacks)

    def test_began(self, callbacks: Any) -> None:
        self._end_last_step()  # of the epoch around it
        self._enter("test", callbacks)
        self._begin_epoch(callbacks)

    def predict_began(self, callbacks: Any) -> None:
        self._enter("predict", callbacks)
        self._begin_epoch(callbacks)

    def epoch_began(self, callbacks: Any) -> None:
        if self._running:
            self._begin_epoch(callbacks)

    def epoch_ended(self, _: Any) -> None:
        self._end_last_step()

    def ended(self, _: Any) -> None:
        self._end_last_step()
        if self._running:
            loop = self._running.pop()
            if not self._running:
                loop.stepping.hooks.by_program = False

    def batch_ended(self, *_: object) -> None:
        if self._running:
            self._running[-1].end = recording.now()

    def batch_began(self, _: Any) -> None:
        if not self._running:
            return
        loop = self._running[-1]
        if loop.batches:
            self._end_step()
        elif not loop.waits_before:
            loop.stepping.begin()
        loop.batches = min(loop.executed, loop.left) if loop.left else loop.executed
        loop.left = max(0, loop.left - loop.batches)
        loop.begin = recording.now()

    def _enter(self, kind: str, callbacks: Any) -> None:
        stepping = marks.steppers.get(backend.backend())
        if stepping is None or (not self._running and stepping.hooks.by_program):
            return
        stepping.hooks.by_program = True
        self._running.append(_Loop(_PHASES[kind], stepping, callbacks.model))

    def _begin_epoch(self, callbacks: Any) -> None:
        if not self._running:
            return
        loop = self._running[-1]
        loop.left = int((callbacks.params or {}).get("steps") or 0)
        if loop.waits_before:
            loop.stepping.begin()

    def _end_last_step(self) -> None:
        """Ends the last step of a loop where its batch ended. What follows belongs to no step."""
        if self._running and self._running[-1].batches:
            self._end_step(self._running[-1].end)

    def _end_step(self, end: int = 0) -> None:
        """``end``: in ticks; 0: now."""
        loop = self._running[-1]
        batches, loop.batches = loop.batches, 0
        for inner in _ends_within(loop.begin, end or recording.now(), batches):
            loop.stepping.mark(loop.phase, self._samples, inner)
        loop.stepping.mark(loop.phase, self._samples, end)


def _ends_within(begin: int, end: int, batches: int) -> list[int]:
    """The ends of all batches of an execution but the last one, in ticks."""
    if batches == 1:
        return []
    tensorflow = sys.modules.get("laptime.frameworks.tensorflow")
    requested = tensorflow.requests_of_call() if tensorflow is not None else []
    if len(requested) >= batches:
        return list(requested[1:batches])
    length = (end - begin) / batches
    return [begin + round(length * (i + 1)) for i in range(batches - 1)]
