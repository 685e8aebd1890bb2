"""kill -9 at a random moment.

Every scope that had ended before is in what is left, and no other.
"""

import os
import random
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from campaign import Result
from progress import Progress
from reading import losses, scope_calls

PROGRAMS = Path(__file__).parent / "programs"
THREADS = 2
MOST_SECONDS = 2.0
VICTIMS = ("program", "laptime run", "both")


class Target:
    """A program that counts its scopes, and how `laptime run` starts it."""

    def __init__(self, name, laptime, words):
        self.name, self.laptime, self.words = name, laptime, words


def wait_until(holds, seconds=30):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise RuntimeError("the program did not start")
        time.sleep(0.005)


def child_of(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(children[0])


def is_gone(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def kill_once(target, victim, after, folder):
    """None, or what did not hold."""
    counts = folder / "counts"
    counts.write_bytes(bytes(8 * (THREADS + 1)))

    def done():
        return struct.unpack(f"{THREADS + 1}q", counts.read_bytes())

    run = subprocess.Popen(
        [target.laptime, "run", "-q", "-o", "run.lap", *target.words, counts],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: done()[-1])
    program = child_of(run.pid)
    time.sleep(after)
    if victim != "program":
        os.kill(run.pid, signal.SIGKILL)
    if victim == "laptime run":
        time.sleep(0.05)
    os.kill(program, signal.SIGKILL)
    run.wait(timeout=60)
    wait_until(lambda: is_gone(program))
    left = folder / ("run.lap" if victim == "program" else "run.lap.d")
    noted = sum(done()[:-1])
    try:
        read = scope_calls(target.laptime, left)["work"]
        lost = losses(target.laptime, left)
    except RuntimeError as error:
        return f"{target.name}, {victim} killed after {after:.2f} s: {error}"
    if noted <= read <= noted + THREADS and not lost:
        return None
    return (
        f"{target.name}, {victim} killed after {after:.2f} s: {noted} scopes ended, {read} read,"
        f" lost: {lost}"
    )


def kills(targets, count, chance: random.Random):
    result = Result(
        "kill -9 loses nothing that was recorded",
        f"kills at random moments of {', '.join(t.name for t in targets)}; of the program, of"
        " `laptime run`, of both",
    )
    progress = Progress("kills", count)
    for i in range(count):
        folder = Path(tempfile.mkdtemp(prefix="laptime-torture-"))
        try:
            target, victim = targets[i % len(targets)], chance.choice(VICTIMS)
            result.add(kill_once(target, victim, chance.uniform(0, MOST_SECONDS), folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        progress.step()
    return result
