"""The calls of Keras's layers as spans of a profile session. On torch, layers run as they are
called.
"""

from __future__ import annotations

from typing import Any

import keras

from laptime._native import Around
from laptime.compat.keras.sessions import Session


class LayerSpans:
    """From its creation to ``remove``. Nothing raises into the layers' calls: ``Around`` stops
    calling a hook that failed.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._open: list[Any] = []
        self._original = keras.layers.Layer.__call__
        self._ours = Around(self._original, self._begin, self._end)
        keras.layers.Layer.__call__ = self._ours

    def remove(self) -> None:
        if keras.layers.Layer.__call__ is self._ours:
            keras.layers.Layer.__call__ = self._original

    def _begin(self, layer: Any) -> None:
        self._open.append(self._session.begin(layer.path or layer.name))

    def _end(self, _layer: Any, _result: Any, _raised: type[BaseException] | None) -> None:
        if self._open:
            self._session.end(self._open.pop())
