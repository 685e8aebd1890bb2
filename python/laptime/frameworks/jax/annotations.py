"""Steps that the program marks by ``jax.profiler.StepTraceAnnotation``. Imports jax.

An annotated step is what runs inside the ``with``, as in JAX's own profiler. The time between two
of them belongs to no step.
"""

from __future__ import annotations

import functools
from typing import Any

from jax._src import profiler

from laptime._native import Around, jax_calls
from laptime.collect.annotations import phase_of
from laptime.collect.patches import Patches

_PHASE = "_laptime_phase"


def watch_annotations(calls: jax_calls.CallHooks, patches: Patches) -> None:
    annotation = profiler.StepTraceAnnotation
    patches.replace(annotation, "__init__", _remembering_phase)

    def ended(first: Any, *_: object) -> None:
        calls.annotation_ended(getattr(first, _PHASE, "train"))

    _add(annotation, "__enter__", patches, before=lambda _: calls.annotation_began())
    _add(annotation, "__exit__", patches, after=ended)


def _remembering_phase(original: Any) -> Any:
    @functools.wraps(original)
    def __init__(self: Any, name: str, **kwargs: Any) -> None:
        original(self, name, **kwargs)
        setattr(self, _PHASE, phase_of(str(name)))

    return __init__


def _add(owner: Any, name: str, patches: Patches, **hooks: Any) -> None:
    """Wraps an inherited method."""
    if name in owner.__dict__:
        patches.around(owner, name, **hooks)
        return
    setattr(owner, name, Around(getattr(owner, name), **hooks))
    patches.add_undo(lambda: delattr(owner, name))
