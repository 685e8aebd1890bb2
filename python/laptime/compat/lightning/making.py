"""Makes a class from laptime's half and from the installed Lightning's class of that name."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

HALVES = {"AdvancedProfiler": "advanced", "PyTorchProfiler": "pytorch", "SimpleProfiler": "simple"}
# Our module for each name of Lightning.
OWNERS = {"lightning.pytorch": "for_lightning", "pytorch_lightning": "for_pytorch_lightning"}


_Init = Callable[..., None]
_made: dict[tuple[str, str], type] = {}


def make(name: str, namespace: str) -> type:
    """Returns the same class each time. It may import Lightning, and that import may call this
    function again.
    """
    originals = import_module(f"{namespace}.profilers")
    if (namespace, name) not in _made:
        _made[namespace, name] = _combined(name, namespace, getattr(originals, name))
    return _made[namespace, name]


def _combined(name: str, namespace: str, original: Any) -> type:
    """Makes another loaded Lightning accept the class too."""
    half = getattr(import_module(f"laptime.compat.lightning.{HALVES[name]}"), name)
    owner = f"laptime.compat.lightning.{OWNERS[namespace]}"
    members: dict[str, Any] = {"__module__": owner, "__doc__": half.__doc__}
    if "__init__" in vars(half):
        members["__init__"] = _with_signature(half.__init__, original.__init__)
    made = type(name, (half, original), members)
    for other in OWNERS:
        if other != namespace and other in sys.modules:
            import_module(f"{other}.profilers").Profiler.register(made)
    return made


def _with_signature(ours: _Init, original: _Init) -> _Init:
    """``help`` and command lines made from signatures show the original's parameters."""

    @functools.wraps(original)
    def __init__(self: object, *args: object, **kwargs: object) -> None:
        ours(self, *args, **kwargs)

    return __init__
