"""The program's profiler comes before laptime's bursts."""

import pytest
from laptime.collect import profiler_owner as owners


@pytest.fixture(autouse=True)
def nobody():
    yield
    owners.when_requested(None)
    for name in ("program", "other", owners.LAPTIME):
        owners.release(name)


def test_laptime_yields_to_the_program():
    ended = []
    owners.when_requested(lambda: ended.append(owners.owner()))
    assert owners.acquire(owners.LAPTIME) and owners.owner() == owners.LAPTIME
    assert owners.request_from_program()
    assert ended == ["program"] and owners.owner() == "program"
    assert not owners.acquire(owners.LAPTIME)
    owners.release("program")
    assert owners.acquire(owners.LAPTIME)


def test_two_profilers_of_the_program():
    owners.request_from_program("program")
    owners.request_from_program("other")
    owners.release("program")
    assert not owners.acquire(owners.LAPTIME)
    owners.release("other")
    assert owners.owner() == ""


def test_without_bursts_nothing_yields():
    assert not owners.request_from_program()
