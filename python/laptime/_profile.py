"""``laptime.profile``: a recording if it is called with a path. Around a function it is
line_profiler's decorator that stays in the code.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, TypeVar, overload

from laptime._recording import DEFAULT_BUDGET, Recording
from laptime.compat.line_profiler.explicit import GlobalProfiler

Decorated = TypeVar("Decorated")


class Profile(GlobalProfiler):
    @overload
    def __call__(
        self,
        target: str | os.PathLike[str],
        *,
        lines: bool = True,
        functions: bool = False,
        budget: float | None = DEFAULT_BUDGET,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        ops: bool = True,
        shapes: bool = False,
        memory: bool = False,
        gpu: bool = True,
        source: bool = True,
    ) -> Recording: ...
    @overload
    def __call__(self, target: Decorated) -> Decorated: ...
    def __call__(self, target: Any, **options: Any) -> Any:
        """``with profile("run.lap"):`` records the block. ``@profile`` times a function's lines if
        line profiling is on.
        """
        if isinstance(target, (str, os.PathLike)):
            return Recording(target, **options)
        if options:
            raise TypeError(
                f"profile takes {', '.join(options)} with the path of a recording, not around a"
                " function"
            )
        return super().__call__(target)


profile = Profile()
