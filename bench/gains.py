"""The gain from rounds of turns: one value for each round."""

from __future__ import annotations

import random
import statistics
from typing import NamedTuple

DRAWS = 2000


class Gain(NamedTuple):
    measured: float
    low: float
    high: float


def median_gain(gains: list[float]) -> Gain:
    """The median and its 95 % confidence interval, by a bootstrap over rounds."""
    draw = random.Random(0)
    drawn = sorted(statistics.median(draw.choices(gains, k=len(gains))) for _ in range(DRAWS))
    return Gain(
        statistics.median(gains), drawn[round(0.025 * DRAWS)], drawn[round(0.975 * DRAWS) - 1]
    )
