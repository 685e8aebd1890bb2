"""JAX. Recorded in every step: steps without marks, calls of jitted functions, waits for arrays and
compilations. Recorded in as many steps as the budget allows, on CPUs: XLA's instructions, through
JAX's own profiler. Also the lines of the kernels that XLA makes, and CUPTI for JAX's own profiler.

One in a process. Importing this does not import jax.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from laptime._messages import say

if TYPE_CHECKING:
    from laptime.frameworks.jax.session import Session

__all__ = ["Options", "start", "stop"]

_session: Session | None = None


class Options(TypedDict):
    """The options that `laptime run` passes on."""

    ops: bool
    gpu: bool
    # Record ops in these only; each is [begin, end).
    steps: Sequence[Sequence[int]] | None
    budget: float | None
    include: Sequence[str]
    exclude: Sequence[str]


def start(options: Options) -> None:
    """Begins to measure JAX. A failure is reported in one line, and JAX is not measured. An
    interruption leaves nothing on.

    Contract: jax is imported.
    """
    global _session
    if _session is not None:
        return
    try:
        from laptime.frameworks.jax.session import Session

        _session = Session(options)
        _session.start()
        # JAX drops its compiled programs when Python exits. Laptime reads the lines of the last
        # steps from them, so it has to stop before: what was registered last runs first.
        atexit.register(stop)
    except Exception as error:
        say(f"jax is not measured: {error}")
        stop()
    except BaseException:  # an interruption
        stop()
        raise


def stop() -> None:
    """Does nothing without a ``start``."""
    global _session
    ended, _session = _session, None
    if ended is not None:
        ended.stop()


def _after_fork() -> None:
    if _session is not None:
        _session.after_fork()


os.register_at_fork(after_in_child=_after_fork)
