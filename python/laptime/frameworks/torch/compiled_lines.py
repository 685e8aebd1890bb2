"""Reports to the recorder, once for each module that torch.compile generates, which lines it comes
from.

Inductor generates modules or takes them from its cache. For each part of a module it keeps the
stack trace of the last graph node behind that part. Ops that run from the module, forward or
backward, get that line. A kernel that was fused from several lines gets the last of them. Without
such a trace, ops get the line that called the compiled code.

Contract: nothing happens except at the end of a compilation.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

from laptime._native import torch_ops
from laptime.collect.source_functions import SourceFunctions

_FRAME = re.compile(r'File "(.+)", line (\d+), in (.+)')
_NOWHERE = ("", "", 0, 0)

Source = tuple[str, str, int, int]  # file, function, its first line, line


class CompiledLines:
    def __init__(self) -> None:
        self._reported: set[str] = set()
        self._functions = SourceFunctions()

    def report_new(self) -> None:
        cache = getattr(sys.modules.get("torch._inductor.codecache"), "PyCodeCache", None)
        linemaps = dict(getattr(cache, "linemaps", {}))
        for file in linemaps.keys() - self._reported:
            self._reported.add(file)
            if len(linemaps[file]) == 2:
                torch_ops.add_generated_code(file, self.rows_of(zip(*linemaps[file])))

    def rows_of(self, linemap: Iterable[tuple[int, object]]) -> list[torch_ops.GeneratedRow]:
        """Rows made from the parts' first lines and stack traces."""
        rows = [(line, *self._source_of(str(trace or ""))) for line, trace in linemap]
        # The sort is stable: of parts without a line of code, the last counts.
        return sorted(rows, key=lambda row: row[0])

    def _source_of(self, trace: str) -> Source:
        """The innermost line in the user's own code."""
        for file, line, name in reversed(_FRAME.findall(trace)):
            if torch_ops.is_user_code(file):
                return (file, *self._functions.find(file, int(line), name), int(line))
        return _NOWHERE
