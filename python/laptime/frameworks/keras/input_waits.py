"""Waits for input of Keras on JAX, where Keras itself takes the batches from a Python iterator.

On TensorFlow and torch these frameworks' own hooks record the waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from keras.src import backend

from laptime._native import Around, recording


def install() -> None:
    """Stays for the rest of the process."""
    if backend.backend() != "jax":
        return
    from keras.src.backend.jax.trainer import JAXEpochIterator

    original = JAXEpochIterator._get_iterator

    def get_iterator(self: Any) -> Iterator[Any]:
        return _timed(iter(original(self)))

    JAXEpochIterator._get_iterator = get_iterator


class _Never:
    """Equal to nothing, not even to an array."""

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


def _timed(batches: Iterator[Any]) -> Iterator[Any]:
    """The same batches. There is no Python frame around a request, as tracebacks show."""
    request = Around(batches.__next__, None, None, "input", recording.LOADER, "input end")
    return iter(request, _Never())
