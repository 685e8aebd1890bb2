"""A curve of the bytes that live JAX arrays hold. Imports jax.

On a CPU XLA reports no statistics of its own.
"""

from __future__ import annotations

from jax.extend.backend import get_backend

from laptime._native import recording

_NAME = "jax live bytes"
_MOST_ARRAYS = 20_000  # about 10 ms


def put_live_bytes() -> None:
    """Takes about 0.5 µs an array. Nothing is recorded if there are very many."""
    arrays = get_backend().live_arrays()
    if len(arrays) <= _MOST_ARRAYS:
        recording.value(_NAME, sum(array.nbytes for array in arrays))
