"""tools/stage_lanes.py: what waits for what, and that the two lanes run side by side."""

import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from stage_lanes import Lanes, Stage
from stage_outcome import Outcome


def run(*stages):
    """The stages' outcomes, and their names in the order in which they ended."""
    outcomes = {stage.name: Outcome(stage.name) for stage in stages}
    ended = []
    Lanes(stages, outcomes, lambda stage: ended.append(stage.name)).run()
    return outcomes, ended


def test_a_test_waits_for_what_it_uses():
    done = []

    def noting(what):
        return lambda outcome: done.append((outcome.stage, what))

    _, ended = run(
        Stage("uses", test=noting("test"), after="second"),
        Stage("first", noting("build"), noting("test")),
        Stage("second", noting("build"), noting("test")),
    )
    assert done.index(("first", "build")) < done.index(("first", "test"))
    assert done.index(("second", "build")) < min(
        done.index(("second", "test")), done.index(("uses", "test"))
    )
    assert sorted(ended) == ["first", "second", "uses"]


def test_builds_and_tests_run_side_by_side():
    meet = threading.Barrier(2)
    outcomes, _ = run(
        Stage("test", test=lambda _: meet.wait(20)), Stage("build", lambda _: meet.wait(20))
    )
    assert outcomes["test"].ok and outcomes["build"].ok


def test_both_lanes_test_when_nothing_is_left_to_build():
    meet = threading.Barrier(2)
    outcomes, _ = run(*(Stage(name, test=lambda _: meet.wait(20)) for name in ("one", "two")))
    assert outcomes["one"].ok and outcomes["two"].ok


def test_builds_stand_back_and_come_one_after_another():
    at_once, most = 0, []

    def build(outcome):
        nonlocal at_once
        at_once += 1
        most.append(at_once)
        assert outcome.stands_back
        at_once -= 1

    def test(outcome):
        assert not outcome.stands_back

    outcomes, _ = run(*(Stage(str(i), build, test) for i in range(5)))
    assert most == [1] * 5 and all(outcome.ok for outcome in outcomes.values())


def test_what_does_not_build_is_not_tested_and_stops_no_other():
    def fail(outcome):
        outcome.ok = False

    tested = []
    outcomes, ended = run(
        Stage("broken", fail, lambda _: tested.append("broken")),
        Stage("raises", test=lambda _: 1 / 0),
        Stage("uses", test=lambda _: tested.append("uses"), after="broken"),
    )
    assert tested == ["uses"] and sorted(ended) == ["broken", "raises", "uses"]
    assert {name: outcome.ok for name, outcome in outcomes.items()} == {
        "broken": False,
        "raises": False,
        "uses": True,
    }


def test_seconds_are_of_both_halves():
    outcomes, _ = run(Stage("both", lambda _: None, lambda _: None), Stage("none"))
    assert outcomes["both"].seconds > 0 and outcomes["none"].seconds == 0
