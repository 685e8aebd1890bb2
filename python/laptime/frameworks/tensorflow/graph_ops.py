"""Finds the op of a traced function that an op in TensorFlow's profile comes from.

The profile names ops of called functions by the ops around them. Here ``/`` separates names:

- ``StatefulPartitionedCall/dense/MatMul`` is the op ``dense/MatMul`` of the function that the op
  ``StatefulPartitionedCall`` calls.
- ``while/body/_8/while/Tanh`` is the op ``while/Tanh`` of the body of the loop ``while``.
- ``gradient_tape/dense/MatMul/MatMul_1`` is the gradient of ``dense/MatMul``.
- In the gradient of a called function, ``gradients/dense/MatMul_grad/MatMul`` is that of
  ``dense/MatMul``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from laptime.frameworks.tensorflow.tracing import TracedFunctions

_TAPE, _GRADIENTS = "gradient_tape/", "gradients/"
_DEEPEST = 8  # nested calls of functions
_IN_BRANCH = re.compile(r"(\w+)/_\d+/")
_CALLS = ("StatefulPartitionedCall", "PartitionedCall")
_NO_FORWARD = ("Const", "Placeholder", "ReadVariableOp", "Shape")  # inputs of any op
_BRANCHES = {  # the attribute with the function
    "While": {"body": "body", "cond": "cond"},
    "If": {"then": "then_branch", "else": "else_branch"},
}


def is_gradient(name: str) -> bool:
    return _TAPE in name or _GRADIENTS in name


class GraphOps:
    """The ops of a graph by their names in the profile."""

    def __init__(self, graph: Any, functions: TracedFunctions) -> None:
        self.ops = {op.name: op for op in graph.get_operations()}
        self._graph = graph
        self._functions = functions
        self._calls = [op for op in self.ops.values() if _branches_of(op)]
        self._calls.sort(key=lambda op: len(op.name), reverse=True)
        self._inner: dict[str, GraphOps | None] = {}  # by function

    def find(self, name: str, depth: int = 0) -> Any:
        """The op, of a gradient its forward op. Of an op that TensorFlow's optimizer of graphs has
        made, the nearest one around it. None if there is none.
        """
        op = self._forward_of(name) or self.ops.get(name)
        if op is None and depth < _DEEPEST:
            op = self._find_in_calls(name, depth)
        return op if op is not None else self._nearest(name)

    def _find_in_calls(self, name: str, depth: int) -> Any:
        for call in self._calls:
            if not name.startswith(call.name + "/"):
                continue
            branch, rest = _split_branch(call, name[len(call.name) + 1 :])
            if is_gradient(name):
                for graph in self._forward_graphs(call):
                    if (op := graph._forward_of(rest)) is not None:
                        return op
            inner = self._called(call, branch)
            op = inner.find(rest, depth + 1) if inner else None
            return op if op is not None else call
        return None

    def _forward_of(self, name: str) -> Any:
        """The op whose gradient the op ``name`` computes. None: it is no gradient."""
        before, tape, path = name.rpartition(_TAPE)
        while tape and "/" in path:
            path = path.rpartition("/")[0]
            if (op := self.ops.get(before + path)) is not None:
                return op
        _, gradients, path = name.rpartition(_GRADIENTS)
        while gradients and path:
            path = path.rpartition("_grad")[0]
            if (op := self.ops.get(path)) is not None:
                return op
        return self._forward_input(name) if tape else None

    def _forward_input(self, name: str) -> Any:
        """A gradient is often computed from what its forward op computed."""
        op = self.ops.get(name)
        for tensor in op.inputs if op is not None else ():
            if not is_gradient(tensor.op.name) and tensor.op.type not in _NO_FORWARD:
                return tensor.op
        return None

    def _forward_graphs(self, call: Any) -> Iterator[GraphOps]:
        """The graphs whose gradients the called function computes."""
        forward = self._forward_of(call.name)
        if forward is not None:
            for branch in _branches_of(forward):
                if (graph := self._called(forward, branch)) is not None:
                    yield graph
        elif "" in _branches_of(call):
            graph = self._functions.graph_of(_called_function(call, ""))
            if graph is not None:
                yield GraphOps(graph, self._functions)

    def _called(self, call: Any, branch: str) -> GraphOps | None:
        name = _called_function(call, branch)
        if name not in self._inner:
            known = self._graph._get_function(name) if name else None
            graph = getattr(known, "graph", None) or self._functions.graph_of(name)
            self._inner[name] = GraphOps(graph, self._functions) if graph is not None else None
        return self._inner[name]

    def _nearest(self, name: str) -> Any:
        """The first op in the innermost scope around the name."""
        scope = name
        while "/" in scope:
            scope = scope.rpartition("/")[0]
            if (op := self.ops.get(scope)) is not None:
                return op
            inside = next((n for n in self.ops if n.startswith(scope + "/")), None)
            if inside is not None:
                return self.ops[inside]
        return None


def _branches_of(op: Any) -> dict[str, str]:
    """By name in the profile, the op's attributes that are functions. Empty: it calls none."""
    if op.type in _CALLS:
        return {"": "f"}
    return _BRANCHES.get(op.type.removeprefix("Stateless"), {})


def _split_branch(call: Any, rest: str) -> tuple[str, str]:
    """The branch, and the name within its function."""
    if call.type in _CALLS:
        return "", rest
    match = _IN_BRANCH.match(rest)
    return (match[1], rest[match.end() :]) if match else ("", rest)


def _called_function(op: Any, branch: str) -> str:
    attribute = _branches_of(op).get(branch)
    name = op.get_attr(attribute).name if attribute else ""
    return name.decode() if isinstance(name, bytes) else str(name)
