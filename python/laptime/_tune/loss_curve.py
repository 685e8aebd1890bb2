"""Compares two loss curves, step by step, to check that training stayed the same within a
tolerance.

The comparison uses means over the later half of each curve, so noise of single batches is not
counted. The scale is the larger of two values: the loss level there, and the decrease of the loss
so far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

_FEWEST = 8


def difference(before: Sequence[float], after: Sequence[float]) -> float | None:
    """0.01: the curves differ by one percent. None: too few losses. Infinite: a loss of the second
    curve is not a number.
    """
    count = min(len(before), len(after))
    if count < _FEWEST:
        return None
    if not all(math.isfinite(loss) for loss in after[:count]):
        return math.inf if all(math.isfinite(loss) for loss in before[:count]) else None
    half, start = count // 2, max(1, count // 10)
    first, level, other = _mean(before[:start]), _mean(before[half:count]), _mean(after[half:count])
    scale = max(abs(level), abs(first - level))
    return abs(other - level) / scale if scale > 0 else 0.0


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
