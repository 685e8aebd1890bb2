"""PyTorch: steps without marks, waits for input, optimizer steps, compilations and garbage
collections in every step; ops and memory in as many as the budget allows.

One in a process. ``start`` calls nest: the first one configures, the last ``stop`` ends it.
Importing this imports no torch.
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
    """What `laptime run` and ``laptime.profile`` are asked for."""

    ops: bool
    shapes: bool
    memory: bool
    gpu: bool
    steps: (
        Sequence[Sequence[int]] | None
    )  # record ops and memory in these only; each is [begin, end)
    block: (
        bool  # a part of a program that asked for it: recorded from its beginning on, steps or not
    )
    budget: float | None
    include: Sequence[str]
    exclude: Sequence[str]


_session: Session | None = None
_depth = 0


def start(options: Options) -> None:
    """Begins to measure torch.

    A failure is one line, and nothing of torch is measured. An interruption leaves nothing on.
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
    """Undoes one ``start``; nothing when there is none. ``await_gpu``: what was launched until now
    belongs to it.
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
