"""Whether training stayed what it was: two curves of losses, step by step, within a tolerance.

Curves are compared over their later half, in means, so that the noise of single batches does not
count. The scale is the larger of the level there and what training took off the loss so far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

_FEWEST = 8


def difference(before: Sequence[float], after: Sequence[float]) -> float | None:
    """0.01: they are one percent apart. None: too few losses to tell. Infinite: the second is no
    number any more.
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
