"""SIGTERM ends a program of a run as it ends it without laptime, and what was counted until then is
kept where Python can be asked.
"""

import csv
import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from compat_sandbox import recording_environment

LAPTIME = Path(sys.executable).with_name("laptime")
ENDED = -signal.SIGTERM

# Neither looks at signals before it is done, long after the test; the second one lets other threads
# have Python meanwhile.
LONG_CALLS = ["sum(range(10**12))", "__import__('hashlib').pbkdf2_hmac('sha256', b'', b'', 10**9)"]


class Program:
    """A program of a run that has said "ready"."""

    def __init__(self, sandbox, source):
        sandbox.write("program.py", source)
        self.recorded = sandbox.folder / "run.lap.d"
        self.process = subprocess.Popen(
            [sys.executable, "program.py"],
            cwd=sandbox.folder,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=recording_environment(self.recorded),
        )
        assert self.process.stdout.readline() == b"ready\n"

    def terminate(self):
        """Its exit code, and how long it took to end."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        return self.wait(), time.monotonic() - begin

    def wait(self):
        """Its exit code; `self.output`: what it said since it was ready."""
        said, _ = self.process.communicate(timeout=60)
        self.output = said.decode()
        return self.process.returncode

    def table(self, name):
        done = subprocess.run(
            [LAPTIME, "report", self.recorded, name, "--csv"],
            capture_output=True,
            text=True,
            check=True,
        )
        return list(csv.DictReader(io.StringIO(done.stdout)))

    def hits(self, line):
        return sum(int(row["hits"]) for row in self.table("lines") if row["source"].strip() == line)

    def warnings(self):
        return [row["name"] for row in self.table("warnings")]


@pytest.fixture
def program(sandbox):
    started = []

    def start(source):
        started.append(Program(sandbox, source))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.communicate()


@pytest.mark.parametrize(
    "waits", ["time.sleep(60)", "threading.Event().wait()", "while True: pass"]
)
def test_counts_are_written_where_python_answers(program, waits):
    ended = program(f"""
        import threading, time
        for i in range(7):
            work = i
        print('ready', flush=True)
        {waits}
    """)
    code, took = ended.terminate()
    assert code == ENDED and took < 20
    assert ended.hits("work = i") == 7 and "sigterm" not in ended.warnings()


@pytest.mark.parametrize("call", LONG_CALLS)
def test_a_long_call_does_not_keep_it_alive(program, call):
    ended = program(f"""
        import laptime
        for i in range(7):
            work = i
        laptime.step()
        print('ready', flush=True)
        {call}
    """)
    time.sleep(0.5)
    code, took = ended.terminate()
    assert code == ENDED and took < 20
    assert ended.hits("work = i") == 7  # of a step that ended
    assert "sigterm" in ended.warnings()


def test_a_handler_behind_ours_is_called_once(program, sandbox):
    ended = program(f"""
        import faulthandler, signal
        log = open('tracebacks', 'w')
        faulthandler.register(signal.SIGTERM, file=log, chain=True)
        print('ready', flush=True)
        {LONG_CALLS[0]}
    """)
    time.sleep(0.5)
    code, took = ended.terminate()
    assert code == ENDED and took < 20
    assert (sandbox.folder / "tracebacks").read_text().count("most recent call first") == 1


def test_writing_that_hangs_does_not_keep_it_alive(program):
    ended = program("""
        import time
        from laptime.frameworks import torch as torch_collector
        torch_collector.stop = lambda: time.sleep(60)
        print('ready', flush=True)
        time.sleep(60)
    """)
    code, took = ended.terminate()
    assert code == ENDED and took < 40 and "sigterm" in ended.warnings()


def test_nothing_runs_after_a_signal_to_itself(program):
    ended = program("""
        import os, signal
        print('ready', flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
        print('after', flush=True)
    """)
    assert ended.wait() == ENDED and ended.output == ""
    assert ended.hits("os.kill(os.getpid(), signal.SIGTERM)") == 1


def test_the_program_sees_the_default(program):
    ended = program("""
        import signal
        print('ready', flush=True)
        print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
    """)
    assert ended.wait() == 0 and ended.output == "True\n"


@pytest.mark.parametrize("handler", ["SIG_DFL", "getsignal(signal.SIGTERM)"])
def test_the_default_is_the_default_when_it_is_set(program, handler):
    ended = program(f"""
        import signal
        signal.signal(signal.SIGTERM, signal.{handler})
        print('ready', flush=True)
        {LONG_CALLS[0]}
    """)
    assert ended.terminate()[0] == ENDED


def test_a_handler_of_the_programs_own_stays(program):
    ended = program("""
        import signal, sys, time
        def end(*_):
            print('own', flush=True)
            sys.exit(3)
        signal.signal(signal.SIGTERM, end)
        print('ready', flush=True)
        time.sleep(60)
    """)
    assert ended.terminate()[0] == 3 and ended.output == "own\n"
    assert ended.hits("sys.exit(3)") == 1


def test_an_ignored_signal_stays_ignored(program):
    ended = program("""
        import os, signal
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print('ready', flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
        print('goes on')
    """)
    assert ended.wait() == 0 and ended.output == "goes on\n"


@pytest.mark.parametrize("child", ["time.sleep(60)", LONG_CALLS[0]])
def test_children_of_fork_end_by_it(program, child):
    ended = program(f"""
        import os, signal, time
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            in_child = 1
            os.write(write, b'x')
            {child}
        os.read(read, 1)
        time.sleep(0.2)
        print('ready', flush=True)
        os.kill(child, signal.SIGTERM)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert ended.wait() == 0 and ended.output == f"{ENDED}\n"
    assert ended.hits("in_child = 1") == ("sleep" in child)


def test_a_child_that_python_does_not_know_ends_at_once(program):
    """What lies between a library's fork and its exec: nobody there would answer, and a timer would
    not outlive the exec.
    """
    ended = program("""
        import ctypes, os, signal, time
        libc = ctypes.PyDLL(None)
        begin = time.monotonic()
        print('ready', flush=True)
        child = libc.fork()
        if child == 0:
            getattr(libc, 'raise')(signal.SIGTERM)
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert ended.wait() == 0 and ended.output == f"{ENDED}\n"


def test_a_program_after_exec_ends_by_it(program):
    ended = program("""
        import os
        os.execvp("sh", ["sh", "-c", "echo ready; exec sleep 60"])
    """)
    assert ended.terminate()[0] == ENDED


def test_sigterm_at_the_very_end(program):
    """After the counts are written nobody answers any more, and nobody need to."""
    ended = program("""
        import atexit, os, signal, sys
        class Late:
            def __del__(self, kill=os.kill, process=os.getpid()):
                kill(process, 15)
        sys.late = Late()
        print('ready', flush=True)
        work = 1
    """)
    assert ended.wait() == ENDED and ended.hits("work = 1") == 1


def test_pools_workers_leave_their_counts(program):
    """A pool ends its workers by SIGTERM."""
    ended = program("""
        import multiprocessing
        def square(n):
            return n * n
        if __name__ == '__main__':
            print('ready', flush=True)
            with multiprocessing.get_context('fork').Pool(2) as pool:
                print(sum(pool.map(square, range(40))))
    """)
    assert ended.wait() == 0 and ended.output == "20540\n"
    assert ended.hits("return n * n") == 40
