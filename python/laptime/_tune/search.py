"""Which changes are tried, in which order, and which are kept.

First each candidate is tried alone, the best predicted first, those without a prediction last. Then
the changes that paid are combined, the best first. A change stays if the program is faster with it
than without.

At the end the original and the tuned program run once more, in turn. Only a gain that appears again
is reported. To keep the time limit, a trial that would not fit does not start. The time that
remains is for the last two runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from laptime._tune.changes import Change, candidates
from laptime._tune.loss_curve import difference
from laptime._tune.trial import Row, Trial, TrialError, Trials

FASTER = "faster"


@dataclass
class Outcome:
    """A set of changes, against the original program or the program as tuned so far."""

    changes: tuple[Change, ...]
    predicted: float | None = None  # gains: factors of the rate
    measured: float | None = None
    low: float | None = None
    high: float | None = None
    loss: float | None = None  # the difference between the loss curves
    verdict: str = ""
    trial: Trial | None = None

    @property
    def pays(self) -> bool:
        return self.verdict == FASTER

    @property
    def text(self) -> str:
        return " ".join(change.text for change in self.changes)


@dataclass
class Tuned:
    baseline: Trial
    singles: list[Outcome] = field(default_factory=list)
    combined: list[Outcome] = field(default_factory=list)
    confirmed: Outcome | None = None  # the confirmed changes; None: no change pays
    not_tried: list[Change] = field(default_factory=list)


class Search:
    def __init__(
        self, trials: Trials, deadline: float, tolerance: float, say: Callable[[str], None]
    ) -> None:
        self._trials = trials
        self._deadline = deadline
        self._tolerance = tolerance
        self._say = say
        self._longest = 0.0

    def run(self, wanted: Callable[[Change], bool]) -> Tuned:
        baseline = self._run(())
        tuned = Tuned(baseline)
        self._try_each(
            tuned,
            self._ordered(
                baseline, [c for c in candidates(self._trials.facts(baseline)) if wanted(c)]
            ),
        )
        best = self._combine(tuned)
        if best is not None:
            tuned.confirmed = self._confirm(best)
        return tuned

    def _run(self, changes: Sequence[Change]) -> Trial:
        trial = self._trials.run(changes)
        self._longest = max(self._longest, trial.seconds)
        return trial

    def _has_time_for(self, trials: int) -> bool:
        return time.monotonic() + trials * self._longest < self._deadline

    def _ordered(self, baseline: Trial, changes: list[Change]) -> list[tuple[Change, float | None]]:
        predicted = [(change, self._trials.predict(baseline, change)) for change in changes]
        return sorted(predicted, key=lambda item: -(item[1] if item[1] is not None else 1.0))

    def _try_each(self, tuned: Tuned, ordered: list[tuple[Change, float | None]]) -> None:
        for change, predicted in ordered:
            changes: tuple[Change, ...] = (change,)
            against = tuned.baseline
            if change.needs:
                needed = max(
                    (o for o in tuned.singles if o.pays and o.changes[0].name == change.needs),
                    key=lambda o: o.measured or 0,
                    default=None,
                )
                if needed is None or needed.trial is None:
                    continue
                changes, against = (*needed.changes, change), needed.trial
            # Time for one trial, and for two runs that confirm the result.
            if not self._has_time_for(3):
                tuned.not_tried.append(change)
                continue
            outcome = self._judge(tuned.baseline, against, changes)
            outcome.predicted = predicted
            tuned.singles.append(outcome)
            self._say(describe(outcome))

    def _judge(self, baseline: Trial, against: Trial, changes: tuple[Change, ...]) -> Outcome:
        outcome = Outcome(changes)
        try:
            outcome.trial = self._run(changes)
            if outcome.trial.problems:
                raise TrialError(outcome.trial.problems[0])
            _measure(outcome, self._trials.compare(baseline, outcome.trial))
            if against is not baseline:
                outcome.verdict = self._trials.compare(against, outcome.trial)["verdict"]
        except TrialError as error:
            outcome.verdict = f"failed: {error}"
            return outcome
        outcome.loss = difference(baseline.losses, outcome.trial.losses)
        if outcome.loss is not None and outcome.loss > self._tolerance:
            outcome.verdict = "changes the loss"
        return outcome

    def _combine(self, tuned: Tuned) -> Outcome | None:
        paying = sorted((o for o in tuned.singles if o.pays), key=lambda o: -(o.measured or 0))
        if not paying:
            return None
        best = paying[0]
        for outcome in paying[1:]:
            # One value of a change excludes its other values.
            names = {change.name for change in best.changes}
            added = tuple(change for change in outcome.changes if change.name not in names)
            if not added:
                continue
            if not self._has_time_for(3):
                tuned.not_tried.extend(added)
                continue
            assert best.trial is not None
            both = self._judge(tuned.baseline, best.trial, (*best.changes, *added))
            tuned.combined.append(both)
            self._say(describe(both))
            if both.pays:
                best = both
        return best

    def _confirm(self, best: Outcome) -> Outcome | None:
        """Runs both once more, in turn. A difference between two starts does not appear twice in
        the same direction.
        """
        try:
            again = self._run(())
            outcome = self._judge(again, again, best.changes)
        except TrialError:
            return None
        outcome.predicted = best.predicted if len(best.changes) == 1 else None
        outcome.loss = best.loss
        self._say("once more: " + describe(outcome))
        return outcome if outcome.pays else None


def _measure(outcome: Outcome, row: Row) -> None:
    outcome.measured, outcome.low, outcome.high = (
        1 / row["time_ratio"],
        1 / row["high"],
        1 / row["low"],
    )
    outcome.verdict = row["verdict"]


def describe(outcome: Outcome) -> str:
    """One line for the user."""
    parts = [f"{outcome.text:32}"]
    parts.append(
        f"predicted {outcome.predicted:.2f} ×"
        if outcome.predicted is not None
        else "predicted    –  "
    )
    if outcome.measured is not None:
        parts.append(f"measured {outcome.measured:.2f} × ({outcome.low:.2f} to {outcome.high:.2f})")
    if outcome.loss is not None:
        parts.append(f"loss {outcome.loss:.1%} apart")
    return "  ".join([*parts, outcome.verdict])
