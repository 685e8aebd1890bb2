"""Counts in a recording: by step and thread, from children of fork, and whoever marks the steps."""

import csv
import ctypes
import io
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import laptime
import pytest
from laptime.collect import engine

LAPTIME = Path(sys.executable).with_name("laptime")
LIBRARY = Path(laptime.__file__).with_name("liblaptime.so")


def table(path, name, *options):
    done = subprocess.run(
        [LAPTIME, "report", path, name, "--csv", *options],
        capture_output=True,
        text=True,
        check=True,
    )
    return list(csv.DictReader(io.StringIO(done.stdout)))


def lines_of(path, function):
    return {
        row["source"].strip(): row
        for row in table(path, "lines")
        if row["function"].rsplit(".", 1)[-1] == function
    }


def work(n):
    total = 0
    for i in range(n):
        total += i
    return total


def only_in_threads(n):
    for _ in range(n):
        work(1)


def in_thread(name, function, *arguments):
    thread = threading.Thread(target=function, args=arguments, name=name)
    thread.start()
    thread.join()


def test_lines_and_functions_are_their_threads(tmp_path):
    path = tmp_path / "run.lap"
    with laptime.profile(path, functions=True, budget=None):
        work(2)
        in_thread("loader", only_in_threads, 7)
        in_thread("writer", work, 3)
        laptime.step()
    assert lines_of(path, "only_in_threads")["work(1)"]["thread"] == "loader"
    own = lines_of(path, "work")["total += i"]
    assert (own["hits"], own["thread"]) == (str(2 + 7 + 3), "3 threads")
    functions = {row["name"]: row for row in table(path, "functions")}
    assert functions["only_in_threads"]["thread"] == "loader"
    assert functions["work"]["thread"] == "3 threads" and functions["work"]["ncalls"] == "9"


def test_a_thread_has_one_track_for_counts_and_scopes(tmp_path):
    path = tmp_path / "run.lap"

    def counted_first():
        work(2)
        laptime.step()  # writes this thread's counts before it has recorded anything itself
        with laptime.scope("inside"):
            work(2)

    def main():
        with laptime.profile(path, budget=None):
            work(1)
            in_thread("both", counted_first)

    main()
    (scope,) = [row for row in table(path, "scopes") if row["name"] == "inside"]
    assert scope["thread"] == lines_of(path, "counted_first")["work(2)"]["thread"] == "both"


def test_counts_belong_to_the_step_in_which_they_were_made(tmp_path):
    path = tmp_path / "run.lap"

    def steps():
        for n in (1, 30_000, 30_000, 30_000):  # the first is warmup
            work(n)
            laptime.step()
        work(300_000)

    with laptime.profile(path, budget=None):
        steps()
    row = lines_of(path, "work")["total += i"]
    assert int(row["hits"]) == 1 + 3 * 30_000 + 300_000
    per_step = int(row["step_p50_ns"])
    assert 0 < per_step < int(row["time_ns"]) / 3  # what came after the last step is in no step


def test_a_step_marked_without_the_gil_keeps_its_counts(tmp_path):
    path = tmp_path / "run.lap"
    mark = ctypes.CDLL(str(LIBRARY)).laptime_mark_step  # ctypes lets go of the GIL
    mark.argtypes = [ctypes.c_uint64]

    def steps():
        for i in range(21):
            work(20_000)
            mark(0) if i % 2 else laptime.step()
            list(range(100))  # the interpreter gets to what it was asked to do

    with laptime.profile(path, budget=None):
        steps()
    row = lines_of(path, "work")["total += i"]
    assert int(row["hits"]) == 21 * 20_000
    # Were the counts of every second step written with the next, the median would be nothing or
    # double. A busy machine makes the mean longer.
    mean = int(row["time_ns"]) / 21
    assert 0.1 * mean < int(row["step_p50_ns"]) < 1.5 * mean
    assert not [loss for loss in table(path, "warnings") if loss["name"] == "steps_without_gil"]


def test_steps_marked_while_the_interpreter_is_busy_are_told(tmp_path):
    path = tmp_path / "run.lap"
    code = textwrap.dedent(f"""
        import ctypes, threading, time, laptime
        step = ctypes.CDLL({str(LIBRARY)!r}).laptime_mark_step
        step.argtypes = [ctypes.c_uint64]
        def mark():
            time.sleep(0.3)  # a main thread that is not in C yet would write the first step at once
            for _ in range(3):
                step(0)
        with laptime.profile({str(path)!r}, budget=None):
            # The main thread waits inside C; another marks three steps without the GIL meanwhile.
            libc = ctypes.CDLL(None)
            thread = threading.Thread(target=mark)
            thread.start()
            libc.usleep(900000)
            thread.join()
    """)
    subprocess.run([sys.executable, "-c", code], check=True)
    (loss,) = [loss for loss in table(path, "warnings") if loss["name"] == "steps_without_gil"]
    assert int(loss["count"]) == 3


def test_clear_in_a_recording_loses_nothing(tmp_path):
    path = tmp_path / "run.lap"
    ready, go = threading.Event(), threading.Event()

    def waits_inside():
        work(5)
        ready.set()
        go.wait()
        work(5)

    with laptime.profile(path, functions=True, budget=None):
        thread = threading.Thread(target=waits_inside, name="waiting")
        thread.start()
        ready.wait()
        work(10)
        laptime.step()
        work(10)
        engine.clear()
        work(10)
        go.set()
        thread.join()
    assert lines_of(path, "work")["total += i"]["hits"] == "40"
    functions = {row["name"]: row for row in table(path, "functions")}
    assert functions["work"]["ncalls"] == "5"
    assert [row["ncalls"] for name, row in functions.items() if name.endswith("waits_inside")] == [
        "1"
    ]


PARENT_AND_CHILD = """
import os, threading, time

def work(n):
    total = 0
    for i in range(n):
        total += i
    return total

def sleeps():
    time.sleep(0.5)

threading.Thread(target=sleeps, daemon=True).start()
work(1000)
child = os.fork()
if child == 0:
    for _ in range(3):
        work(7)
    {end}
os.waitpid(child, 0)
"""


@pytest.mark.parametrize(
    "end", ["raise SystemExit(0)", "import multiprocessing"], ids=["exit", "falls through"]
)
def test_a_forked_child_writes_what_it_counted_itself(tmp_path, end):
    script = tmp_path / "forks.py"
    script.write_text(
        PARENT_AND_CHILD.format(end=end).replace(
            "os.waitpid(child, 0)", "if child: os.waitpid(child, 0)"
        )
    )
    path = tmp_path / "run.lap"
    subprocess.run([LAPTIME, "run", "-q", "-o", path, "--full", script], check=True, cwd=tmp_path)
    own = lines_of(path, "work")["total += i"]
    assert own["hits"] == str(1000 + 21)
    assert own["thread"] == "2 threads"
    # The child has no such thread: what it slept there is no time of the child's.
    slept = lines_of(path, "sleeps")["time.sleep(0.5)"]
    assert "2 threads" not in slept["thread"]


def test_functions_over_the_budget_are_marked(tmp_path):
    path = tmp_path / "run.lap"

    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    with laptime.profile(path, lines=False, functions=True, budget=0.01):
        fib(25)
    notes = {row["name"].rsplit(".", 1)[-1]: row["note"] for row in table(path, "functions")}
    assert "over budget" in notes["fib"]
    (loss,) = [loss for loss in table(path, "warnings") if loss["name"] == "over_budget"]
    assert int(loss["count"]) >= 1


def test_more_threads_than_are_kept_apart_are_told(tmp_path):
    path = tmp_path / "run.lap"
    script = tmp_path / "threads.py"
    script.write_text(
        "import threading\ndef f(): return 1\nfor _ in range(150):\n    t ="
        " threading.Thread(target=f)\n    t.start()\n    t.join()\n"
    )
    subprocess.run([LAPTIME, "run", "-q", "-o", path, "--full", script], check=True, cwd=tmp_path)
    assert lines_of(path, "f")["def f(): return 1"]["hits"] == "150"
    assert [loss["name"] for loss in table(path, "warnings") if loss["name"] == "threads_merged"]


def test_what_was_counted_before_a_recording_is_not_in_it(tmp_path):
    from laptime.compat.cprofile import Profile
    from laptime.compat.line_profiler import LineProfiler

    LineProfiler(work).runcall(work, 1000)
    Profile().runcall(work, 10)
    path = tmp_path / "run.lap"
    with laptime.profile(path, functions=True, budget=None):
        work(3)
    assert lines_of(path, "work")["total += i"]["hits"] == "3"
    assert [row["ncalls"] for row in table(path, "functions") if row["name"].endswith("work")] == [
        "1"
    ]
