"""Which changes `laptime tune` tries, in which order, and what it keeps: with trials that only
pretend.
"""

import math
import subprocess
import sys
from pathlib import Path

import pytest
from laptime._tune.changes import Change, Facts, candidates
from laptime._tune.loss_curve import difference
from laptime._tune.search import Search
from laptime._tune.trial import Trial, TrialError

FACTS = Facts(cpus=4, gpu=False, loader=True, workers=False, optimizer=True, convolutions=False)
LOSSES = [1 / (1 + i) for i in range(40)]


class Pretended:
    """Steps of 100; each change multiplies them. Compared, two percent are a difference."""

    def __init__(self, factors, losses=None, predictions=None, seconds=1.0):
        self.factors, self.losses, self.predictions, self.seconds = (
            factors,
            losses or {},
            predictions or {},
            seconds,
        )
        self.ran = []

    def run(self, changes):
        self.ran.append([change.text for change in changes])
        median, losses = 100.0, LOSSES
        for change in changes:
            factor = self.factors.get(change.text, 1.0)
            if factor is None:
                raise TrialError("the program ended with 1: no such device")
            median *= factor
            losses = self.losses.get(change.text, losses)
        return Trial(None, median, losses, [], self.seconds)

    def facts(self, trial):
        return FACTS

    def predict(self, trial, change):
        return self.predictions.get(change.text)

    def compare(self, before, after):
        ratio = after.median_ns / before.median_ns
        verdict = "faster" if ratio < 0.98 else "slower" if ratio > 1.02 else "no difference"
        return {"time_ratio": ratio, "low": ratio * 0.99, "high": ratio * 1.01, "verdict": verdict}


def search(trials, time_left=1e9, wanted=lambda change: True, monkeypatch=None):
    import time

    return Search(trials, time.monotonic() + time_left, 0.05, lambda line: None).run(wanted)


def test_the_best_predicted_is_tried_first():
    trials = Pretended({}, predictions={"workers=2": 1.5, "workers=4": 1.8, "optimizer=fused": 0.9})
    search(trials)
    assert trials.ran[:3] == [[], ["workers=4"], ["workers=2"]]
    assert trials.ran[-1] == ["optimizer=fused"]


def test_what_pays_is_put_together_and_confirmed():
    tuned = search(Pretended({"workers=2": 0.5, "optimizer=fused": 0.8, "threads=1": 1.3}))
    assert [o.text for o in tuned.singles if o.pays] == ["workers=2", "optimizer=fused"]
    assert [o.text for o in tuned.combined] == ["workers=2 optimizer=fused"]
    assert tuned.confirmed.text == "workers=2 optimizer=fused"
    assert tuned.confirmed.measured == pytest.approx(2.5)


def test_one_value_of_a_change_excludes_another():
    tuned = search(Pretended({"workers=1": 0.9, "workers=2": 0.5, "workers=4": 0.6}))
    assert tuned.confirmed.text == "workers=2"
    assert not tuned.combined


def test_what_needs_workers_is_tried_with_them():
    trials = Pretended(
        {"workers=2": 0.5, "persistent_workers": 0.9}, predictions={"workers=2": 2.0}
    )
    tuned = search(trials)
    assert ["workers=2", "persistent_workers"] in trials.ran
    assert tuned.confirmed.text == "workers=2 persistent_workers"
    alone = Pretended({})
    search(alone)
    assert not any("persistent_workers" in changes for changes in alone.ran)


def test_a_change_that_moves_the_loss_is_left_out():
    moved = [loss + 0.2 for loss in LOSSES]
    tuned = search(Pretended({"autocast": 0.5, "compile": 0.9}, losses={"autocast": moved}))
    assert next(o for o in tuned.singles if o.text == "autocast").verdict == "changes the loss"
    assert tuned.confirmed.text == "compile"


def test_a_trial_that_fails_is_told_and_left():
    tuned = search(Pretended({"compile": None}))
    assert next(o for o in tuned.singles if o.text == "compile").verdict.startswith(
        "failed: the program ended with 1"
    )
    assert tuned.confirmed is None


def test_no_trial_is_begun_that_would_not_fit():
    trials = Pretended({"workers=1": 0.5}, seconds=10.0)
    tuned = search(trials, time_left=25.0)
    assert trials.ran == [[]]
    assert tuned.not_tried and tuned.confirmed is None


def test_a_gain_that_does_not_show_again_is_none():
    trials = Pretended({"threads=1": 0.5})
    run = trials.run

    def once(changes):
        done = run(changes)
        trials.factors["threads=1"] = 1.0 if changes else trials.factors["threads=1"]
        return done

    trials.run = once
    assert search(trials).confirmed is None


def test_only_what_fits_the_program_is_tried():
    texts = {change.text for change in candidates(FACTS)}
    assert {"workers=1", "workers=2", "workers=4", "threads=1", "threads=4", "compile"} <= texts
    assert not texts & {"tf32", "pin_memory", "cudnn_benchmark", "channels_last", "workers=8"}
    gpu = {change.text for change in candidates(Facts(4, True, True, True, True, True))}
    assert {
        "tf32",
        "pin_memory",
        "cudnn_benchmark",
        "channels_last",
        "non_blocking",
        "persistent_workers",
    } <= gpu
    assert not any(text.startswith("workers") for text in gpu)
    assert not any(
        change.name in ("workers", "prefetch")
        for change in candidates(Facts(4, False, False, False, True, False))
    )


def test_each_change_names_a_rule_that_exists():
    laptime = Path(sys.executable).parent / "laptime"
    listed = subprocess.run([laptime, "rules"], capture_output=True, text=True, check=True).stdout
    rules = {line.split()[0] for line in listed.splitlines()}
    flags = (False, True)
    changes = [
        change
        for gpu in flags
        for workers in flags
        for change in candidates(Facts(4, gpu, True, workers, True, True))
    ]
    assert {change.rule for change in changes} - {""} <= rules
    # No rule advises to compile a program that trains on a CPU.
    assert {change.text for change in changes if not change.rule} == {"compile"}
    assert all(change.rule for change in changes if change.by_rule)


def test_loss_curves():
    assert difference(LOSSES, LOSSES) == 0
    assert difference(LOSSES[:5], LOSSES) is None
    assert difference(LOSSES, [math.nan] * 40) == math.inf
    assert difference([1.0] * 20, [1.01] * 20) == pytest.approx(0.01)
    # Far below where it began, a small difference is small.
    assert difference(LOSSES, [loss + 0.001 for loss in LOSSES]) < 0.01


def test_names_of_changes():
    assert Change("workers", "2").text == "workers=2" and Change("compile").text == "compile"
