"""Replaces ``Trace`` in TensorFlow's public modules. The other names are TensorFlow's own in both.

So programs need no change.
"""

from __future__ import annotations

import sys

from tensorflow.python.profiler.trace import Trace as Original

from laptime.collect.imports import when_imported
from laptime.compat.tf_profiler.annotations import Trace

_SECOND = "tensorflow.profiler.experimental"
_PUBLIC = (
    _SECOND,
    "tensorflow._api.v2.profiler.experimental",
    "tensorflow._api.v2.compat.v2.profiler.experimental",
)


def _nothing() -> None: ...


_cancel = _nothing


def install() -> None:
    """Affects imports that come after it. Names that were imported before stay TensorFlow's."""
    global _cancel
    _cancel()
    _put(Trace)
    # This import makes a module of its own.
    _cancel = when_imported(_SECOND, lambda: _put(Trace))


def uninstall() -> None:
    _cancel()
    _put(Original)


def _put(replacement: type) -> None:
    for module in map(sys.modules.get, _PUBLIC):
        if hasattr(module, "Trace"):
            module.Trace = replacement  # type: ignore[union-attr]
