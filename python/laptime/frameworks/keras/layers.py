"""The line of the program where each layer of Keras was made.

In a functional or sequential model no line of the program calls a layer. Its ops have this line.
"""

from __future__ import annotations

from typing import Any

from keras.src.layers.layer import Layer

from laptime._native import Around
from laptime.collect.user_line import UserLine, user_line

_lines: dict[str, UserLine] = {}  # by the layer's name


def line_of(layer: str) -> UserLine:
    """The line where the newest layer of this name was made."""
    return _lines.get(layer, UserLine())


def install() -> None:
    """Stays for the rest of the process."""
    Layer.__init__ = Around(Layer.__init__, None, _made)


def _made(layer: Any, _: object, raised: type[BaseException] | None) -> None:
    if raised is None:
        _lines[str(layer.name)] = user_line()
