"""The light hooks on TensorFlow, which are on in every step: requested batches, calls of
tf.functions, gradients of tapes.

Methods get a wrapper without a Python frame (``Around``). So tracebacks stay the program's own.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import tensorflow as tf
from tensorflow.python.data.ops.iterator_ops import OwnedIterator
from tensorflow.python.eager.polymorphic_function.polymorphic_function import Function

from laptime._native import recording, tensorflow_steps
from laptime.collect.patches import Patches


def install_hooks(steps: tensorflow_steps.StepHooks, patches: Patches, input_hooked: bool) -> None:
    """``input_hooked``: waits for input are recorded where TensorFlow's runtime makes them."""
    patches.around(
        OwnedIterator,
        "__next__",
        before=steps.batch_requested,
        after=steps.batch_received,
        span="" if input_hooked else "input",
        kind=recording.LOADER,
        end_span="" if input_hooked else "input end",
    )
    patches.around(Function, "__call__", before=steps.function_began, after=steps.function_ended)
    patches.around(
        tf.GradientTape, "gradient", before=steps.gradient_began, after=steps.gradient_ended
    )


def install_optimizer_hooks(
    optimizer: type, steps: tensorflow_steps.StepHooks, patches: Patches
) -> None:
    """``optimizer``: the base class of Keras's optimizers."""
    patches.around(optimizer, "__init__", after=lambda *_: steps.optimizer_made())
    patches.around(optimizer, "apply", before=steps.optimizer_began, after=steps.optimizer_stepped)


class Functions:
    """What tf.functions are called, and whether they train."""

    def __init__(self, dropped: Callable[[int], None]) -> None:
        """``dropped``: called with the address of a function that no longer exists."""
        self._dropped = dropped
        self._watched: dict[int, Any] = {}

    def name_of(self, function: Any) -> tuple[str, bool]:
        """Its name, and whether it computes gradients by a tape. This is known of functions that
        were traced before. A tracing from now on is seen by itself.
        """
        address = id(function)

        def forget(_: object) -> None:
            del self._watched[address]
            self._dropped(address)

        self._watched[address] = weakref.ref(function, forget)
        return str(getattr(function, "_name", None) or "tf.function"), _computes_gradients(function)


def _computes_gradients(function: Any) -> bool:
    try:
        traced = function._list_all_concrete_functions()
        return any(
            "gradient_tape/" in op.name for one in traced for op in one.graph.get_operations()
        )
    except Exception:  # another version
        return False


class Datasets:
    """Gives each dataset a number, the same for all its iterators, and reports when an iterator
    ends.
    """

    def __init__(self, ended: Callable[[int], None]) -> None:
        """``ended``: called with the address of an iterator that no longer exists."""
        self._ended = ended
        self._numbers: dict[int, int] = {}
        self._watched: dict[int, Any] = {}
        self._next = 0

    def add(self, iterator: Any) -> int:
        """The number of the dataset of a new iterator."""
        address = id(iterator)

        def forget(_: object) -> None:
            del self._watched[address]
            self._ended(address)

        self._watched[address] = weakref.ref(iterator, forget)
        return self._number_of(getattr(iterator, "_dataset", iterator))

    def _number_of(self, dataset: Any) -> int:
        key = id(dataset)
        if key not in self._numbers:
            self._next += 1
            self._numbers[key] = self._next
            weakref.finalize(dataset, self._numbers.pop, key, None).atexit = False
        return self._numbers[key]
