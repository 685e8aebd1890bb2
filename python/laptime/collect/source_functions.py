"""Finds the function that a line of a file is in, as its code object names it.

With this name, the line is the same one that other collectors record.
"""

from __future__ import annotations

import linecache
from types import CodeType


class SourceFunctions:
    def __init__(self) -> None:
        self._codes: dict[str, dict[tuple[str, int], CodeType]] = {}  # by file; by name and line

    def find(self, file: str, line: int, name: str = "") -> tuple[str, int]:
        """The function's name and first line. ``name`` and ``line`` themselves if the file does not
        show them. Without a name: the innermost function.
        """
        if file not in self._codes:
            self._codes[file] = _codes_in(file)
        code = self._codes[file].get((name, line))
        return (
            (getattr(code, "co_qualname", code.co_name), code.co_firstlineno)
            if code
            else (name, line)
        )


def _codes_in(file: str) -> dict[tuple[str, int], CodeType]:
    found: dict[tuple[str, int], CodeType] = {}
    try:
        codes = [compile("".join(linecache.getlines(file)), file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):  # for example a notebook's magics
        return found
    while codes:
        code = codes.pop()
        for _, _, line in code.co_lines():
            if line is not None:
                found[code.co_name, line] = found["", line] = code
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return found
