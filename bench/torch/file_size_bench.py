#!/usr/bin/env python3
"""The size of a run's file against the JSON trace that torch.profiler writes of the same steps.
Bar: 1/25.

The same small CNN trains twice: under torch.profiler, and under `laptime run --full` (ops with
their lines and modules, the program's own lines, steps, input waits). Check: both have the same
number of ops of each name.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

STEPS = 200
BAR = 1 / 25
LAPTIME = Path(sys.executable).parent / "laptime"
MODES = {"ops and lines": ([], {}), "and shapes": (["--shapes"], {"record_shapes": True})}

PROGRAM = """
import json, sys
import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
torch.manual_seed(0)
steps, trace, options = int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])

def train():
    images, labels = torch.randn(16, 1, 14, 14), torch.randint(10, (16,))
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Flatten(), nn.Linear(512, 10),
    )
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        F.cross_entropy(model(images), labels).backward()
        optimizer.step()

if trace:
    cpu = torch.profiler.ProfilerActivity.CPU
    with torch.profiler.profile(activities=[cpu], **options) as profiler:
        train()
    profiler.export_chrome_trace(trace)
else:
    train()
"""


def output(*command):
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=True
    ).stdout


def ops_in_trace(path):
    events = json.loads(path.read_text())["traceEvents"]
    return Counter(
        event["name"]
        for event in events
        if event.get("cat") == "cpu_op" and event["name"].startswith("aten::")
    )


def ops_in_run(path):
    (table,) = json.loads(output(LAPTIME, "report", path, "ops", "--json"))["tables"]
    names = [column["name"] for column in table["columns"]]
    calls = Counter()
    for row in table["rows"]:
        named = dict(zip(names, row))
        if named["name"].startswith("aten::"):
            calls[named["name"]] += named["calls"]
    return calls


def measure(arguments, options, folder):
    program, trace, file = folder / "train.py", folder / "trace.json", folder / "run.lap"
    program.write_text(PROGRAM)
    output(sys.executable, program, STEPS, trace, json.dumps(options))
    output(LAPTIME, "run", "-q", "--full", *arguments, "-o", file, program, STEPS, "", "{}")
    theirs, ours = ops_in_trace(trace), ops_in_run(file)
    return trace.stat().st_size, file.stat().st_size, theirs, ours


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures, good = {}, True
    for mode, (arguments, torchs) in MODES.items():
        with tempfile.TemporaryDirectory() as folder:
            trace, file, theirs, ours = measure(arguments, torchs, Path(folder))
        ops = sum(ours.values())
        figures[mode] = {
            "trace_bytes": trace,
            "file_bytes": file,
            "ratio": file / trace,
            "aten_ops": ops,
        }
        print(
            f"{mode}: {STEPS} steps, {ops:,} ops: JSON {trace / 1e6:.1f} MB, .lap {file / 1e6:.2f}"
            f" MB = {file / ops:.1f} bytes an op, 1/{trace / file:.0f}  (bar 1/25:"
            f" {'ok' if file / trace <= BAR else 'OVER'})",
            flush=True,
        )
        if theirs != ours:
            print(
                f"  the ops differ: {theirs - ours} only torch's, {ours - theirs} only laptime's",
                file=sys.stderr,
            )
            good = False
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
