"""How the program built its tf.data pipelines, as properties of the process.

Each call of a dataset's method by the program is written when it is made. Calls that a package
makes of its own accord are left out. An error here is one named warning, and the program continues.
"""

from __future__ import annotations

import math
import sys
import weakref
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.python.data.ops.dataset_ops import DatasetV2

from laptime._native import Around, recording, torch_ops
from laptime.collect.machine import bfloat16_instructions, usable_cpus
from laptime.collect.patches import Patches
from laptime.collect.signal_handlers import raised_by_handler
from laptime.collect.user_line import UserLine, line_in

_METHODS = (
    "batch",
    "cache",
    "filter",
    "flat_map",
    "interleave",
    "map",
    "padded_batch",
    "prefetch",
    "repeat",
    "shuffle",
    "take",
    "unbatch",
)
_KEEP = ("cache", "map", "prefetch", "shuffle")  # as many elements as before
_GROUP = ("batch", "padded_batch")
_UNKNOWN = -2
_SOURCES = ("from_generator", "from_tensor_slices", "list_files")
_MOST = 64  # calls that are written
_PYTHON_OPS = ("PyFunc", "EagerPyFunc", "PyFuncStateless")
# They keep a state, and yet give the same elements in every epoch.
_REPEATABLE = ("Assert", "Print", "PrintV2", "ReadVariableOp", "ReadFile")


class Settings:
    def __init__(self) -> None:
        self._calls = 0
        self._depth = 0  # methods call each other
        self._numbers: dict[int, int] = {}  # by id of a dataset that such a call returned
        self._elements: dict[int, int] = {}  # the same: how many it has, where that is known

    def install(self, patches: Patches) -> None:
        recording.set_property("cpus", usable_cpus())
        if instructions := bfloat16_instructions():
            recording.set_property("tensorflow cpu_bfloat16", instructions)
        for name in (*_METHODS, *_SOURCES):
            patches.replace(DatasetV2, name, self._watch(name))

    def _watch(self, name: str) -> Callable[[Any], Any]:
        def ended(made_from: Any, result: Any, raised: type[BaseException] | None) -> None:
            self._depth -= 1
            if raised is None and self._depth == 0:
                self._carefully(name, made_from, result)

        def watched(method: Any) -> Any:
            if isinstance(method, staticmethod):
                return staticmethod(Around(method.__func__, self._began, ended))
            return Around(method, self._began, ended)

        return watched

    def _began(self, _: Any) -> None:
        self._depth += 1

    def _carefully(self, method: str, made_from: Any, result: Any) -> None:
        try:
            self._note(method, made_from, result)
        except Exception as error:
            if raised_by_handler(error):
                raise
            text = " ".join(str(error).split()) or type(error).__name__
            recording.warn(
                "tensorflow_settings", f"one of TensorFlow's settings cannot be read: {text}"
            )

    def _note(self, method: str, made_from: Any, dataset: Any) -> None:
        where = _line_of_program()
        if not where.file or self._calls == _MOST or not tf.executing_eagerly():
            return
        self._calls += 1
        self._numbers[id(dataset)] = self._calls
        weakref.finalize(dataset, self._forget, id(dataset)).atexit = False
        facts: dict[str, str | int] = {
            "method": method,
            "file": where.file,
            "line": where.line,
            "parallel": int("Parallel" in type(dataset).__name__),
            "elements": self._elements_of(method, made_from, dataset),
        }
        if (number := self._numbers.get(id(made_from))) is not None:
            facts["of"] = number
        if (size := _bytes_of(dataset.element_spec)) is not None:
            facts["bytes"] = size
        facts.update(_function_facts(dataset))
        for key, value in facts.items():
            recording.set_property(f"dataset {self._calls} {key}", value)

    def _forget(self, dataset: int) -> None:
        self._numbers.pop(dataset, None)
        self._elements.pop(dataset, None)

    def _elements_of(self, method: str, made_from: Any, dataset: Any) -> int:
        """How many elements the dataset has. -2: unknown, as in TensorFlow. TensorFlow's own way to
        find it runs an op, and so changes the numbers in the names of later functions.
        """
        before = self._elements.get(id(made_from), _UNKNOWN)
        found = _UNKNOWN
        if method == "from_tensor_slices":
            found = int(tf.nest.flatten(dataset._tensors)[0].shape[0])
        elif method in _KEEP:
            found = before
        elif method in _GROUP and before >= 0:
            size = int(dataset._batch_size.numpy())
            found = before // size if bool(dataset._drop_remainder.numpy()) else -(-before // size)
        if found >= 0:
            self._elements[id(dataset)] = found
        return found


def _line_of_program() -> UserLine:
    """Empty if a package other than TensorFlow calls the method."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if torch_ops.is_user_code(file):
            return line_in(frame.f_code, frame.f_lineno or 0)
        if "/tensorflow/python/" not in file and "/laptime/" not in file:
            break
        frame = frame.f_back  # type: ignore[assignment]
    return UserLine()


def _bytes_of(spec: Any) -> int | None:
    """Of an element. None if its shape is not known."""
    size = 0
    for tensor in tf.nest.flatten(spec):
        shape = getattr(tensor, "shape", None)
        if shape is None or not shape.is_fully_defined() or tensor.dtype.size == 0:
            return None
        size += math.prod(shape.as_list()) * tensor.dtype.size
    return size


def _function_facts(dataset: Any) -> dict[str, str | int]:
    """Whether the dataset's function calls Python, and whether it may give other elements in the
    next epoch.
    """
    function = getattr(getattr(dataset, "_map_func", None), "function", None)
    if function is None:
        return {}
    ops = function.graph.get_operations()
    python = any(op.type in _PYTHON_OPS for op in ops)
    random = any(op.op_def.is_stateful and op.type not in _REPEATABLE for op in ops)
    return {"python": int(python), "random": int(random)}
