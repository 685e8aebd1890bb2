"""A profile session of the framework that computes, and its marks of steps."""

from __future__ import annotations

import os
import sys
import time
from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import Any

from laptime.compat.keras.host_spans import HostSpans


class Session(ABC):
    """``start``, then ``begin`` and ``end`` in pairs, then ``stop``. All may raise, and belong to
    one thread.
    """

    @abstractmethod
    def start(self, log_dir: str) -> None: ...

    @abstractmethod
    def begin(self, name: str, step: int | None = None) -> Any:
        """Begins a span and returns it. With ``step`` it is the mark of a step."""

    def end(self, span: Any) -> None:
        span.__exit__(None, None, None)

    @abstractmethod
    def stop(self) -> None:
        """Writes the files."""


class TensorFlowSession(Session):
    def start(self, log_dir: str) -> None:
        from tensorflow.python.profiler import profiler_v2

        profiler_v2.start(log_dir)

    def begin(self, name: str, step: int | None = None) -> Any:
        from tensorflow.python.profiler.trace import Trace  # laptime's would mark the run's steps

        # Only marks with _r=1 are steps to TensorBoard.
        marks = {} if step is None else {"step_num": step, "_r": 1}
        return Trace(name, **marks).__enter__()

    def stop(self) -> None:
        from tensorflow.python.profiler import profiler_v2

        profiler_v2.stop()


class JaxSession(Session):
    def start(self, log_dir: str) -> None:
        import jax

        options = jax.profiler.ProfileOptions()
        if sys.version_info < (3, 12):
            # There it would replace the program's own profile function (sys.setprofile).
            options.python_tracer_level = 0
        jax.profiler.start_trace(log_dir, profiler_options=options)

    def begin(self, name: str, step: int | None = None) -> Any:
        from jax._src import profiler  # laptime's annotations would mark the run's steps

        if step is None:
            return profiler.TraceAnnotation(name).__enter__()
        return profiler.StepTraceAnnotation(name, step_num=step).__enter__()

    def stop(self) -> None:
        import jax

        jax.profiler.stop_trace()


class OwnSession(Session):
    """Without a framework's profiler: the file has steps and layers, but no ops."""

    def __init__(self) -> None:
        self._spans = HostSpans()
        self._log_dir = ""

    def start(self, log_dir: str) -> None:
        self._log_dir = log_dir

    def begin(self, name: str, step: int | None = None) -> Any:
        return self._spans.begin(name, step)

    def end(self, span: Any) -> None:
        self._spans.end(span)

    def stop(self) -> None:
        host = os.uname().nodename
        folder = os.path.join(
            self._log_dir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S")
        )
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, f"{host}.xplane.pb"), "wb") as file:
            file.write(self._spans.space(host))


def session_of(backend: str) -> Session:
    if backend == "jax":
        return JaxSession()
    # TensorFlow's profiler does not see torch's ops, but it has TensorFlow's, such as tf.data's.
    return TensorFlowSession() if find_spec("tensorflow") is not None else OwnSession()
