#!/usr/bin/env python3
"""What `laptime run` adds to a training of 500 steps, by twins that take turns: bare and profiled.

Each twin trains the same small network on the same batches. It prints the wall time and CPU time of
its loop, and a digest of its weights. The twins must agree on the digest. The output is the ratio
of the fastest ones, how many steps were recorded in full, and what the hooks alone cost. Bars: the
loop takes at most 1.05 x bare, and at least 20 steady steps are recorded.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

STEPS = 500
RATIO_BAR = 1.05
RECORDED_BAR = 20
LAPTIME = Path(sys.executable).parent / "laptime"

PROGRAM = """
import hashlib, sys, time
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(0)
steps, batch = int(sys.argv[1]), int(sys.argv[2])
data = TensorDataset(torch.randn(steps * batch, 1, 14, 14), torch.randint(10, (steps * batch,)))
model = nn.Sequential(
    nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(512, 10),
)
optimizer = torch.optim.Adam(model.parameters())
begin, begin_cpu = time.perf_counter(), time.process_time()
for images, labels in DataLoader(data, batch):
    optimizer.zero_grad()
    F.cross_entropy(model(images), labels).backward()
    optimizer.step()
took, cpu = time.perf_counter() - begin, time.process_time() - begin_cpu
weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
print(took, cpu, hashlib.sha256(weights).hexdigest())
"""


def run(command, program, batch):
    text = subprocess.run(
        [*command, program, str(STEPS), str(batch)], capture_output=True, text=True, check=True
    ).stdout
    seconds, cpu, digest = text.split()
    return float(seconds), float(cpu), digest


def recorded_steps(file):
    text = subprocess.run(
        [LAPTIME, "report", file, "steps", "--json"], capture_output=True, text=True, check=True
    ).stdout
    table = json.loads(text)["tables"][0]
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row)) for row in table["rows"]]
    return len(rows), sum(row["recorded"] == 1 and row["kind"] == "steady" for row in rows)


def measure(batch, rounds, folder):
    program = folder / "train.py"
    program.write_text(PROGRAM)
    modes = {
        "bare": [sys.executable],
        "hooks alone": [LAPTIME, "run", "-q", "-o", folder / "hooks.lap", "--no-ops", "--no-lines"],
        "laptime run": [LAPTIME, "run", "-q", "-o", folder / "run.lap"],
        "laptime run --full": [LAPTIME, "run", "-q", "-o", folder / "full.lap", "--full"],
    }
    times = {mode: [] for mode in modes}
    digests = set()
    for command in modes.values():  # fills the file cache and compiles the shim
        run(command, program, batch)
    for _ in range(rounds):
        for mode, command in modes.items():
            seconds, cpu, digest = run(command, program, batch)
            times[mode].append((seconds, cpu))
            digests.add(digest)
    return times, digests, recorded_steps(folder / "run.lap")


def report(batch, times, recorded):
    """Prints the ratios and returns them by mode."""
    bare = [min(column) for column in zip(*times["bare"])]
    ratios = {"bare_ms_a_step": 1e3 * bare[0] / STEPS, "steps_recorded": recorded[1]}
    spread = max(pair[0] for pair in times["bare"]) / bare[0]
    print(
        f"batch {batch}: {1e3 * bare[0] / STEPS:.2f} ms a step bare; the slowest bare twin took"
        f" {spread:.2f} x the fastest"
    )
    for mode, pairs in times.items():
        if mode != "bare":
            wall, cpu = (min(column) / base for column, base in zip(zip(*pairs), bare))
            bar = f"  (bar {RATIO_BAR})" if mode == "laptime run" else ""
            ratios[mode] = {"wall": wall, "cpu": cpu}
            print(
                f"  {mode:<20} {wall:.3f} x bare, {1e6 * (wall - 1) * bare[0] / STEPS:+.1f} us a"
                f" step; CPU time {cpu:.3f} x{bar}"
            )
    print(f"  {recorded[1]} steady steps of {recorded[0]} recorded in full  (bar {RECORDED_BAR})")
    return ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--batch", type=int, nargs="*", default=[16, 64])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    good = True
    figures = {}
    for batch in options.batch:
        with tempfile.TemporaryDirectory() as folder:
            times, digests, recorded = measure(batch, options.rounds, Path(folder))
        figures[f"batch {batch}"] = report(batch, times, recorded)
        if len(digests) != 1 or recorded[0] != STEPS:
            print("  the twins do not agree: weights or steps differ", file=sys.stderr)
            good = False
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
