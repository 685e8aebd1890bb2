"""Calls on the main thread, in the midst of whatever the program does there."""

import os
import threading
import time

from laptime._torch.main_thread_clock import MainThreadClock


def work_until(reached, limit_s=20):
    end = time.monotonic() + limit_s
    while not reached() and time.monotonic() < end:
        sum(range(100))


def test_calls_come_on_the_main_thread_while_it_works():
    threads = []
    before = threading.active_count()
    clock = MainThreadClock(lambda: threads.append(threading.get_ident()), 0.01)
    try:
        work_until(lambda: len(threads) >= 5)
        assert threading.active_count() == before, "the program sees no thread of ours"
    finally:
        clock.stop()
    assert len(threads) >= 5 and set(threads) == {threading.main_thread().ident}


def test_nothing_comes_after_it_is_stopped():
    calls = []
    clock = MainThreadClock(lambda: calls.append(1), 0.005)
    work_until(lambda: calls)
    clock.stop()
    clock.stop()
    del clock
    count = len(calls)
    time.sleep(0.05)
    work_until(lambda: False, 0.1)
    assert len(calls) == count


def test_a_thread_that_waits_is_not_woken_and_called_once_after():
    calls = []
    clock = MainThreadClock(lambda: calls.append(1), 0.005)
    work_until(lambda: calls)
    calls.clear()
    time.sleep(0.3)  # in C
    sum(range(1000))
    came = len(calls)
    clock.stop()
    assert 1 <= came <= 3


def test_a_call_that_takes_longer_than_the_period_does_not_nest():
    depth, deepest = 0, 0

    def slow():
        nonlocal depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        work_until(lambda: False, 0.03)
        depth -= 1

    clock = MainThreadClock(slow, 0.002)
    work_until(lambda: False, 0.3)
    clock.stop()
    assert deepest == 1


def test_a_forked_child_goes_on():
    clock = MainThreadClock(lambda: None, 0.002)
    work_until(lambda: False, 0.05)
    child = os.fork()
    if child == 0:
        work_until(lambda: False, 0.05)
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    clock.stop()
