"""One process of the campaign: ``child.py MODE LEVEL WORKLOAD [LAP]``; prints lines of JSON.

turns   steps on request: reads "go", runs a few steps, prints their times;
        at "end" it prints what it recorded
record  warms up, runs STEPS steps, prints what it recorded
compare warms up, runs STEPS steps at the level, takes laptime out again,
        and runs as many with torch.profiler, twice
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable

import torch
from levels import RUN, Level
from workloads import DEVICE, make

STEPS = int(os.environ.get("STEPS", "20"))
WARMUP = {"gpt": 4, "resnet": 6, "compile": 25, "graphs": 25, "compiled": 25}
GPU_BOUND = ("gpt", "resnet")


def synchronize() -> None:
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def pin() -> None:
    """Puts the main thread and autograd's on one core, the others elsewhere. So wake-ups do not
    disturb the numbers.
    """
    if (os.cpu_count() or 1) < 12:
        return
    for thread in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{thread}/comm", encoding="utf-8") as file:
            on_core = int(thread) == os.getpid() or "autograd" in file.read()
        os.sched_setaffinity(int(thread), {4} if on_core else {6, 7, 8, 9, 10, 11})


def report(**values: object) -> None:
    print(json.dumps(values), flush=True)


def begin(
    level_name: str, workload: str, lap: str | None, settle_s: float = 0
) -> tuple[Level, object]:
    """`settle_s`: a GPU that begins to work hard lowers its clocks in the first seconds."""
    gc.disable()
    step = make(workload)
    for _ in range(WARMUP.get(workload, 30) if DEVICE == "cuda" else 2):
        step()
    synchronize()
    settled = time.monotonic() + settle_s
    while time.monotonic() < settled:
        step()
        synchronize()
    pin()
    level = Level("bare" if level_name in RUN else level_name, lap)
    level.begin(step)
    step()
    synchronize()
    pin()  # threads that the level started would stay on this core
    return level, step


def turns(level_name: str, workload: str, lap: str | None) -> None:
    level = take_turns(level_name, workload, lap)
    if level_name.startswith("profiler"):  # making its results would take longer than the turns did
        report(end={})
        os._exit(0)
    report(end=level.end())


def take_turns(level_name: str, workload: str, lap: str | None) -> Level:
    """Steps until the request to end."""
    level, step = begin(level_name, workload, lap)
    report(ready=True)
    steps, skipped = (4, 1) if workload in GPU_BOUND else (13, 3)
    for line in sys.stdin:
        if line.strip() == "end":
            break
        times = []
        for _ in range(steps):
            started = time.perf_counter()
            step()
            level.mark()
            if workload in GPU_BOUND:
                synchronize()
            times.append((time.perf_counter() - started) * 1e6)
        synchronize()
        report(us=times[skipped:])
    return level


def record(level_name: str, workload: str, lap: str | None) -> None:
    level, step = begin(level_name, workload, lap)
    run(level, step)
    report(steps=STEPS, **what_was_recorded(level))


def compare(level_name: str, workload: str, lap: str | None) -> None:
    level, step = begin(level_name, workload, lap, settle_s=5 if workload in GPU_BOUND else 0)
    run(level, step)
    synchronize()
    level.flush()
    level.detach(step)
    report(
        steps=STEPS + 1,
        level=what_was_recorded(level),
        profiler=profiled(step),
        profiler_again=profiled(step),
    )


def profiled(step: Callable[[], None]) -> dict[str, object]:
    """What torch.profiler records of as many steps as `begin` and `run` make."""
    profiler = Level("profiler", None)
    profiler.begin(step)
    step()
    run(profiler, step)
    synchronize()
    return what_was_recorded(profiler)


def run(level: Level, step: object) -> None:
    synchronize()
    level.mark()
    for _ in range(STEPS):
        step()
        level.mark()


def what_was_recorded(level: Level) -> dict[str, object]:
    outcome = level.end()
    if level.name.startswith("profiler"):
        events = level.profiled_kernels()
        outcome["events"], outcome["ns"] = len(events), sum(ns for _, ns in events)
    return outcome


if __name__ == "__main__":
    {"turns": turns, "record": record, "compare": compare}[sys.argv[1]](
        sys.argv[2], sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None
    )
    sys.stdout.flush()
