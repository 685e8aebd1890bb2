"""The line of the user's own code that runs, for events that are rare."""

from __future__ import annotations

import sys
from types import CodeType
from typing import NamedTuple

from laptime._native import torch_ops


class UserLine(NamedTuple):
    """All empty if no line of the user's runs."""

    file: str = ""
    line: int = 0
    function: str = ""
    function_line: int = 0

    def call_site(self, module: str = "") -> int:
        """0 without a line. ``module``: the path of the layer that runs."""
        if not self.file:
            return 0
        return torch_ops.call_site_of(
            self.file, self.function, self.function_line, self.line, module
        )


def user_line() -> UserLine:
    """The innermost one on the calling thread."""
    frame = sys._getframe(1)
    while frame is not None:
        if torch_ops.is_user_code(frame.f_code.co_filename):
            return line_in(frame.f_code, frame.f_lineno or 0)
        frame = frame.f_back  # type: ignore[assignment]
    return UserLine()


def line_in(code: CodeType, line: int) -> UserLine:
    name = getattr(code, "co_qualname", code.co_name)
    return UserLine(code.co_filename, line, name, code.co_firstlineno)
