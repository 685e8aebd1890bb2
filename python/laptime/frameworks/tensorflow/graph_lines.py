"""The lines and layers that the ops of traced functions come from.

Every op of a traced function keeps the Python stack of its making, and TensorFlow's profiler shows
each op by its name. ``graph_ops`` finds the op, and ``layer_lines`` chooses a line of its stack. A
gradient has the line of its forward op.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from laptime.collect.source_functions import SourceFunctions
from laptime.collect.user_line import UserLine
from laptime.frameworks.tensorflow.graph_ops import GraphOps, is_gradient
from laptime.frameworks.tensorflow.layer_lines import innermost_line, layer_path
from laptime.frameworks.tensorflow.tracing import TracedFunctions
from laptime.frameworks.tensorflow.xla_ops import XlaOps, function_of

CallSite = tuple[int, bool]  # its number (0: unknown), whether the op is of the backward pass

_UNKNOWN: CallSite = (0, False)
_DATASETS = "tf.data"  # stands for the function that a stage of tf.data runs


class GraphLines:
    def __init__(self, functions: TracedFunctions) -> None:
        self._functions = functions
        self._lines = SourceFunctions()
        self._graphs: dict[str, GraphOps] = {}
        self._xla = XlaOps()

    def begin_profile(self, profile: bytes) -> None:
        """The ops that are asked for are those of this XSpace, until ``end_profile``."""
        self._xla.profile = profile

    def end_profile(self) -> None:
        self._xla.profile = b""

    def call_sites(self, function: str, ops: list[str]) -> list[CallSite]:
        """Of the ops with these full names, in the function with this name."""
        if function == _DATASETS:
            return [self._call_site_in_dataset(op) for op in ops]
        if compiled := function_of(function):
            ops = [self._xla.op_of(function, instruction) for instruction in ops]
            function = compiled
        graph = self._graph(function)
        return [self._call_site(graph, op) if graph else _UNKNOWN for op in ops]

    def _graph(self, function: str) -> GraphOps | None:
        known = self._graphs.get(function)
        if known is None and (found := self._functions.graph_of(function)) is not None:
            known = self._graphs[function] = GraphOps(found, self._functions)
        return known

    def _call_site(self, graph: GraphOps, name: str) -> CallSite:
        is_backward = is_gradient(name)
        op = graph.find(name) if name else None
        if op is None:
            return 0, is_backward
        # The op's own name has the layer's scopes, without those of the calls around it.
        layer = _layer_of(op.name)
        line = innermost_line(_frames(op), layer)
        if line.file and not line.function_line:
            line = self._complete(line)
        return line.call_site(layer), is_backward

    def _call_site_in_dataset(self, name: str) -> CallSite:
        """The profile does not name the function of a dataset that ran the op. So the name leads to
        a line only if the op has the same one in all of them.
        """
        graphs = map(self._graph, self._functions.of_datasets())
        found = {self._call_site(graph, name) for graph in graphs if graph and name in graph.ops}
        return found.pop() if len(found) == 1 else _UNKNOWN

    def _complete(self, line: UserLine) -> UserLine:
        """With the function as its code object names it."""
        name, first = self._lines.find(line.file, line.line, line.function)
        return line._replace(function=name, function_line=first)


def _layer_of(op: str) -> str:
    """The path of the layer, by the op's scopes without TensorFlow's own."""
    scopes = op.replace("gradient_tape/", "").rpartition("/")[0]
    return layer_path(scopes, in_graph=True)


def _frames(op: Any) -> Iterator[tuple[str, str, UserLine]]:
    for frame in reversed(op.traceback or ()):
        yield frame.filename, frame.name, UserLine(frame.filename, frame.lineno, frame.name)
