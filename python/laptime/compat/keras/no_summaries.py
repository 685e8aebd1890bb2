"""Stands in for ``tensorflow.summary`` where it cannot write: it writes nothing."""

from __future__ import annotations

import contextlib
from typing import Any


class _NoWriter:
    def as_default(self, _step: object = None) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def flush(self) -> None: ...

    def close(self) -> None: ...


class NoSummaries:
    def create_file_writer(self, _log_dir: str) -> _NoWriter:
        return _NoWriter()

    def record_if(self, _condition: object) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def _write(self, *_: Any, **__: Any) -> None: ...

    scalar = histogram = image = graph = trace_on = trace_export = _write
