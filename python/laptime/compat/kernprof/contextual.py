"""cProfile's profiler as kernprof offers it to programs: enabled by count, as a decorator, or as a
context manager.
"""

from __future__ import annotations

import marshal
import os
from typing import Any

from laptime.compat.cprofile import Profile
from laptime.compat.line_profiler.counted import CountedProfiler


class ContextualProfile(CountedProfiler, Profile):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        Profile.__init__(self, *args, **kwargs)
        self.enable_count = 0

    def __call__(self, func: Any) -> Any:
        return self.wrap_callable(func)

    def enable_by_count(self, subcalls: bool = True, builtins: bool = True) -> None:
        if self.enable_count == 0:
            self.enable(subcalls=subcalls, builtins=builtins)
        self.enable_count += 1

    def disable_by_count(self) -> None:
        if self.enable_count > 0:
            self.enable_count -= 1
            if self.enable_count == 0:
                self.disable()

    def dump_snapshot(self, file: str | os.PathLike[str]) -> None:
        """The counts so far; profiling continues. ``dump_stats`` ends it."""
        self.snapshot_stats()
        with open(file, "wb") as out:
            marshal.dump(self.stats, out)
