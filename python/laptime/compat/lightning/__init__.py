"""Lightning's profilers, measured by laptime: ``Trainer(profiler=SimpleProfiler())``.

The classes are subclasses of the installed Lightning's. Arguments, files and reports stay the same.

Lightning exists under two names, ``lightning.pytorch`` and ``pytorch_lightning``, each with its own
classes. Laptime's classes belong to the one that the program has loaded. If it has loaded both,
they belong to ``lightning.pytorch``, and the other's Trainer accepts them too. Neither is imported
before a class is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from laptime.compat.lightning.making import HALVES, OWNERS

__all__ = ["AdvancedProfiler", "PyTorchProfiler", "SimpleProfiler"]


def _namespace() -> str:
    loaded = [name for name in OWNERS if name in sys.modules]
    installed = [name for name in OWNERS if find_spec(name.split(".")[0]) is not None]
    if not installed:
        raise ImportError(f"{__name__}: neither lightning nor pytorch_lightning is installed")
    return (loaded or installed)[0]


def __getattr__(name: str) -> Any:
    if name not in HALVES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    owner = import_module(f"laptime.compat.lightning.{OWNERS[_namespace()]}")
    made = globals()[name] = getattr(owner, name)
    return made
