"""laptime: times every step of a training program and shows where the time goes.

``with laptime.profile("run.lap"):`` records a part of a program, ``laptime run script.py`` all of
it. ``laptime.scope``, ``laptime.step`` and ``laptime.steps`` mark regions and steps.
``@laptime.lines`` times a function by line.

Names are loaded when they are first used. Loading the recorder in a process of `laptime run` makes
the process a part of the run. A process that only imports some module of this package must not
become one.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laptime._profile import profile
    from laptime._recording import Recording, lines
    from laptime._scopes import scope, step, steps

    __version__: str

__all__ = [
    "Recording",
    "__version__",
    "lines",
    "load_ipython_extension",
    "profile",
    "scope",
    "step",
    "steps",
]

_HOMES = {
    "Recording": "laptime._recording",
    "lines": "laptime._recording",
    "profile": "laptime._profile",
    "scope": "laptime._scopes",
    "step": "laptime._scopes",
    "steps": "laptime._scopes",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = import_module("laptime._native").version()
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext laptime``: the magics %lap, %%lap, %lprun and %%lprun_all."""
    from laptime._magics import LapMagics
    from laptime.compat.line_profiler.magics import LineProfilerMagics

    shell.register_magics(LapMagics)
    shell.register_magics(LineProfilerMagics)
