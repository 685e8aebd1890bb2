"""Which layer of Keras, and which line of the program, an op belongs to.

The line is the innermost one of the user's own code. If that line called a model and not the layer,
as with a functional model, it is the line where the layer was made.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

from laptime._native import torch_ops
from laptime.collect.user_line import UserLine

_LAYER = re.compile(r"[/\\]keras[/\\]src[/\\]layers[/\\]layer\.py$")
_NUMBER = re.compile(r"_\d+$")


def innermost_line(frames: Iterable[tuple[str, str, UserLine]], layer: str) -> UserLine:
    """``frames``: file, function and line, the innermost first. ``layer``: its path."""
    layers = 0  # calls of layers between the op and the user's code
    for file, function, line in frames:
        if torch_ops.is_user_code(file):
            made = _line_of_layer(layer) if layers > 1 else UserLine()
            return made if made.file else line
        layers += function == "__call__" and bool(_LAYER.search(file))
    return UserLine()


def layer_path(scopes: str, in_graph: bool) -> str:
    """The path of the innermost layer of Keras in the name scopes. Without one: the scopes.

    Assumption: Keras opens a layer's scope twice, to build and to call it. So the second one gets a
    number in a graph: ``dense_1`` is the layer ``dense``.
    """
    path = [(_layer_name(part, in_graph), part) for part in scopes.split("/")]
    while path and not path[-1][0]:
        path.pop()
    return "/".join(name or part for name, part in path) or scopes


def _layer_name(scope: str, in_graph: bool) -> str:
    """Empty if it is no layer's."""
    candidates = [_NUMBER.sub("", scope), scope] if in_graph else [scope]
    return next((name for name in candidates if _line_of(name).file), "")


def _line_of_layer(path: str) -> UserLine:
    return next(
        filter(lambda line: line.file, map(_line_of, reversed(path.split("/")))), UserLine()
    )


def _line_of(layer: str) -> UserLine:
    layers = sys.modules.get("laptime.frameworks.keras.layers")
    return layers.line_of(layer) if layers is not None else UserLine()
