"""Lightning's profilers, measured by laptime: ``Trainer(profiler=SimpleProfiler())`` with these classes instead of its own.

They are subclasses of the installed Lightning's classes, so arguments, files, reports and what Trainer checks stay as they
are. Lightning exists under two names, ``lightning.pytorch`` and ``pytorch_lightning``, which are strangers to each other;
the classes belong to the one that the program has loaded (both: ``lightning.pytorch``, and the other's Trainer takes them
too). Neither is imported before a class is asked for.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["AdvancedProfiler", "PyTorchProfiler", "SimpleProfiler"]

_NAMESPACES = ("lightning.pytorch", "pytorch_lightning")
_HOMES = {"AdvancedProfiler": "advanced", "PyTorchProfiler": "pytorch", "SimpleProfiler": "simple"}


def _namespace() -> str:
    loaded = [name for name in _NAMESPACES if name in sys.modules]
    installed = [name for name in _NAMESPACES if find_spec(name.split(".")[0]) is not None]
    if not installed:
        raise ImportError("laptime.compat.lightning: neither lightning nor pytorch_lightning is installed")
    return (loaded or installed)[0]


def _make(name: str) -> type:
    """Our half before Lightning's class of that name."""
    home = _namespace()
    half = getattr(import_module(f"laptime.compat.lightning.{_HOMES[name]}"), name)
    profilers = import_module(f"{home}.profilers")
    made = type(name, (half, getattr(profilers, name)), {"__module__": __name__, "__doc__": half.__doc__})
    for other in _NAMESPACES:
        if other != home and other in sys.modules:
            import_module(f"{other}.profilers").Profiler.register(made)
    return made


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = globals()[name] = _make(name)
    return made
