"""Which lines of the program the modules come from that torch.compile generates, told to the
recorder once for each module.

Inductor keeps, for each module that it generates or takes from its cache, the stack trace of the
last graph node behind each part of it. What runs from such a module, forward or backward, then has
that line; of a kernel that several lines were fused into, the last of them. Where torch keeps no
such trace, it has the line that called the compiled code.

Contract: nothing happens but at the end of a compilation.
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
        self._told: set[str] = set()
        self._functions = SourceFunctions()

    def tell_new(self) -> None:
        cache = getattr(sys.modules.get("torch._inductor.codecache"), "PyCodeCache", None)
        linemaps = dict(getattr(cache, "linemaps", {}))
        for file in linemaps.keys() - self._told:
            self._told.add(file)
            if len(linemaps[file]) == 2:
                torch_ops.add_generated_code(file, self.rows_of(zip(*linemaps[file])))

    def rows_of(self, linemap: Iterable[tuple[int, object]]) -> list[torch_ops.GeneratedRow]:
        """From first lines of parts and stack traces."""
        rows = [(line, *self._source_of(str(trace or ""))) for line, trace in linemap]
        return sorted(
            rows, key=lambda row: row[0]
        )  # stable: of parts without a line of code, the last counts

    def _source_of(self, trace: str) -> Source:
        """The innermost line of the user's own."""
        for file, line, name in reversed(_FRAME.findall(trace)):
            if torch_ops.is_user_code(file):
                return (file, *self._functions.find(file, int(line), name), int(line))
        return _NOWHERE
