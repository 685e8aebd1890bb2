"""The option ``profile_batch``: which batches of a training are profiled."""

from __future__ import annotations

from typing import NamedTuple


class BatchRange(NamedTuple):
    """Both are profiled. Counted from 1 over all epochs of a ``fit``. (0, 0): none."""

    first: int
    last: int


def batch_range(profile_batch: object) -> BatchRange:
    """Accepts what Keras accepts: 5, (2, 20), "5", "2,20". Raises Keras's ValueError."""
    parts: object = profile_batch
    if isinstance(parts, str):
        numbers = [int(part) for part in parts.split(",")]
        parts = numbers[0] if len(numbers) == 1 else numbers
    if isinstance(parts, int):
        parts = (parts, parts)
    if isinstance(parts, (tuple, list)) and len(parts) == 2:
        found = BatchRange(*parts)
        if 0 <= found.first <= found.last:
            return found
    raise ValueError(
        "profile_batch must be a non-negative integer or 2-tuple of positive integers. A pair of"
        f" positive integers signifies a range of batches to profile. Found: {profile_batch}"
    )
