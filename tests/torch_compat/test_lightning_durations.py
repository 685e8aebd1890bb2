"""What laptime's SimpleProfiler keeps of an action: a list as Lightning's, but bounded."""

import json
import math
import pickle
import time
from copy import deepcopy

import numpy as np
import pytest
from laptime.compat.lightning import SimpleProfiler
from laptime.compat.lightning.simple import Durations


@pytest.fixture
def few_kept(monkeypatch):
    monkeypatch.setattr(Durations, "kept", 10)


def test_they_are_lists():
    profiler = SimpleProfiler()
    for duration in (0.02, 0.01, 0.0):
        with profiler.profile("nap"):
            time.sleep(duration)
    durations = profiler.recorded_durations["nap"]
    plain = list(durations)
    assert durations == plain and len(durations) == 3
    assert durations[-1] == plain[2] and durations[:2] == plain[:2]
    assert (sum(durations), max(durations)) == (sum(plain), max(plain))
    assert durations.index(plain[1]) == 1
    assert plain[0] >= 0.02 and plain[1] >= 0.01
    np.testing.assert_array_equal(np.array(durations), plain)
    assert np.mean(durations) == np.mean(plain)
    assert json.loads(json.dumps(profiler.recorded_durations)) == {"nap": plain}


def test_the_program_may_write_them():
    profiler = SimpleProfiler()
    profiler.recorded_durations["own"].append(2.0)
    profiler.recorded_durations["list"] = [1.0, 2.0]
    assert profiler._make_report() == [("own", 2.0, 2.0), ("list", 1.5, 3.0)]


def test_the_latest_are_kept_and_all_are_counted(few_kept):
    durations, all_of_them = Durations(), [0.1 * (n + 1) for n in range(107)]
    for count, duration in enumerate(all_of_them, 1):
        durations.append(duration)
        assert min(count, 5) <= len(durations) <= 10
        assert durations == all_of_them[:count][-len(durations) :]
    assert durations.calls == 107
    assert durations.total == pytest.approx(math.fsum(all_of_them), rel=1e-15)


def through_pickle(durations):
    return pickle.loads(pickle.dumps(durations))


@pytest.mark.parametrize("copied", [deepcopy, through_pickle])
def test_copies_go_on_counting(few_kept, copied):
    again = copied(Durations([1.0] * 25))
    again.append(1.0)
    assert type(again) is Durations and len(again) <= 10
    assert (again.calls, again.total) == (26, 26.0)


@pytest.mark.parametrize("extended", [True, False])
def test_the_summary_says_what_was_dropped(few_kept, extended):
    profiler = SimpleProfiler(extended=extended)
    for _ in range(10):
        with profiler.profile("usual"):
            pass
    assert "dropped" not in profiler.summary()
    for _ in range(25):
        with profiler.profile("frequent"):
            pass
    durations = profiler.recorded_durations["frequent"]
    dropped = 25 - len(durations)
    line = profiler.summary().splitlines()[-1]
    assert line.startswith(
        "laptime: recorded_durations keeps the latest 10 or fewer of an action; "
    )
    assert f" {dropped} older ones of 1 action were dropped; " in line
    if extended:
        row = next(line for line in profiler.summary().splitlines() if "|  frequent" in line)
        assert row.split("|")[3].strip() == "25"


def test_they_are_bounded_by_default():
    durations = Durations([0.5] * 100_000)
    assert 8_192 <= len(durations) <= 16_384
    assert (durations.calls, durations.total) == (100_000, 50_000)


def test_the_program_may_raise_the_bound(monkeypatch):
    monkeypatch.setattr(Durations, "kept", 10**9)
    assert len(Durations([0.5] * 20_000)) == 20_000
