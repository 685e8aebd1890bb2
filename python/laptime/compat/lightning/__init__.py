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

from laptime.compat.lightning.making import HALVES, OWNERS

__all__ = ["AdvancedProfiler", "PyTorchProfiler", "SimpleProfiler"]


def _namespace() -> str:
    loaded = [name for name in OWNERS if name in sys.modules]
    installed = [name for name in OWNERS if find_spec(name.split(".")[0]) is not None]
    if not installed:
        raise ImportError("laptime.compat.lightning: neither lightning nor pytorch_lightning is installed")
    return (loaded or installed)[0]


def __getattr__(name: str) -> Any:
    if name not in HALVES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    owner = import_module(f"laptime.compat.lightning.{OWNERS[_namespace()]}")
    made = globals()[name] = getattr(owner, name)
    return made
