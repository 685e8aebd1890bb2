"""PyTorch. Recorded in every step: steps without marks, waits for input, optimizer steps,
compilations and garbage collections. Recorded in as many steps as the budget allows: ops and
memory.

One in a process. ``start`` calls nest: the first one configures, the last ``stop`` ends it.
Importing this does not import torch.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypedDict

from laptime._messages import say

if TYPE_CHECKING:
    from laptime.frameworks.torch.session import Session

__all__ = ["Options", "start", "stop"]


class Options(TypedDict):
    """The options that `laptime run` and ``laptime.profile`` pass on."""

    ops: bool
    shapes: bool
    memory: bool
    gpu: bool
    # Record ops and memory in these only; each is [begin, end).
    steps: Sequence[Sequence[int]] | None
    # A part of a program that requested it: recorded from its beginning, with or without steps.
    block: bool
    budget: float | None
    include: Sequence[str]
    exclude: Sequence[str]


_session: Session | None = None
_depth = 0


def start(options: Options) -> None:
    """Begins to measure torch.

    A failure is reported in one line, and torch is not measured. An interruption leaves nothing on.
    """
    global _session, _depth
    _depth += 1
    if _depth > 1:
        return
    try:
        from laptime.frameworks.torch.session import Session

        _session = Session(options)
        _session.start()
    except Exception as error:
        say(f"torch is not measured: {error}")
        _end()
    except BaseException:  # an interruption
        stop()
        raise


def stop(await_gpu: bool = False) -> None:
    """Undoes one ``start``. Does nothing without one.

    ``await_gpu``: waits for the GPU work that was launched until now, so that it is recorded.
    """
    global _depth
    _depth = max(0, _depth - 1)
    if not _depth:
        _end(await_gpu)


def _end(await_gpu: bool = False) -> None:
    global _session
    ended, _session = _session, None
    if ended is not None:
        ended.stop(await_gpu)


def _after_fork() -> None:
    if _session is not None:
        _session.after_fork()


os.register_at_fork(after_in_child=_after_fork)
