"""Where a step goes that is not found by a framework's hooks: one that the program marks itself, or
an iteration of a loop that a library runs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from laptime._native import recording

if TYPE_CHECKING:
    from laptime.collect.stepping import Stepping

mark_step: Callable[[int], object] = recording.mark_step

# Those who end steps and switch sources in this process, by framework.
steppers: dict[str, Stepping] = {}

# The frameworks whose first step has begun, and who waits for one of another framework.
_begun: set[str] = set()
_waiting: dict[str, Callable[[], object]] = {}


def began(framework: str) -> None:
    """A step of the framework begins, perhaps not the first one."""
    if framework in _begun:
        return
    _begun.add(framework)
    for name, action in tuple(_waiting.items()):
        if name != framework:
            action()


def when_another_begins(framework: str, action: Callable[[], object]) -> None:
    """Calls ``action`` when another framework's first step begins, or now if one has begun."""
    _waiting[framework] = action
    if _begun - {framework}:
        action()
