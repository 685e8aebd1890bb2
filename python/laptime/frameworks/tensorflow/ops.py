"""Records TensorFlow's ops and the stages of tf.data through TensorFlow's own profiler."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tensorflow.python.profiler.internal import _pywrap_profiler

from laptime._native import tensorflow_steps
from laptime.collect.profiler_source import ProfilerSource
from laptime.frameworks.tensorflow.eager_calls import EagerCallNotes
from laptime.frameworks.tensorflow.graph_lines import GraphLines
from laptime.frameworks.tensorflow.tracing import TracedFunctions

_IN_MEMORY = "/dev/shm"


def load(functions: TracedFunctions) -> ProfilerSource:
    """Raises if this TensorFlow's profiler does not work, or would print its own log."""
    return TensorflowOps(functions)


class TensorflowOps(ProfilerSource):
    def __init__(self, functions: TracedFunctions) -> None:
        self._session: Any = None
        self._folder = ""
        self._eager = EagerCallNotes()
        self._lines = GraphLines(functions)
        super().__init__("TensorFlow's profiler", self._lines.call_sites, self._eager.calls)

    def off(self) -> None:
        try:
            super().off()
        finally:
            self._lines.end_profile()

    def _start(self) -> None:
        session = _pywrap_profiler.ProfilerSession()
        self._folder = tempfile.mkdtemp(
            prefix="laptime-", dir=_IN_MEMORY if os.access(_IN_MEMORY, os.W_OK) else None
        )
        try:
            with _quiet():
                session.start(self._folder, {})
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._session = session
        self._eager.on()

    def _stop(self) -> bytes:
        self._eager.off()
        session, self._session = self._session, None
        try:
            with _quiet():
                session.export_to_tb()
            space = b"".join(file.read_bytes() for file in Path(self._folder).rglob("*.xplane.pb"))
            self._lines.begin_profile(space)
            return space
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """TensorFlow does not log its profiler's sessions, which the program did not start."""
    level = tensorflow_steps.set_log_level(tensorflow_steps.ERRORS_ONLY)
    if level < 0 and os.environ.get("TF_CPP_MIN_LOG_LEVEL", "0") in ("", "0"):
        raise RuntimeError(
            "its profiler would print log lines; set TF_CPP_MIN_LOG_LEVEL=1 to record ops"
        )
    try:
        yield
    finally:
        if level >= 0:
            tensorflow_steps.set_log_level(level)
