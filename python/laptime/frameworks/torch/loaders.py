"""The loaders that batches come from."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from itertools import count
from typing import Any


class LoaderNumbers:
    """A number for each loader, the same for all its iterators, and word of the iterators that are
    gone.

    Assumption: the sampler lives as long as the loader and is the loader's own.
    """

    def __init__(self, gone: Callable[[int, int], None]) -> None:
        """``gone``: told the id of an iterator and the number of its loader."""
        self._gone = gone
        self._next = count(1)
        self._loaders: dict[int, tuple[int, Any]] = {}  # by id of the sampler
        self._watched: dict[int, Any] = {}

    def add(self, iterator: Any) -> int:
        """The number of an iterator that is new."""
        number = self._number_of(getattr(iterator, "_index_sampler", iterator))
        key = id(iterator)

        def forget(_: object) -> None:
            del self._watched[key]
            self._gone(key, number)

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
        except TypeError:  # a list, say: kept, so that no other sampler gets its address
            return sampler
