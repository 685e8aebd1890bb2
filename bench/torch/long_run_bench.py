#!/usr/bin/env python3
"""A million steps under `laptime run`: memory must stay flat, and the file must grow only by what
is recorded.

The program makes steps with almost nothing in them. It prints its anonymous memory after a tenth of
them and at the end. Checks: it grew by at most 8 MiB in between, and every step is in the file. The
output also has the file's bytes a step, with the default budget and with `--steps 100:200`, which
records the ops of a hundred steps only.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

STEPS = 1_000_000
MOST_GROWTH_KIB = 8 * 1024
LAPTIME = Path(sys.executable).parent / "laptime"
MODES = {"default budget": [], "--steps 100:200": ["--steps", "100:200"]}

PROGRAM = """
import sys
import torch

torch.set_num_threads(1)
steps = int(sys.argv[1])

def anonymous_kib():
    with open("/proc/self/status") as status:
        return int(next(line.split()[1] for line in status if line.startswith("RssAnon")))

class Nothing(torch.optim.Optimizer):
    def __init__(self):
        super().__init__([torch.nn.Parameter(torch.zeros(1))], {})

    def step(self):
        pass

class Batches(torch.utils.data.IterableDataset):
    def __iter__(self):
        batch = torch.ones(4, 2)
        return (batch for _ in range(steps))

optimizer, early, value = Nothing(), 0, torch.zeros(2)
for step, batch in enumerate(torch.utils.data.DataLoader(Batches(), batch_size=None)):
    if step == steps // 10:
        early = anonymous_kib()
    value.add_(1)
    optimizer.step()
print(early, anonymous_kib())
"""


def measure(options, steps, folder):
    program, file = folder / "train.py", folder / "run.lap"
    program.write_text(PROGRAM)
    begin = time.perf_counter()
    text = subprocess.run(
        [LAPTIME, "run", "-q", "-o", file, *options, program, str(steps)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    seconds = time.perf_counter() - begin
    early, late = map(int, text.split())
    return {
        "seconds": seconds,
        "kib_early": early,
        "kib_late": late,
        "file_bytes": file.stat().st_size,
        **counted(file),
    }


def counted(file):
    """How many steps the file has, and how many of them were recorded in full."""
    text = subprocess.run(
        [LAPTIME, "report", file, "steps", "--csv"], capture_output=True, text=True, check=True
    ).stdout
    header, *rows = text.splitlines()
    column = header.split(",").index("recorded")
    return {"steps": len(rows), "recorded": sum(row.split(",")[column] == "1" for row in rows)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures, good = {}, True
    for mode, arguments in MODES.items():
        with tempfile.TemporaryDirectory() as folder:
            found = figures[mode] = measure(arguments, options.steps, Path(folder))
        grown = found["kib_late"] - found["kib_early"]
        flat = grown <= MOST_GROWTH_KIB and found["steps"] == options.steps
        good = good and flat
        print(
            f"{mode}: {found['steps']:,} steps, {found['recorded']:,} recorded in full, in"
            f" {found['seconds']:.0f} s; memory {found['kib_early'] / 1024:.1f} MiB after a tenth,"
            f" {found['kib_late'] / 1024:.1f} MiB at the end; file {found['file_bytes'] / 1e6:.1f}"
            f" MB, {found['file_bytes'] / options.steps:.1f} bytes a step "
            f" {'ok' if flat else 'FAILED'}",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
