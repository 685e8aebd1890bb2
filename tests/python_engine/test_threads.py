"""Every thread by itself: those that run already, those that come later, and those that outlive the
program.
"""

import threading
import time

import workloads
from conftest import Lines


def test_each_thread_has_its_own_lines(engine):
    engine.start(lines=True)
    workloads.eight_threads()
    engine.stop()
    threads = {
        name: Lines(lines)
        for (_, name), lines in engine.snapshot_lines(per_thread=True).items()
        if name.startswith("w")
    }
    assert len(threads) == 8
    for i in range(8):
        hits, inclusive, _ = threads[f"w{i}"].at(workloads.worker, "time.sleep(seconds)")
        truth = 4 * 0.005 * (i + 1)
        assert hits == 4 and truth <= inclusive <= truth * 1.5 + 0.2
    merged = Lines(engine.snapshot_lines()).at(workloads.worker, "time.sleep(seconds)")
    assert merged[0] == 32


def test_functions_of_threads_do_not_mix(engine):
    engine.start(functions=True, builtins=True)
    workloads.eight_threads()
    engine.stop()
    rows = {name: row for (_, _, name), row in engine.snapshot_functions().items()}
    cc, nc, own, cumulative, _ = rows["worker"]
    assert (cc, nc) == (8, 8)
    assert own <= cumulative
    truth = sum(4 * 0.005 * (i + 1) for i in range(8))
    assert truth <= cumulative <= truth * 1.5 + 1
    assert rows["<built-in method time.sleep>"][:2] == (32, 32)


def test_a_thread_that_runs_already_is_entered_late(engine):
    go, done = threading.Event(), threading.Event()

    def early():
        go.set()
        time.sleep(0.2)
        workloads.sleeper(0.02)
        done.wait()

    thread = threading.Thread(target=early, name="early")
    thread.start()
    go.wait()
    time.sleep(0.03)  # into its sleep
    engine.start(lines=True)
    time.sleep(0.3)
    engine.stop()
    done.set()
    thread.join()
    lines = Lines(engine.snapshot_lines())
    hits, inclusive, _ = lines.at(early, "time.sleep(0.2)")
    assert hits == 0 and 0.1 <= inclusive <= 0.3
    assert lines.at(early, "workloads.sleeper")[0] == 1
    assert lines.at(workloads.sleeper, "time.sleep")[0] == 1


def test_a_thread_without_an_event_is_on_one_line_all_the_time(engine):
    go = threading.Event()

    def waits():
        go.set()
        time.sleep(0.4)

    thread = threading.Thread(target=waits)
    thread.start()
    go.wait()
    time.sleep(0.03)
    engine.start(lines=True)
    time.sleep(0.05)
    engine.stop()
    thread.join()
    assert 0.04 <= Lines(engine.snapshot_lines()).at(waits, "time.sleep")[1] <= 0.35


def test_many_short_threads_stay_bounded(engine):
    engine.start(lines=True, functions=True)
    for _ in range(200):
        thread = threading.Thread(target=workloads.fib, args=(2,))
        thread.start()
        thread.join()
    engine.stop()
    assert Lines(engine.snapshot_lines()).at(workloads.fib, "if n < 2")[0] == 600
    assert len(engine.snapshot_lines(per_thread=True)) <= 80
