"""line_profiler's interface: ``from laptime.compat.line_profiler import LineProfiler, load_stats,
show_text, profile``.

A name is imported when it is first used: ``import laptime`` needs one small part of this package
and must stay cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laptime._profile import profile
    from laptime.compat.line_profiler.explicit import GlobalProfiler
    from laptime.compat.line_profiler.lprof_file import LprofError
    from laptime.compat.line_profiler.profiler import LineProfiler
    from laptime.compat.line_profiler.stats import LineStats, load_stats
    from laptime.compat.line_profiler.text import show_func, show_text
    from laptime.line_profiler import main

__all__ = [
    "GlobalProfiler",
    "LineProfiler",
    "LineStats",
    "LprofError",
    "load_ipython_extension",
    "load_stats",
    "main",
    "profile",
    "show_func",
    "show_text",
]

_HOMES = {
    "GlobalProfiler": ".explicit",
    "LineProfiler": ".profiler",
    "LineStats": ".stats",
    "LprofError": ".lprof_file",
    "load_stats": ".stats",
    "main": "laptime.line_profiler",
    "profile": "laptime._profile",
    "show_func": ".text",
    "show_text": ".text",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def load_ipython_extension(shell: Any) -> None:
    from laptime.compat.line_profiler.magics import LineProfilerMagics

    shell.register_magics(LineProfilerMagics)
