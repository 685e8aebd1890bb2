"""``Trace`` for TensorFlow's profile and for laptime's run."""

from __future__ import annotations

import inspect
from types import TracebackType
from typing import Any

# Not from the public module, where install() may have put ours.
from tensorflow.python.profiler.trace import Trace as Original

from laptime.collect.annotations import Annotation


class Trace(Original):
    """tf.profiler.experimental.Trace. In a run of laptime it is a step if it has ``step_num``, else
    a scope.
    """

    __signature__ = inspect.signature(Original)

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self._annotation = Annotation(name, "step_num" in kwargs)

    def __enter__(self) -> Trace:
        self._annotation.begin()
        super().__enter__()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        super().__exit__(exc_type, exc_val, exc_tb)
        self._annotation.end(exc_type)
