"""Replaces methods and functions of other packages while something is measured, and restores them
afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from laptime._native import Around


class Patches:
    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def replace(self, owner: type | ModuleType, name: str, make: Callable[[Any], Any]) -> None:
        """Replaces the method or function by ``make(original)``."""
        original = owner.__dict__[name]
        ours = make(original)
        setattr(owner, name, ours)

        def undo() -> None:
            if owner.__dict__.get(name) is ours:  # otherwise another tool has replaced it since
                setattr(owner, name, original)

        self._undo.append(undo)

    def around(
        self,
        owner: type | ModuleType,
        name: str,
        *,
        before: Callable[[Any], object] | None = None,
        after: Callable[..., object] | None = None,
        span: str = "",
        kind: int = 0,
        end_span: str = "",
    ) -> None:
        self.replace(
            owner, name, lambda original: Around(original, before, after, span, kind, end_span)
        )

    def add_undo(self, undo: Callable[[], None]) -> None:
        self._undo.append(undo)

    def remove(self) -> None:
        while self._undo:
            self._undo.pop()()
