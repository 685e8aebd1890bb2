"""Annotations for JAX's profile and for laptime's run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import TracebackType
from typing import Any

from jax._src import profiler

from laptime.collect.annotations import Annotation

# Not replacements that install() put into jax.profiler.
ORIGINALS = {
    name: getattr(profiler, name)
    for name in ("TraceAnnotation", "StepTraceAnnotation", "annotate_function")
}


class TraceAnnotation(profiler.TraceAnnotation):
    """jax.profiler.TraceAnnotation. In a run of laptime it is a scope."""

    _is_step = False

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name, **kwargs)
        self._annotation = Annotation(name, self._is_step)

    def __enter__(self) -> TraceAnnotation:
        self._annotation.begin()
        super().__enter__()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> None:
        super().__exit__(exc_type, exc_val, exc_tb)
        self._annotation.end(exc_type)


class StepTraceAnnotation(TraceAnnotation):
    """jax.profiler.StepTraceAnnotation. In a run of laptime it is a step."""

    _is_step = True
    __signature__ = inspect.signature(ORIGINALS["StepTraceAnnotation"])

    def __init__(self, name: str, **kwargs: Any) -> None:
        super().__init__(name, _r=1, **kwargs)


@functools.wraps(profiler.annotate_function)
def annotate_function(
    func: Callable[..., Any], name: str | None = None, **decorator_kwargs: Any
) -> Callable[..., Any]:
    label = name or getattr(func, "__qualname__", None) or func.__name__

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with TraceAnnotation(label, **decorator_kwargs):
            return func(*args, **kwargs)

    return wrapper
