"""Tracings of tf.functions: one span each, with what made TensorFlow trace again.

Contract: nothing happens in steps that trace nothing.
"""

from __future__ import annotations

import re
import sys
import weakref
from collections import OrderedDict
from typing import Any, NamedTuple

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
_MOST_FUNCTIONS = 1024  # whose arguments are remembered
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


class _Tracing(NamedTuple):
    """One that has begun."""

    start: int
    options: Any  # TensorFlow's, which belong to one tf.function; None: unknown


class _Tracings:
    def __init__(self, functions: TracedFunctions) -> None:
        self._functions = functions
        self._open: list[_Tracing] = []  # nested
        # By the address of a tf.function's cache, and its name: the arguments of its tracings.
        self._types: OrderedDict[tuple[int, str], list[dict[str, Any]]] = OrderedDict()

    def began(self, _: Any) -> None:
        caller = sys._getframe(1)  # TensorFlow's: this is called without a frame in between
        self._open.append(_Tracing(recording.now(), caller.f_locals.get("tracing_options")))

    def ended(self, kind: Any, function: Any, raised: type[BaseException] | None) -> None:
        tracing = self._open.pop()
        if raised is not None:
            return
        self._functions.add(function)
        strings = {"function": str(function.graph.name)}
        if reason := self._reason(tracing.options, strings["function"], dict(kind.parameters)):
            strings["reason"] = reason[:_LONGEST]
        title = "tf.function retracing" if reason else "tf.function tracing"
        where = user_line()
        recording.put_event(
            title,
            recording.COMPILE,
            tracing.start,
            where.file,
            where.line,
            where.function,
            strings,
        )

    def _reason(self, options: Any, name: str, parameters: dict[str, Any]) -> str:
        """How the arguments differ from those of the most similar earlier tracing. Empty if they do
        not: TensorFlow also traces again where a function creates variables, or in another graph.
        """
        cache = getattr(options, "function_cache", None)
        if cache is None:
            return ""
        earlier = self._types.setdefault((id(cache), name), [])
        if len(self._types) > _MOST_FUNCTIONS:
            self._types.popitem(last=False)
        differences = [_differences(known, parameters) for known in earlier]
        if len(earlier) < _MOST_TYPES:
            earlier.append(parameters)
        if not differences:
            return ""
        fewest = min(differences, key=len)
        if any(text.startswith("self ") for text in fewest):
            return ""  # the same method of another object is another function
        return ", ".join(fewest)


def _differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [
        f"{name} was {_describe(before[name])}, is {_describe(parameter)}"
        for name, parameter in after.items()
        if name in before and before[name].type_constraint != parameter.type_constraint
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
