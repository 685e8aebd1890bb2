"""The batches of an epoch: how many Keras executes at once, and how many samples each has."""

from __future__ import annotations

from typing import Any


class Batches:
    def __init__(self, source: Any) -> None:
        """``source``: the ``EpochIterator``."""
        self.at_once = max(1, int(getattr(source, "steps_per_execution", 1)))
        adapter = getattr(source, "data_adapter", None)
        self._size = _number(adapter, "batch_size")
        # All batches of the epoch. 0: unknown
        self._count = _number(source, "steps_per_epoch") or _number(source, "num_batches")
        self._last = _number(adapter, "partial_batch_size") or self._size
        self._has_partial = self._last != self._size and not _number(source, "steps_per_epoch")
        self._executed = 0

    def next_is_last(self) -> bool:
        """Whether the next execution is known to be the epoch's last one."""
        return 0 < self._count <= self._executed + self.at_once

    def execute(self, requested: int) -> list[int]:
        """The samples of each batch of the next execution. 0: unknown.

        ``requested``: how many batches it requested; 0: unknown.
        """
        left = self._count - self._executed if self._count else requested or self.at_once
        batches = min(self.at_once, max(1, left))
        samples = [self._size] * batches
        self._executed += batches
        if self._has_partial and self._executed == self._count:
            samples[-1] = self._last
        return samples


def _number(owner: Any, name: str) -> int:
    """0: unknown. Adapters raise for what they do not know."""
    try:
        return int(getattr(owner, name, None) or 0)
    except Exception:
        return 0
