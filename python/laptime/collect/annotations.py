"""An annotation of a framework's profiler in a run: with a step's number a step, else a scope."""

from __future__ import annotations

from laptime._native import recording
from laptime.collect import marks

_has_begun = False  # whether an annotated step has begun in this process


# As for imported xplanes (src/import/xplane/event_kind.cpp).
_PHASES = {
    "train": ("train",),
    "validation": ("eval", "valid", "test"),
    "inference": ("predict", "infer"),
}


def phase_of(name: str) -> str:
    """The phase of a step by its annotation: train if the name does not say."""
    text = name.lower()
    return next(
        (phase for phase, words in _PHASES.items() if any(word in text for word in words)), "train"
    )


class Annotation:
    """Costs one call each while nothing records.

    A step lasts from the end of the step before to its own end, as with ``laptime.step()``. So
    fetching data between annotations belongs to the step. The first step begins with its
    annotation.
    """

    __slots__ = ("_is_step", "_name", "_scope")

    def __init__(self, name: str, is_step: bool) -> None:
        self._name = name
        self._is_step = is_step
        self._scope: recording.Scope | None = None

    def begin(self) -> None:
        global _has_begun
        if not recording.on():
            return
        if not self._is_step:
            self._scope = recording.Scope(self._name)
            self._scope.begin()
        elif not _has_begun:
            _has_begun = True
            recording.begin_step()

    def end(self, raised: type[BaseException] | None) -> None:
        """A step that an exception ended is not marked."""
        if self._scope is not None:
            self._scope.end()
            self._scope = None
        elif self._is_step and raised is None and recording.on():
            marks.mark_step(0)
