"""What recording memory costs: a loop that allocates and frees, and whole steps of a small CNN with
ops, shapes and memory.

Modes take turns in one process. Each figure is the minimum of its rounds. Only ratios and
differences of one run are compared. Check: the run has as many allocations as the loop made.
"""

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
from laptime._native import recording
from laptime.frameworks.torch import memory, ops

PAIRS = 20_000
ROUNDS = 15
STEPS = 40
BAR = 1.13


def allocate_and_free():
    empty = torch.empty
    for _ in range(PAIRS):
        empty(16)


def cnn_steps():
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 16, 3),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(16, 32, 3),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(800, 64),
        torch.nn.ReLU(),
        torch.nn.Linear(64, 10),
    )
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    images, labels = torch.randn(16, 1, 28, 28), torch.randint(0, 10, (16,))

    def steps(at_step):
        for _ in range(STEPS):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(images), labels).backward()
            optimizer.step()
            at_step()

    return steps


def minimum_times(modes, rounds=ROUNDS):
    """`modes`: by name, what to do before, what to time, and what to do after."""
    times = dict.fromkeys(modes, float("inf"))
    for _ in range(rounds):
        for name, (before, function, after) in modes.items():
            before()
            began = time.perf_counter()
            function()
            times[name] = min(times[name], time.perf_counter() - began)
            after()
    return times


def nothing():
    pass


def measure():
    source, shaped = memory.load(), ops.load(shapes=True)
    steps = cnn_steps()
    source.close()
    pairs = minimum_times({"bare": (nothing, allocate_and_free, nothing)})
    source = memory.load()
    pairs |= minimum_times(
        {
            "resting": (nothing, allocate_and_free, nothing),
            "memory": (source.on, allocate_and_free, source.off),
        }
    )

    def all_on():
        shaped.on()
        source.on()

    def all_off():
        source.off()
        shaped.off()

    whole = minimum_times(
        {
            "bare": (nothing, lambda: steps(nothing), nothing),
            "memory": (source.on, lambda: steps(source.at_step), source.off),
            "ops, shapes, memory": (all_on, lambda: steps(source.at_step), all_off),
        }
    )
    shaped.close()
    source.close()
    return pairs, whole


def recorded_allocations(path):
    """The loop's allocations belong to one step."""
    source = memory.load()
    recording.start(str(path))
    source.on()
    allocate_and_free()
    recording.mark_step()
    source.close()
    recording.stop()
    report = subprocess.run(
        [Path(sys.executable).parent / "laptime", "report", path, "memory_steps", "--json"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    (table,) = json.loads(report)["tables"]
    column = [column["name"] for column in table["columns"]].index("allocations")
    return sum(row[column] for row in table["rows"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    gc.disable()
    with tempfile.TemporaryDirectory() as folder:
        recording.start(f"{folder}/bench.lap")
        pairs, whole = measure()
        recording.stop()
        counted = recorded_allocations(Path(folder) / "check.lap")
    figures = {
        "pair_ns": (pairs["memory"] - pairs["bare"]) / PAIRS * 1e9,
        "resting_pair_ns": (pairs["resting"] - pairs["bare"]) / PAIRS * 1e9,
        "step_memory": whole["memory"] / whole["bare"],
        "step_all": whole["ops, shapes, memory"] / whole["bare"],
    }
    print(
        f"an allocation and its release: {figures['pair_ns']:+.1f} ns; while memory rests:"
        f" {figures['resting_pair_ns']:+.1f} ns"
    )
    print(
        f"CNN step ({whole['bare'] / STEPS * 1e3:.2f} ms): with memory {figures['step_memory']:.3f}"
        f" ×; with ops, shapes and memory {figures['step_all']:.3f} × (bar {BAR} ×)"
    )
    print(f"check: {counted} allocations recorded, {PAIRS} made")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    return 0 if counted == PAIRS else 1


if __name__ == "__main__":
    sys.exit(main())
