"""What torch.profiler shows of ops besides their times: torch's own numbers, TorchScript's modules,
strides and values of inputs.
"""

from __future__ import annotations

import ast
import json
import threading
from typing import Any

from laptime._native import torch_ops
from laptime.compat.torch_profiler import sources


class Details:
    """Contract: ``on`` after the ops are on, ``off`` once after each ``on``. Between them torch
    reports the thread as profiled.
    """

    def __init__(self, *, inputs: bool, modules: bool) -> None:
        self._source = sources.details()
        self._inputs = inputs
        self._what = (torch_ops.INPUTS if inputs else 0) | (torch_ops.MODULES if modules else 0)
        self._noted = False
        self._thread = 0

    def on(self) -> None:
        if self._source is None:
            return
        self._thread = threading.get_ident() if self._source.enter(self._inputs) else 0
        what = self._what | (torch_ops.IDS if self._source.needs_ids() else 0)
        self._noted = what != 0 and self._source.on(what)

    def off(self, begin: int) -> Any:
        """The details since the session's begin, or None."""
        if self._source is None:
            return None
        if self._thread == threading.get_ident():
            self._source.leave()
        self._thread = 0
        if not self._noted:
            return None
        self._noted = False
        return self._source.off(begin)


def parsed(text: str) -> tuple[list[Any], dict[str, Any]]:
    """The values of an op's inputs and keywords, from its details."""
    if not text:
        return [], {}
    members = json.loads("{" + text + "}")
    values = [_value(printed) for printed in members.pop("Concrete Inputs", [])]
    for name in ("Input Strides", "Module Hierarchy"):
        members.pop(name, None)
    return values, members


def _value(printed: str) -> Any:
    """The text of a number or a list of numbers, as torch prints it. None for everything else."""
    try:
        return ast.literal_eval(printed) if printed else None
    except (SyntaxError, ValueError):
        return printed
