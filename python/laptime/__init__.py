"""laptime: times every step of a training program and says where it goes.

``with laptime.profile("run.lap"):`` records a part of a program, ``laptime run script.py`` all of it. ``laptime.scope``,
``laptime.step`` and ``laptime.steps`` mark what is going on; ``@laptime.lines`` asks for a function's lines.
"""

from __future__ import annotations

from typing import Any

from laptime._native import version as _version

__version__: str = _version()

from laptime._profile import profile
from laptime._recording import Recording, lines
from laptime._scopes import scope, step, steps

__all__ = ["Recording", "__version__", "lines", "load_ipython_extension", "profile", "scope", "step", "steps"]


def load_ipython_extension(shell: Any) -> None:
    """``%load_ext laptime``: the magics %lap, %%lap, %lprun and %%lprun_all."""
    from laptime._magics import LapMagics
    from laptime.compat.line_profiler.magics import LineProfilerMagics

    shell.register_magics(LapMagics)
    shell.register_magics(LineProfilerMagics)
