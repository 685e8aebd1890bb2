"""Which steps are recorded: the budget holds whatever recording costs, and enough steps are
recorded.
"""

import random

import pytest
from laptime.collect.schedule import FIRST_BURST, Budget, Everything, Ranges


def play(schedule, steps, step, cost, noise=0.0, phase="train"):
    """Runs a loop of steps of a known length; which were recorded, and the share that it added."""
    rng = random.Random(4)
    recorded, added, bare = [], 0.0, 0.0
    recording = schedule.first()
    for index in range(steps):
        wall = step(index) * (1 + noise * rng.random())
        bare += wall
        if recording:
            added += cost * step(index)
            wall += cost * step(index)
            recorded.append(index)
        recording = schedule.after(phase, int(wall), recording)
    return recorded, added / bare


@pytest.mark.parametrize("cost", [0.005, 0.03, 0.06, 0.12, 0.3, 1.0])
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_budget_holds_and_enough_is_recorded(cost, noise):
    recorded, share = play(Budget(0.05), 500, lambda _: 1_000_000, cost, noise)
    assert len(recorded) >= 20 and share <= 0.05
    assert recorded[0] >= 2, "warm-up"
    if cost == 0.005 and not noise:
        assert len(recorded) > 380


def test_budget_holds_while_steps_grow():
    recorded, share = play(Budget(0.05), 500, lambda i: 1_000_000 + 4000 * i, 0.1)
    assert len(recorded) >= 20 and share <= 0.055


def test_short_run_records_its_first_steps():
    recorded, _ = play(Budget(0.05), 12, lambda _: 1_000_000, 0.1)
    assert recorded == list(range(2, 2 + FIRST_BURST))


def test_every_phase_is_recorded():
    budget, recorded, recording = Budget(0.05), {"train": 0, "validation": 0}, False
    for _ in range(10):
        for phase in ["train"] * 40 + ["validation"] * 10:
            recorded[phase] += recording
            recording = budget.after(phase, 1_100_000 if recording else 1_000_000, recording)
    assert recorded["train"] >= 20 and recorded["validation"] >= 5


@pytest.mark.parametrize("seed", range(8))
def test_steps_that_differ_wildly_are_not_called_a_cost(seed):
    rng = random.Random(seed)
    budget, recording, walls = Budget(0.05), False, 0
    for _ in range(300):
        wall = int(1_000_000 * rng.choice([0.2, 0.5, 1, 2, 8]))
        walls += wall
        recording = budget.after("train", wall, recording)
    assert budget.spent() < 0.05 * walls


def test_others_share_the_budget():
    alone, _ = play(Budget(0.05), 2000, lambda _: 1_000_000, 0.1)
    shared, share = play(Budget(0.05, lambda: 0.03), 2000, lambda _: 1_000_000, 0.1)
    assert len(shared) < 0.6 * len(alone) and share <= 0.021


def test_counted_events_hold_the_budget_where_walls_tell_nothing():
    budget, recording, recorded = Budget(0.05), False, 0
    for _ in range(2000):
        recorded += recording
        recording = budget.after("train", 1_000_000, recording, 200_000.0 if recording else 0.0)
    assert 20 <= recorded <= 0.05 * 2000 / 0.2


def test_hooks_are_paid_from_the_budget():
    alone, _ = play(Budget(0.05), 2000, lambda _: 1_000_000, 0.1)
    hooked, share = play(Budget(0.05, hooks=lambda: 20_000.0), 2000, lambda _: 1_000_000, 0.1)
    assert len(hooked) < 0.6 * len(alone) and share + 0.02 <= 0.05


def test_cold_first_steps_are_paid_from_the_budget():
    """The first step of a burst and the first after it take longer, and all of the first burst
    does.
    """
    budget, recording, was_on, bursts, walls, added = Budget(0.05), False, False, 0, 0, 0.0
    for _ in range(2000):
        bursts += recording and not was_on
        more = (
            (100_000 if recording else 0)
            + (100_000 if recording != was_on else 0)
            + (300_000 if recording and bursts == 1 else 0)
        )
        walls += 1_000_000
        added += more
        was_on = recording
        recording = budget.after("train", 1_000_000 + more, recording)
    assert 0.03 <= added / walls <= 0.05
    assert budget.spent() == pytest.approx(added, rel=0.1)


def test_ranges_and_everything():
    assert play(Ranges([(3, 5), (0, 1), (8, 9)]), 12, lambda _: 10, 0)[0] == [0, 3, 4, 8]
    assert len(play(Everything(), 12, lambda _: 10, 0)[0]) == 12


def test_costly_switching_is_paid_for_by_long_and_rare_bursts():
    """A GPU's recorder takes as long to set up as nine steps."""
    switching, cost, step = 9_000_000, 0.1, 1_000_000
    budget, recording, bursts, recorded = Budget(0.05, switching=lambda: switching), False, 0, 0
    for _ in range(20_000):
        on = budget.after("train", round(step * (1 + cost)) if recording else step, recording)
        bursts += on and not recording
        recorded += on
        recording = on
    added = recorded * cost * step + bursts * switching
    assert 0.03 <= added / (20_000 * step) <= 0.055
    assert recorded / bursts >= 60
