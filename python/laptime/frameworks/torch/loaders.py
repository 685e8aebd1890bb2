"""The loaders that batches come from."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from itertools import count
from typing import Any


class LoaderNumbers:
    """Gives each loader a number, the same for all its iterators, and reports when an iterator
    ends.

    Assumption: the sampler lives as long as the loader and belongs to it alone.
    """

    def __init__(self, ended: Callable[[int, int], None]) -> None:
        """``ended``: called with the id of an iterator and the number of its loader."""
        self._ended = ended
        self._next = count(1)
        self._loaders: dict[int, tuple[int, Any]] = {}  # by id of the sampler
        self._watched: dict[int, Any] = {}

    def add(self, iterator: Any) -> int:
        """The number of the loader of a new iterator."""
        number = self._number_of(getattr(iterator, "_index_sampler", iterator))
        key = id(iterator)

        def forget(_: object) -> None:
            del self._watched[key]
            self._ended(key, number)

        self._watched[key] = weakref.ref(iterator, forget)
        return number

    def _number_of(self, sampler: Any) -> int:
        key = id(sampler)
        if key not in self._loaders:
            self._loaders[key] = next(self._next), self._watch(sampler, key)
        return self._loaders[key][0]

    def _watch(self, sampler: Any, key: int) -> Any:
        try:
            return weakref.ref(sampler, lambda _: self._loaders.pop(key, None))
        except TypeError:  # a list, for example: kept, so that no other sampler gets its address
            return sampler
