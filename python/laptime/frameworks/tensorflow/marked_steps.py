"""Steps that the program marks by ``tf.profiler.experimental.Trace`` with ``step_num``.

A marked step is what runs inside the ``with``, as in TensorFlow's own profiler. From the first one
on nothing else ends a step. The time between two of them belongs to no step.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

from tensorflow.python.profiler.trace import Trace

from laptime.collect.annotations import phase_of
from laptime.collect.patches import Patches
from laptime.collect.stepping import Stepping

_PHASE = "_laptime_phase"


def install(steps: Stepping, patches: Patches) -> None:
    marks = _Marks(steps)
    patches.replace(Trace, "__init__", _remembering_phase)
    patches.around(Trace, "__enter__", before=marks.began)
    patches.around(Trace, "__exit__", before=marks.ended)


def _remembering_phase(original: Any) -> Any:
    @functools.wraps(original)
    def __init__(self: Any, name: str, **kwargs: Any) -> None:
        original(self, name, **kwargs)
        # A subclass is laptime's own replacement, which marks the step itself.
        if "step_num" in kwargs and type(self) is Trace:
            setattr(self, _PHASE, phase_of(str(name)))

    return __init__


class _Marks:
    def __init__(self, steps: Stepping) -> None:
        self._steps = steps
        self._has_marked = False
        self._open: Any = None  # the outermost annotation that is a step

    def began(self, trace: Any) -> None:
        if self._open is not None or not hasattr(trace, _PHASE):
            return
        if threading.current_thread() is not threading.main_thread():
            return
        if self._steps.hooks.by_program and not self._has_marked:
            return  # Keras's loops, or the program's other marks
        self._open = trace
        self._has_marked = self._steps.hooks.by_program = True
        self._steps.begin()

    def ended(self, trace: Any) -> None:
        if trace is self._open:
            self._open = None
            self._steps.mark(getattr(trace, _PHASE))
