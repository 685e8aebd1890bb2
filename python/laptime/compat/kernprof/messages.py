"""kernprof's reports on its own work: plain lines at level 0, dated lines with diagnostics.

Level 2, or ``LINE_PROFILER_DEBUG=1`` in the environment, enables diagnostics.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

_DIAGNOSTICS = 2


class Messages:
    def __init__(self, verbosity: int, debug: bool = False) -> None:
        self._shown = verbosity > -1
        self.diagnostics = debug or verbosity >= _DIAGNOSTICS

    def info(self, text: str) -> None:
        if self.diagnostics:
            self._dated("INFO", text)
        elif self._shown:
            print(text)

    def debug(self, text: str) -> None:
        if self.diagnostics:
            self._dated("DEBUG", text)

    def calling(self, name: str, *arguments: Any, **options: Any) -> None:
        """Reports the next call with its arguments."""
        if self.diagnostics:
            words = [*map(repr, arguments), *(f"{key}={value!r}" for key, value in options.items())]
            self.debug(
                f"Calling: {name}(" + "".join(f"\n    {word}," for word in words).rstrip(",") + ")"
            )

    def _dated(self, level: str, text: str) -> None:
        now = datetime.now().isoformat(sep=" ", timespec="milliseconds").replace(".", ",")
        print(f"[kernprof {now} {level}] {text}")
