"""Batches and the loaders they come from."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

_DEEPEST = 3


def samples_in(batch: Any) -> int:
    """How many samples a batch holds: the first dimension of its first tensor. 0: there is none."""
    for _ in range(_DEEPEST + 1):
        if isinstance(batch, (list, tuple)):
            batch = batch[0] if batch else None
            continue
        shape = getattr(batch, "shape", None)
        if isinstance(shape, tuple):  # torch.Size is one
            return int(shape[0]) if shape else 0
        if not isinstance(batch, Mapping):
            return 0
        batch = next(iter(batch.values()), None)
    return 0


class LoaderNumbers:
    """A number for each loader, the same for all its iterators, and word of the iterators that are gone.

    Assumption: the sampler lives as long as the loader and is the loader's own.
    """

    def __init__(self, gone: Callable[[int], None]) -> None:
        self._gone = gone
        self._next = count(1)
        self._loaders: dict[int, tuple[int, Any]] = {}  # by id of the sampler
        self._watched: dict[int, Any] = {}
        self.numbers: dict[int, int] = {}  # by id of the iterator: of those that live

    def of(self, iterator: Any) -> int:
        return self.numbers.get(id(iterator)) or self.add(iterator)

    def add(self, iterator: Any) -> int:
        """The number of an iterator that is not among ``numbers`` yet."""
        number = self._number_of(getattr(iterator, "_index_sampler", iterator))
        key = id(iterator)

        def forget(_: object) -> None:
            del self.numbers[key], self._watched[key]
            self._gone(number)

        self.numbers[key], self._watched[key] = number, weakref.ref(iterator, forget)
        return number

    def _number_of(self, sampler: Any) -> int:
        key = id(sampler)
        if key not in self._loaders:
            self._loaders[key] = next(self._next), self._watch(sampler, key)
        return self._loaders[key][0]

    def _watch(self, sampler: Any, key: int) -> Any:
        try:
            return weakref.ref(sampler, lambda _: self._loaders.pop(key, None))
        except TypeError:  # a list, say: kept, so that no other sampler gets its address
            return sampler
