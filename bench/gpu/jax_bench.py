"""What laptime costs a JAX program on a GPU, and how much of its GPU time has a line.

XLA chooses kernels by measuring, so starts differ in time and in results. For the comparison its
autotuning is off, and ops are deterministic. Set XLA_FLAGS to the empty string for JAX's default.

    python bench/gpu/jax_bench.py [--rounds 5]

The program is bench/frameworks/programs/flax_loop.py, with command buffers on (JAX's default). It
runs in turns bare, with the hooks alone and with the default budget. The bars: default 1.05 × of
the loop, 95 % of GPU time with a line. The results must be equal, bit for bit.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).parents[1] / "frameworks" / "programs" / "flax_loop.py"
XLA_FLAGS = "--xla_gpu_deterministic_ops=true --xla_gpu_autotune_level=0"
MODES: dict[str, list[str] | None] = {
    "bare": None,
    "no gpu": ["--no-gpu"],
    "default": [],
    "full": ["--full"],
}
LAPTIME = os.environ.get("LAPTIME") or str(Path(sys.executable).parent / "laptime")


def run_once(mode: str, run: str) -> dict[str, Any]:
    command = [sys.executable, str(PROGRAM)]
    if (options := MODES[mode]) is not None:
        command = [LAPTIME, "run", "-q", "-o", run, *options, "--", *command]
    environment = {"STEPS": "3000", "XLA_FLAGS": XLA_FLAGS, **os.environ}
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    measured: dict[str, Any] = json.loads(output.stdout.strip().splitlines()[-1])
    return measured


def rows(run: str, table: str) -> list[dict[str, Any]]:
    text = subprocess.run(
        [LAPTIME, "report", run, table, "--json"], check=True, capture_output=True, text=True
    ).stdout
    found = json.loads(text)["tables"][0]
    names = [column["name"] for column in found["columns"]]
    return [dict(zip(names, row, strict=True)) for row in found["rows"]]


def share_with_line(run: str) -> float:
    kernels = rows(run, "kernels")
    total = sum(row["total_ns"] for row in kernels)
    return sum(row["total_ns"] for row in kernels if row["line"]) / total if total else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    ratios: dict[str, list[float]] = {mode: [] for mode in MODES}
    results = set()
    with tempfile.TemporaryDirectory() as folder:
        run = f"{folder}/run.lap"
        for _ in range(arguments.rounds):
            measured = {mode: run_once(mode, run) for mode in MODES}
            results |= {each["result"] for each in measured.values()}
            for mode, each in measured.items():
                ratios[mode].append(each["loop_s"] / measured["bare"]["loop_s"])
            print({mode: round(each["median_s"] * 1e6) for mode, each in measured.items()})
        print(f"GPU time with a line: {share_with_line(run):.1%}")
        steps = [row for row in rows(run, "steps") if row["phase"] == "train"]
        print(f"train steps: {len(steps)}")
        for table in ("breakdown", "kernels", "lines", "compile", "warnings"):
            subprocess.run([LAPTIME, "report", run, table, "--top", "12"], check=False)
    for mode, each in ratios.items():
        print(f"{mode:8} {statistics.median(each):.3f} ({min(each):.3f}–{max(each):.3f})")
    print(f"results {'equal' if len(results) == 1 else 'DIFFER'}")


if __name__ == "__main__":
    main()
