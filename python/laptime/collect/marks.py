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
