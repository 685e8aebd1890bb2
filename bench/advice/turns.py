"""Programs in turns: all are alive, and one runs while the others are stopped. So their steps come
from the same minutes.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import ticks

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from gains import Gain, median_gain

HERE = Path(__file__).resolve().parent
WARM_TICKS = 12
START_S = 120
FEWEST_ROUNDS = 3


def with_descendants(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += [int(child) for child in children.read_text().split()]
    return found


@dataclass
class Child:
    """A training program without laptime."""

    name: str
    command: list[str]
    folder: Path
    environment: dict[str, str]
    rates: list[float] = field(default_factory=list)  # steps a second, by turn
    problem: str = ""

    def __post_init__(self) -> None:
        self._ticks = self.folder / f"{self.name}.ticks"
        self._errors = self.folder / f"{self.name}.err"
        command = [
            sys.executable,
            *(word.replace("{ticks}", str(self._ticks)) for word in self.command),
        ]
        with self._errors.open("w") as errors:
            self._process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=self.environment,
                start_new_session=True,
                stdout=subprocess.DEVNULL,
                stderr=errors,
            )

    def wait_until_warm(self) -> None:
        limit = time.monotonic() + START_S
        while len(ticks.read(self._ticks)) < WARM_TICKS:
            if self._process.poll() is not None or time.monotonic() > limit:
                self.problem = f"exit {self._process.poll()}: {self._errors.read_text()[-600:]}"
                return
            time.sleep(0.1)

    def stop(self) -> None:
        self._signal(signal.SIGSTOP)

    def _signal(self, number: int) -> None:
        """Sends the signal to the program and all its children, which may be in sessions of their
        own.
        """
        for pid in with_descendants(self._process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def turn(self, seconds: float) -> None:
        """Does not count the first third of the turn: caches fill, and queues of batches and
        launches reach their usual length.
        """
        counted_from = time.perf_counter_ns() + int(seconds * 1e9 / 3)
        self._signal(signal.SIGCONT)
        time.sleep(seconds)
        counted_to = time.perf_counter_ns()
        self.stop()
        if self._process.poll() is not None:
            self.problem = f"exit {self._process.poll()}: {self._errors.read_text()[-600:]}"
            return
        times = [at for at in ticks.read(self._ticks) if counted_from <= at <= counted_to]
        self.rates.append(
            (len(times) - 1) / (times[-1] - times[0]) * 1e9 if len(times) > 2 else 0.0
        )

    def end(self) -> None:
        if self._process.poll() is None:
            self.stop()  # so that none starts another process meanwhile
            self._signal(signal.SIGKILL)
            self._process.wait()


def take_turns(
    starts: list[Callable[[], Child]], turn_s: float, rounds: int, together: bool
) -> list[Child]:
    """``together``: all start at once, if there are enough processors."""
    children: list[Child] = []
    try:
        for start in starts:
            children.append(start())
            if not together:
                settle(children[-1])
        if together:
            for child in children:
                settle(child)
        alive = [child for child in children if not child.problem]
        order = random.Random(3)
        for _ in range(rounds):
            order.shuffle(alive)
            for child in alive:
                child.turn(turn_s)
            alive = [child for child in alive if not child.problem]
    finally:
        for child in children:
            child.end()
    return children


def settle(child: Child) -> None:
    child.wait_until_warm()
    if not child.problem:
        child.stop()


def gain(before: Child, after: Child, samples: float) -> Gain | None:
    gains = [samples * b / a for a, b in zip(before.rates, after.rates) if a > 0 and b > 0]
    return median_gain(gains) if len(gains) >= FEWEST_ROUNDS else None
