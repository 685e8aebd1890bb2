"""Tracings of tf.functions: one span each, with what made TensorFlow trace again.

Contract: nothing happens in steps that trace nothing.
"""

from __future__ import annotations

import re
import weakref
from typing import Any

from tensorflow.python.eager.polymorphic_function import tracing_compilation

from laptime._native import recording
from laptime.collect.patches import Patches
from laptime.collect.user_line import user_line

_DERIVED = (
    re.compile(r"__forward_(.+)_(\d+)"),
    re.compile(r"__inference___backward_(.+)_\d+_(\d+)"),
)
_OF_DATASETS = ("__inference_Dataset", "__inference_generator_next_fn")
_LONGEST = 300  # characters of a reason
_MOST_TYPES = 64  # of a function, that a new one is compared with


class TracedFunctions:
    """The graphs of traced functions, by the name that TensorFlow's profiler shows."""

    def __init__(self) -> None:
        self._functions: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()

    def add(self, function: Any) -> None:
        self._functions[_text(function.name)] = function

    def graph_of(self, name: str) -> Any:
        """None if the function no longer exists.

        Of ``__forward_f_8`` and ``__inference___backward_f_6_9``, which run under a tape, it is the
        graph of ``__inference_f_5``: the newest of this name before them.
        """
        function = self._functions.get(name)
        if function is None:
            derived = next(filter(None, (form.fullmatch(name) for form in _DERIVED)), None)
            function = self._newest(derived[1], int(derived[2])) if derived else None
        return None if function is None else function.graph

    def _newest(self, function: str, before: int) -> Any:
        prefix = f"__inference_{function}_"
        numbers = [
            int(rest)
            for name in self._functions
            if (rest := name.removeprefix(prefix)).isdecimal() and int(rest) < before
        ]
        return self._functions.get(f"{prefix}{max(numbers)}") if numbers else None

    def of_datasets(self) -> list[str]:
        """The names of functions that the program gave to tf.data."""
        return [name for name in self._functions if name.startswith(_OF_DATASETS)]


def install(patches: Patches, functions: TracedFunctions) -> None:
    tracings = _Tracings(functions)
    patches.around(
        tracing_compilation,
        "_create_concrete_function",
        before=tracings.began,
        after=tracings.ended,
    )


class _Tracings:
    def __init__(self, functions: TracedFunctions) -> None:
        self._functions = functions
        self._starts: list[int] = []  # of nested tracings
        self._types: dict[tuple[str, ...], list[Any]] = {}

    def began(self, _: Any) -> None:
        self._starts.append(recording.now())

    def ended(self, kind: Any, function: Any, raised: type[BaseException] | None) -> None:
        start = self._starts.pop()
        if raised is not None:
            return
        self._functions.add(function)
        name = str(function.graph.name)
        strings = {"function": name}
        if reason := self._reason(name, kind):
            strings["reason"] = reason[:_LONGEST]
        title = "tf.function retracing" if reason else "tf.function tracing"
        where = user_line()
        recording.put_event(
            title, recording.COMPILE, start, where.file, where.line, where.function, strings
        )

    def _reason(self, name: str, kind: Any) -> str:
        """How the arguments differ from those of the most similar earlier tracing."""
        parameters = dict(kind.parameters)
        earlier = self._types.setdefault((name, *parameters), [])
        differences = [_differences(known, parameters) for known in earlier]
        if len(earlier) < _MOST_TYPES:
            earlier.append(parameters)
        if not differences:
            return ""
        fewest = min(differences, key=len)
        if any(text.startswith("self ") for text in fewest):
            return ""  # the same method of another object is another function
        return ", ".join(fewest) or "a captured value or the device changed"


def _differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [
        f"{name} was {_describe(before[name])}, is {_describe(parameter)}"
        for name, parameter in after.items()
        if before[name].type_constraint != parameter.type_constraint
    ]


def _describe(parameter: Any) -> str:
    kind = parameter.type_constraint
    if hasattr(kind, "shape") and hasattr(kind, "dtype"):
        return f"{kind.dtype.name}{_shape(kind.shape)}"
    if hasattr(kind, "value"):
        return f"the Python value {kind.value!r}"
    return " ".join(str(kind).split())


def _shape(shape: Any) -> str:
    return "[?]" if shape.rank is None else str(list(shape.as_list()))


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)
