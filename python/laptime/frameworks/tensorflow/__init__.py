"""TensorFlow. Recorded in every step: steps without marks, waits for input, calls of tf.functions,
tracing. Recorded in as many steps as the budget allows, through TensorFlow's own profiler: ops and
the stages of tf.data.

One in a process. Importing this does not import tensorflow.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from laptime._messages import say

if TYPE_CHECKING:
    from laptime.frameworks.tensorflow.session import Session

__all__ = ["Options", "start", "stop"]

_session: Session | None = None


class Options(TypedDict):
    """The options that `laptime run` passes on."""

    ops: bool
    # Record ops in these only; each is [begin, end).
    steps: Sequence[Sequence[int]] | None
    budget: float | None
    include: Sequence[str]
    exclude: Sequence[str]


def start(options: Options) -> None:
    """Begins to measure TensorFlow. A failure is reported in one line, and TensorFlow is not
    measured. An interruption leaves nothing on.
    """
    global _session
    if _session is not None:
        return
    try:
        from laptime.frameworks.tensorflow.session import Session

        _session = Session(options)
        _session.start()
    except Exception as error:
        say(f"tensorflow is not measured: {error}")
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


def requests_of_call() -> list[int]:
    """When the batches were requested that the last call of a tf.function requested itself, in
    ticks.
    """
    return _session.requests_of_call() if _session is not None else []


def _after_fork() -> None:
    if _session is not None:
        _session.after_fork()


os.register_at_fork(after_in_child=_after_fork)
