"""JAX. Recorded in every step: steps without marks, calls of jitted functions, waits for arrays and
compilations. Also the lines of the kernels that XLA makes, and CUPTI for JAX's own profiler.

One in a process. Importing this does not import jax.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from laptime._messages import say

if TYPE_CHECKING:
    from laptime.frameworks.jax.hooks import Hooks

__all__ = ["start", "stop"]

_hooks: Hooks | None = None


def start() -> None:
    """Begins to measure JAX. A failure is reported in one line, and JAX is not measured.

    Contract: jax is imported, and call sites are configured.
    """
    global _hooks
    if _hooks is not None:
        return
    try:
        from laptime.frameworks.jax.hooks import Hooks

        _hooks = Hooks()
        _hooks.install()
        os.register_at_fork(after_in_child=_start_over)
    except Exception as error:
        say(f"JAX is not measured: {error}")
        stop()


def stop() -> None:
    global _hooks
    hooks, _hooks = _hooks, None
    if hooks is not None:
        hooks.finish()
        hooks.remove()


def _start_over() -> None:
    if _hooks is not None:
        _hooks.after_fork()
