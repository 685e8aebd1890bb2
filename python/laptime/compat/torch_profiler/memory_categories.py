"""The category of each block of memory: the role that laptime's hooks reported, else a category by
its lifetime.

Torch derives categories from the graph of tensors. Here a block that was made in a backward pass is
autograd's own. A block that was made before a backward pass, and is alive when the pass begins, is
an activation. A block that ends earlier is temporary. Others are unknown.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from typing import Any

CATEGORIES = (
    "parameter",
    "optimizer state",
    "input",
    "temporary",
    "activation",
    "gradient",
    "autograd detail",
    "unknown",
)
_BACKWARD_SCOPE = 1
_NEVER = 1 << 62

Span = tuple[int, int]


def backward_passes(rows: Iterable[Any]) -> list[Span]:
    """Begin and end in ns of each interval in which autograd's nodes ran. ``rows``: events by
    start.
    """
    passes: list[Span] = []
    going_on = False
    for row in rows:
        start, end = row[3], row[3] + row[4]
        if row[6] == _BACKWARD_SCOPE or row[0].startswith("autograd::engine::"):
            begin, last = passes.pop() if going_on else (start, end)
            passes.append((begin, max(last, end)))
            going_on = True
        elif passes and start >= passes[-1][1]:
            going_on = False
    return passes


def category(begin: int, end: int | None, role: str | None, passes: list[Span]) -> str:
    """The category of a block that was made at ``begin`` in the profile and ended at ``end``. None:
    it outlived the profile.
    """
    if role in CATEGORIES:
        return str(role)
    at = bisect.bisect_right(passes, (begin, _NEVER))
    if at > 0 and begin < passes[at - 1][1]:
        return "autograd detail"
    if at < len(passes) and (end is None or end >= passes[at][0]):
        return "activation"
    return "unknown" if end is None else "temporary"
