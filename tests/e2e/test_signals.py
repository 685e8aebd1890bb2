"""Signals to `laptime run`, to its group and from a terminal reach the program once, and everybody
sees the program's own end.
"""

import os
import pty
import signal
import subprocess
import time
from pathlib import Path

import pytest
from test_cli import LAPTIME, tables

# Counts what it gets until its stdin is closed. "default": handles nothing.
PROGRAM = r"""
#include <csignal>
#include <cstdio>
#include <cstring>
#include <cerrno>
#include <unistd.h>
static volatile sig_atomic_t counts[65];
static volatile sig_atomic_t last_value;
int main(int argc, char** argv) {
  const bool handles = argc < 2 || std::strcmp(argv[1], "default") != 0;
  for (int s = 1; handles && s < 65; ++s) {
    struct sigaction action{};
    action.sa_sigaction = [](int n, siginfo_t* info, void*) {
      counts[n] = counts[n] + 1;
      last_value = info->si_value.sival_int;
    };
    action.sa_flags = SA_SIGINFO;
    if (s != SIGTSTP && s != SIGTTIN && s != SIGTTOU && s != SIGCONT)
      sigaction(s, &action, nullptr);
  }
  if (argc > 1 && std::strcmp(argv[1], "tells parent") == 0) kill(getppid(), SIGUSR2);
  if (argc > 1 && std::strcmp(argv[1], "stops") == 0) raise(SIGSTOP);
  std::printf("ready %d\n", getpid());
  std::fflush(stdout);
  char c;
  for (ssize_t n; (n = read(0, &c, 1)) != 0;)
    if (n < 0 && errno != EINTR) break;
  for (int s = 1; s < 65; ++s)
    if (counts[s]) std::printf("%d: %d\n", s, static_cast<int>(counts[s]));
  std::printf("value %d\n", static_cast<int>(last_value));
  return 7;
}
"""
ALL = sorted(
    set(range(1, 32))
    - {
        signal.SIGKILL,
        signal.SIGSTOP,
        signal.SIGTSTP,
        signal.SIGTTIN,
        signal.SIGTTOU,
        signal.SIGCONT,
    }
    | {signal.SIGRTMIN, signal.SIGRTMIN + 5, signal.SIGRTMAX}
)
LONGER_THAN_A_GRACE = 0.15


@pytest.fixture(scope="module")
def program(compile_program):
    return compile_program("signals", PROGRAM)


class Started:
    """`laptime run` with a program that has said "ready", in a group of its own."""

    def __init__(self, folder, words, **popen):
        self.process = subprocess.Popen(
            [LAPTIME, "run", "-q", "-o", folder / "run.lap", "--", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **{"process_group": 0, **popen},
        )
        ready = self.process.stdout.readline().split()
        assert ready and ready[0] == "ready", self.process.stderr.read()
        self.program = int(ready[1])

    @property
    def pid(self):
        return self.process.pid

    def counts(self):
        """Closes stdin and returns what the program counted, and the value of its last signal."""
        time.sleep(LONGER_THAN_A_GRACE)
        out, self.errors = self.process.communicate(timeout=20)
        lines = [line.split() for line in out.splitlines()]
        self.value = int(lines[-1][1])
        return {int(words[0].rstrip(":")): int(words[1]) for words in lines[:-1]}


@pytest.fixture
def start(program, tmp_path):
    started = []

    def begin(*words, **popen):
        started.append(Started(tmp_path, [program, *words], **popen))
        return started[-1]

    yield begin
    for each in started:
        each.process.kill()
        each.process.communicate()


def state(pid):
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def wait_until(condition):
    for _ in range(200):
        if condition():
            return True
        time.sleep(0.02)
    return False


def test_each_signal_to_laptime_alone_reaches_the_program_once(start):
    run = start()
    for number in ALL:
        os.kill(run.pid, number)
        time.sleep(0.06)
    assert run.counts() == dict.fromkeys(ALL, 1)
    assert run.process.returncode == 7


def test_each_signal_to_the_group_reaches_the_program_once(start):
    run = start()
    for number in ALL:
        os.killpg(run.pid, number)
        time.sleep(0.02)
    assert run.counts() == dict.fromkeys(ALL, 1)


def test_a_scheduler_that_signals_one_process_after_the_other_is_heard_once(start):
    run = start()
    children = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()
    for pid in [run.pid, *map(int, children)]:
        os.kill(pid, signal.SIGUSR1)
        time.sleep(0.005)
    assert run.counts() == {signal.SIGUSR1: 1}


def test_queued_signals_keep_number_and_value(start):
    run = start()
    for _ in range(3):
        subprocess.run(
            ["/bin/kill", "-q", "42", "-s", str(signal.SIGRTMIN + 2), str(run.pid)], check=True
        )
    time.sleep(0.3)
    assert run.counts() == {signal.SIGRTMIN + 2: 3} and run.value == 42


def test_what_the_program_sends_to_its_parent_goes_to_the_caller(program, tmp_path):
    got = []
    before = signal.signal(signal.SIGUSR2, lambda *_: got.append(1))
    try:
        run = Started(tmp_path, [program, "tells parent"])
        assert wait_until(lambda: got) and run.counts() == {}
    finally:
        signal.signal(signal.SIGUSR2, before)


@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGALRM, signal.SIGHUP, signal.SIGQUIT],
)
@pytest.mark.parametrize("send", [os.kill, os.killpg])
def test_the_end_by_a_signal_is_the_same_and_the_run_is_there(start, tmp_path, number, send):
    run = start("default")
    send(run.pid, number)
    assert run.process.wait(timeout=20) == -number
    assert {row["key"]: row["value"] for row in tables(tmp_path / "run.lap", "run")["run"]}[
        "exit_signal"
    ] == number


def test_a_program_that_is_killed_is_seen_as_killed(start):
    run = start("default")
    os.kill(run.program, signal.SIGKILL)
    assert run.process.wait(timeout=20) == -signal.SIGKILL


def test_the_program_ends_with_laptime_when_that_is_killed(start):
    run = start()
    run.process.kill()
    assert wait_until(
        lambda: not Path(f"/proc/{run.program}").exists() or state(run.program) == "Z"
    )


def test_timeout_gives_its_own_exit_code_and_one_signal(program, tmp_path):
    words = [
        "timeout",
        "-s",
        "USR1",
        "-k",
        "5",
        "0.4",
        LAPTIME,
        "run",
        "-q",
        "-o",
        tmp_path / "run.lap",
        "--",
        program,
    ]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("ready")
    time.sleep(0.8)
    out, _ = process.communicate(timeout=20)
    assert f"{int(signal.SIGUSR1)}: 1\n" in out and process.returncode == 124


def test_an_alarm_that_was_set_before_reaches_the_program(program, tmp_path):
    words = [
        "perl",
        "-e",
        "alarm 1; exec @ARGV",
        LAPTIME,
        "run",
        "-q",
        "-o",
        tmp_path / "run.lap",
        "--",
        program,
        "default",
    ]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.wait(timeout=20) == -signal.SIGALRM
    process.stdin.close()


def test_what_was_ignored_stays_ignored(program, tmp_path):
    words = [
        "sh",
        "-c",
        'trap "" HUP CHLD; exec "$@"',
        "sh",
        LAPTIME,
        "run",
        "-q",
        "-o",
        tmp_path / "run.lap",
        "--",
        program,
        "default",
    ]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("ready")
    os.kill(process.pid, signal.SIGHUP)
    time.sleep(LONGER_THAN_A_GRACE)
    process.communicate(timeout=20)
    assert process.returncode == 7


def test_the_program_starts_with_the_mask_and_handlers_that_laptime_was_given(tmp_path):
    def signals(words):
        text = subprocess.run(
            [
                "sh",
                "-c",
                'trap "" USR2; exec "$@"',
                "sh",
                *words,
                "grep",
                "^Sig",
                "/proc/self/status",
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        return [line for line in text.splitlines() if not line.startswith("SigQ")]

    assert signals([LAPTIME, "run", "-q", "-o", tmp_path / "run.lap", "--"]) == signals(["env"])


def test_a_program_that_stops_itself_is_seen_and_goes_on(program, tmp_path):
    process = subprocess.Popen(
        [LAPTIME, "run", "-q", "-o", tmp_path / "run.lap", "--", program, "stops"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status) and os.WSTOPSIG(status) == signal.SIGSTOP
    os.kill(process.pid, signal.SIGCONT)
    assert process.stdout.readline().startswith("ready")
    process.communicate(timeout=20)
    assert process.returncode == 7


def test_stopping_and_continuing_the_program_itself_does_not_leave_laptime_stopped(start):
    run = start()
    os.kill(run.program, signal.SIGSTOP)
    assert wait_until(lambda: state(run.pid) == "T")
    os.kill(run.program, signal.SIGCONT)
    assert wait_until(lambda: state(run.pid) != "T")
    assert run.counts() == {} and run.process.returncode == 7


class Terminal:
    """An interactive shell with job control on a terminal of its own."""

    def __init__(self, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(
                "bash",
                ["bash", "--norc", "--noprofile", "-i"],
                {**os.environ, "PS1": "$ ", "TERM": "dumb"},
            )
        self.seen = ""

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait_for(self, text):
        os.set_blocking(self.fd, False)
        deadline = time.monotonic() + 20
        while text not in self.seen:
            assert time.monotonic() < deadline, self.seen
            try:
                self.seen += os.read(self.fd, 4096).decode(errors="replace")
            except BlockingIOError:
                time.sleep(0.02)
        before, self.seen = self.seen.split(text, 1)
        return before

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


@pytest.fixture
def terminal(tmp_path):
    opened = Terminal(tmp_path)
    opened.wait_for("$ ")
    yield opened
    opened.close()


def test_job_control(terminal, program):
    terminal.type(f"{LAPTIME} run -q -o run.lap -- {program}; echo code=$?\n")
    terminal.wait_for("ready")
    terminal.type("\x1a")  # Ctrl-Z
    terminal.wait_for("Stopped")
    terminal.type("jobs; fg\n")
    terminal.wait_for("laptime run")
    time.sleep(LONGER_THAN_A_GRACE)
    terminal.type("\x03")  # Ctrl-C
    time.sleep(LONGER_THAN_A_GRACE)
    terminal.type("\x03")
    time.sleep(LONGER_THAN_A_GRACE)
    terminal.type("\x04")  # the end of its stdin
    counted = terminal.wait_for("value")
    assert f"{int(signal.SIGINT)}: 2" in counted
    terminal.type("echo code=$?\n")
    terminal.wait_for("code=7")
