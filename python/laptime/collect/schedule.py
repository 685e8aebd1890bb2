"""Decides which steps are recorded in full: all, those that the user named, or as many as the
budget allows.

Pure: a schedule receives each step that ended and returns whether the next one is recorded. All
times have the same unit, whatever it is.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol


class Schedule(Protocol):
    def first(self) -> bool:
        """Whether the first step is recorded."""

    def after(self, phase: str, wall: int, recorded: bool, counted: float = 0.0) -> bool:
        """Whether the step after this one is recorded. ``counted``: what its recorded events should
        have cost.
        """

    def spent(self) -> float | None:
        """The time that recording added so far. None: unknown."""


class Everything:
    def first(self) -> bool:
        return True

    def after(self, phase: str, wall: int, recorded: bool, counted: float = 0.0) -> bool:
        return True

    def spent(self) -> None:
        """None: every step is recorded, so there is nothing to compare with."""


class Ranges:
    """``Ranges([(10, 20)])``: steps 10 to 19, counted from 0."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._ranges = sorted(ranges)
        self._next = 0

    def first(self) -> bool:
        return self._holds(0)

    def after(self, phase: str, wall: int, recorded: bool, counted: float = 0.0) -> bool:
        self._next += 1
        return self._holds(self._next)

    def spent(self) -> None:
        """None: there are too few steps, and the user chose them."""

    def _holds(self, step: int) -> bool:
        return any(begin <= step < end for begin, end in self._ranges)


WARMUP = 2  # steps at the beginning of each phase that are not recorded
FIRST_BURST = 8  # recorded before their cost is known
BURST = 5  # steps in a row
LONGEST_BURST = 200
WINDOW = 21  # steps whose median is compared
FEWEST = 5  # steps of each kind that a median needs
ASSUMED_COST = 0.12  # share of a step, until it is measured: torch's own profiler costs as much
LEAST_COST = 0.01  # share of a step: less is noise
ENOUGH = 25  # recorded steps of a phase that get the whole budget …
MARGIN = 0.85  # … and this share of it afterwards: recording costs are known only roughly
SURE = 3  # standard errors between medians before they replace the assumed cost


class Budget:
    """Keeps the time that recording adds to all steps of a phase below a share of their time.

    A recorded step costs the difference of the medians of recorded and resting steps. It costs at
    least what its events should have cost, because on a busy machine medians are unreliable.

    - ``others`` returns the share that other engines already use.
    - ``hooks`` returns what every step costs.
    - ``switching`` returns what it costs to switch recording on and off once. If that is much, as
      on a GPU, bursts are long and rare.

    The first step of a burst and the first step after it find caches cold. The first burst takes
    longer than later ones. The budget pays for that too.
    """

    def __init__(
        self,
        share: float,
        others: Callable[[], float] = lambda: 0.0,
        switching: Callable[[], float] = lambda: 0.0,
        hooks: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._share = share
        self._others = others
        self._switching = switching
        self._hooks = hooks
        self._ledgers: dict[str, _Ledger] = {}

    def first(self) -> bool:
        return False

    def after(self, phase: str, wall: int, recorded: bool, counted: float = 0.0) -> bool:
        ledger = self._ledgers.get(phase)
        if ledger is None:
            ledger = self._ledgers[phase] = _Ledger()
        ledger.enter(wall, recorded, counted)
        if ledger.left == 0:
            taken = self._others() + self._hooks() / ledger.step()
            planned = self._share * (MARGIN if ledger.steps_recorded >= ENOUGH else 1.0)
            ledger.turn(max(planned - taken, self._share / 4), self._switching())
        ledger.left -= 1
        return ledger.recording

    def spent(self) -> float:
        return sum(ledger.spent() for ledger in self._ledgers.values())


class _Ledger:
    """The steps of one phase: bursts of recorded steps, and rests that pay for them."""

    def __init__(self) -> None:
        self.recording = False
        self.left = WARMUP - 1  # steps after the next one until recording switches
        self._warm = False
        self._recorded: deque[int] = deque(maxlen=WINDOW)
        self._resting: deque[int] = deque(maxlen=WINDOW)
        # First steps, recorded and resting.
        self._turning = {
            True: deque[int](maxlen=WINDOW),
            False: deque[int](maxlen=WINDOW),
        }
        self._first_burst: list[int] = []
        self._was_recorded = False
        self._bursts = 0
        self._steps = 0
        self.steps_recorded = 0
        self._counted = 0.0  # what the events of recorded steps should have cost
        self._switched = 0.0  # what switching and the cold steps around it took so far

    def enter(self, wall: int, recorded: bool, counted: float) -> None:
        if not self._warm:
            return
        self._steps += 1
        self.steps_recorded += recorded
        self._counted += counted
        turns, self._was_recorded = recorded != self._was_recorded, recorded
        self._bursts += recorded and turns
        if recorded and self._bursts == 1:
            self._first_burst.append(wall)
        if turns:
            self._turning[recorded].append(wall)
        else:
            (self._recorded if recorded else self._resting).append(wall)

    def turn(self, share: float, switching: float) -> None:
        """Switches from recording to resting, or back."""
        if not self._warm:
            self._warm = self.recording = True
            self.left = FIRST_BURST
            return
        switching += self._cold()
        if self.recording:
            self._switched += switching
        burst = self._burst(switching)
        resting = 0 if not self.recording else self._steps_to_rest(share, burst, switching)
        self.recording = resting == 0
        self.left = resting or burst

    def spent(self) -> float:
        return self.steps_recorded * self._cost() + self._switched + self._beginning()

    def _burst(self, switching: float) -> int:
        """Enough steps that switching takes no more time than recording them."""
        return min(max(BURST, math.ceil(switching / self._cost())), LONGEST_BURST)

    def _cost(self) -> float:
        """The cost of recording a step."""
        return max(self._measured_cost(), self._counted / max(1, self.steps_recorded))

    def _measured_cost(self) -> float:
        resting = self.step()
        if len(self._recorded) < FEWEST or len(self._resting) < FEWEST:
            return ASSUMED_COST * resting
        added = _median(self._recorded) - resting
        if added > ASSUMED_COST * resting and added < SURE * (
            _error(self._recorded) + _error(self._resting)
        ):
            return ASSUMED_COST * resting  # steps differ more among themselves
        return max(added, LEAST_COST * resting)

    def _cold(self) -> float:
        """How much longer the first steps of a burst and of the rest after it take than the others.
        At most the cost of recording two steps.
        """
        if any(
            len(walls) < FEWEST
            for walls in (*self._turning.values(), self._recorded, self._resting)
        ):
            return 0.0
        added = (
            _median(self._turning[True])
            - _median(self._recorded)
            + _median(self._turning[False])
            - _median(self._resting)
        )
        return min(max(added, 0.0), 2 * self._cost())

    def _beginning(self) -> float:
        """How much longer the first burst takes than later ones. At most three times as much."""
        usual = len(self._first_burst) * self.step()
        cost = len(self._first_burst) * self._cost()
        return (
            min(max(sum(self._first_burst) - usual - cost, 0.0), 2 * cost)
            if self._bursts > 1
            else 0.0
        )

    def step(self) -> float:
        """The time of a step without recording."""
        if self._resting:
            return _median(self._resting)
        return _median(self._recorded) / (1 + ASSUMED_COST) if self._recorded else 1.0

    def _steps_to_rest(self, share: float, burst: int, switching: float) -> int:
        """Steps until this burst and the next one are paid for."""
        needed = (self.spent() + burst * self._cost() + switching) / (share * self.step())
        # Some resting steps must remain for the comparison.
        return max(1, math.ceil(needed) - self._steps - burst)


def _error(values: Sequence[int]) -> float:
    """The standard error of the median, from the median distance to it, as if the values were
    normally distributed.
    """
    middle = _median(values)
    return 1.25 * 1.48 * _median([abs(value - middle) for value in values]) / math.sqrt(len(values))


def _median(values: Sequence[int]) -> int:
    return sorted(values)[len(values) // 2]
