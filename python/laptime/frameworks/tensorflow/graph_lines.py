"""The lines and layers that the ops of traced functions come from.

Every op of a traced function keeps the Python stack of its making, and TensorFlow's profiler shows
each op by its name. Names lead to lines as follows:

- ``StatefulPartitionedCall/dense/MatMul`` is the op ``dense/MatMul`` of the function that the op
  ``StatefulPartitionedCall`` calls.
- ``gradient_tape/dense/MatMul/MatMul_1`` is the gradient of ``dense/MatMul``, and has its line.
- If no line of the program called a layer (a functional model of Keras), its ops have the line
  where the layer was made.
- Names that TensorFlow's optimizer of graphs has made have the line of the nearest op around them.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from laptime._native import torch_ops
from laptime.collect.source_functions import SourceFunctions
from laptime.collect.user_line import UserLine
from laptime.frameworks.tensorflow.tracing import TracedFunctions

CallSite = tuple[int, bool]  # its number (0: unknown), whether the op is of the backward pass

_UNKNOWN: CallSite = (0, False)
_TAPE = "gradient_tape/"
_KERAS = re.compile(r"[/\\]keras[/\\]src[/\\]")
_DEEPEST = 8  # nested calls of functions
_CALLS = ("StatefulPartitionedCall", "PartitionedCall")


class GraphLines:
    def __init__(self, functions: TracedFunctions) -> None:
        self._functions = functions
        self._lines = SourceFunctions()
        self._graphs: dict[str, _Graph] = {}

    def call_sites(self, function: str, ops: list[str]) -> list[CallSite]:
        """Of the ops with these full names, in the function with this name."""
        graph = self._graph(function)
        return [self._call_site(graph, op) if graph else _UNKNOWN for op in ops]

    def _graph(self, function: str) -> _Graph | None:
        known = self._graphs.get(function)
        if known is None and (found := self._functions.graph_of(function)) is not None:
            known = self._graphs[function] = _Graph(found)
        return known

    def _call_site(self, graph: _Graph, name: str) -> CallSite:
        is_backward = _TAPE in name or name.startswith("gradients/")
        op = self._find(graph, name)
        if op is None:
            return 0, is_backward
        layer = _layer_of(name)
        line = _users_line(op, layer)
        if line is None:
            return 0, is_backward
        file, number, function = line
        found, first = self._lines.find(file, number, function)
        return torch_ops.call_site_of(file, found, first, number, layer), is_backward

    def _find(self, graph: _Graph, name: str, depth: int = 0) -> Any:
        """The op whose line it has. Follows calls of functions within the graph."""
        op = graph.forward_of(name) or graph.ops.get(name)
        if op is None and depth < _DEEPEST:
            for called, rest in graph.calls_around(name):
                inner = self._graph(called)
                if inner and (op := self._find(inner, rest, depth + 1)) is not None:
                    return op
        return op if op is not None else graph.nearest(name)


class _Graph:
    def __init__(self, graph: Any) -> None:
        self.ops = {op.name: op for op in graph.get_operations()}
        self._calls = {
            name: _called_function(op) for name, op in self.ops.items() if op.type in _CALLS
        }

    def calls_around(self, name: str) -> list[tuple[str, str]]:
        """For calls whose ops' names begin with theirs: the function's name, and the rest."""
        return [
            (function, name[len(call) + 1 :])
            for call, function in self._calls.items()
            if name.startswith(call + "/")
        ]

    def forward_of(self, name: str) -> Any:
        """The op whose gradient the op ``name`` computes. None: it is no gradient."""
        before, tape, path = name.rpartition(_TAPE)
        while tape and path:
            if (op := self.ops.get(before + path)) is not None:
                return op
            path = path.rpartition("/")[0]
        return None

    def nearest(self, name: str) -> Any:
        """The op with this name, or the first one in the innermost scope around it."""
        if (op := self.ops.get(name)) is not None:
            return op
        scope = name
        while "/" in scope:
            scope = scope.rpartition("/")[0]
            if (op := self.ops.get(scope)) is not None:
                return op
            inside = next((n for n in self.ops if n.startswith(scope + "/")), None)
            if inside is not None:
                return self.ops[inside]
        return None


def _called_function(op: Any) -> str:
    name = op.get_attr("f").name
    return name.decode() if isinstance(name, bytes) else str(name)


def _layer_of(name: str) -> str:
    """The path of the layer: the op's scopes, without TensorFlow's own."""
    path = name.replace(_TAPE, "").split("/")[:-1]
    return "/".join(part for part in path if not part.startswith(_CALLS))


def _users_line(op: Any, layer: str) -> tuple[str, int, str] | None:
    """File, line and function. The innermost line of the user's, or the line where the layer was
    made if only Keras called it.
    """
    in_keras = False
    for frame in reversed(op.traceback or ()):
        file = frame.filename
        if torch_ops.is_user_code(file):
            made = _line_of_layer(layer) if in_keras else UserLine()
            if made.file:
                return made.file, made.line, made.function.rpartition(".")[2]
            return file, frame.lineno, frame.name
        in_keras = in_keras or bool(_KERAS.search(file))
    return None


def _line_of_layer(path: str) -> UserLine:
    layers = sys.modules.get("laptime.frameworks.keras.layers")
    if layers is None:
        return UserLine()
    for name in reversed(path.split("/")):
        line: UserLine = layers.line_of(name)
        if line.file:
            return line
    return UserLine()
