"""The outcome of a test stage: runs its commands, shows their output, keeps it in the log and
counts tests.
"""

import contextlib
import os
import re
import signal
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build" / "logs"

CTEST_SUMMARY = re.compile(r"tests passed, (\d+) tests failed out of (\d+)")
PYTEST_SUMMARY = re.compile(r"^=* ?((?:\d+ \w+(?:, )?)+) in [\d.]+s", re.MULTILINE)
# Of pytest, of ctest.
FAILED_TEST = re.compile(
    r"^(?:(?:FAILED|ERROR) (tests/\S.*)|\t *\d+ - (\S.*\((?!Skipped|Disabled)[^()]+\)))$",
    re.MULTILINE,
)

_lock = threading.Lock()  # guards the two below
_running = set()
_stopped = False
_printing = threading.Lock()


def say(stage, text):
    """Prints a line of the stage among those of other stages."""
    with _printing:
        print(f"{stage:<10} | {text}", flush=True)


def stop_all():
    """Ends every command with all its children, and starts no more."""
    global _stopped
    with _lock:
        _stopped = True
        for process in _running:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)


def _start(command):
    """The process, in a session of its own, so that it ends with its children. None after
    stop_all().
    """
    with _lock:
        if _stopped:
            return None
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        _running.add(process)
        return process


def _end(process):
    code = process.wait()
    with _lock:
        _running.discard(process)
    return code


@dataclass
class Outcome:
    stage: str
    ok: bool = True
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ""
    seconds: float = 0
    recalled: str = ""  # the summary of the last run, if that had the same files
    stands_back: bool = False  # its commands run at a lower priority than other stages'
    # The tests that failed, each with the reason if its runner gives one.
    failures: list = field(default_factory=list)

    def count(self, text):
        """Adds the tests that ctest or pytest reports in the last lines of `text`."""
        self.failures += [pytest or ctest for pytest, ctest in FAILED_TEST.findall(text)]
        for failed, total in CTEST_SUMMARY.findall(text):
            self.failed += int(failed)
            self.passed += int(total) - int(failed)
        for summary in PYTEST_SUMMARY.findall(text):
            for number, word in re.findall(r"(\d+) (\w+)", summary):
                if word in ("passed", "xfailed"):
                    self.passed += int(number)
                elif word in ("failed", "error", "errors", "xpassed"):
                    self.failed += int(number)
                elif word == "skipped":
                    self.skipped += int(number)

    def run(self, *command):
        """Runs a command, shows its output and keeps it in the stage's log.

        Returns whether it succeeded.
        """
        say(self.stage, "+ " + " ".join(map(str, command)))
        process = _start(["nice", "-n", "10", *command] if self.stands_back else command)
        if process is None:
            self.ok = False
            return False
        output = []
        with open(LOGS / f"{self.stage}.log", "a", encoding="utf-8") as log:
            for line in process.stdout:
                say(self.stage, line.rstrip("\n"))
                log.write(line)
                output.append(line)
        succeeded = _end(process) == 0
        self.count("".join(output))
        self.ok = succeeded and self.ok
        return succeeded

    def summary(self):
        if self.recalled:
            return f"{self.recalled}  (same files as then, not run again)"
        counts = f"{self.passed} passed, {self.failed} failed"
        if self.skipped:
            counts += f", {self.skipped} skipped"
        if not self.passed and not self.failed:
            counts = "ok" if self.ok else f"failed (build/logs/{self.stage}.log)"
        elif not self.ok and not self.failed:
            counts += f", and the stage failed (build/logs/{self.stage}.log)"
        note = f"  {self.note}" if self.note else ""
        failures = "".join(f"\n{'':<10}   {failure}" for failure in self.failures)
        return f"{self.stage:<10} {counts}  [{self.seconds:.0f} s]{note}{failures}"
