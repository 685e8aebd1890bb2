"""What recording costs a GPT under torch.compile: ``compiled_bench.py [--starts N] [--out FILE]``.
Needs an NVIDIA GPU.

Starts of the program take turns: without laptime, with ``laptime run``, with ``laptime run
--full``. Each prints how long its steps took after the first 40, which compile. Bars: 1.05 × and
1.15 ×, in the median of the turns.
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

PROGRAM = Path(__file__).with_name("compiled_gpt.py")
MODES: dict[str, list[str]] = {
    "bare": [],
    "default": ["run", "-q"],
    "full": ["run", "-q", "--full"],
}
BARS = {"default": 1.05, "full": 1.15}


def start(mode: str, folder: str) -> dict[str, float]:
    """Seconds of one start: of its steady steps, and in all. Also the cost that laptime reports."""
    lap = os.path.join(folder, f"{mode}.lap")
    laptime = os.environ.get("LAPTIME", "laptime")
    command = (
        [sys.executable, str(PROGRAM)]
        if mode == "bare"
        else [laptime, *MODES[mode], "-o", lap, str(PROGRAM)]
    )
    environment = {
        **os.environ,
        "TORCHINDUCTOR_CACHE_DIR": os.path.join(folder, "inductor"),
        "TRITON_CACHE_DIR": os.path.join(folder, "triton"),
    }
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=200, env=environment
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-1500:])
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    if mode != "bare":
        report = subprocess.run(
            [laptime, "report", lap, "run", "lines", "--json"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        tables = {table["name"]: table["rows"] for table in json.loads(report)["tables"]}
        figures["reported_cost"] = next(
            row[1] for row in tables["run"] if row[0] == "own_cost_share"
        )
        figures["generated_lines"] = sum(
            "inductor" in str(row[0]) or "eval_with_key" in str(row[0]) for row in tables["lines"]
        )
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--starts", type=int, default=5)
    parser.add_argument("--out", help="JSON file")
    options = parser.parse_args()
    turns: list[dict[str, dict[str, float]]] = []
    with tempfile.TemporaryDirectory() as folder:
        start("bare", folder)  # fills the compiler's caches
        for turn in range(options.starts):
            modes = list(MODES) if turn % 2 == 0 else list(reversed(MODES))
            turns.append({mode: start(mode, folder) for mode in modes})
            print(json.dumps(turns[-1]), flush=True)
            if options.out:
                Path(options.out).write_text(json.dumps(turns))
    missed = 0
    for mode, bar in BARS.items():
        ratios = [turn[mode]["steady_s"] / turn["bare"]["steady_s"] for turn in turns]
        median = statistics.median(ratios)
        missed += median > bar
        print(
            f"{mode}: {median:.3f} × ({min(ratios):.3f} to {max(ratios):.3f}), bar {bar:.2f}; cost"
            f" reported {statistics.median(t[mode]['reported_cost'] for t in turns):.3f}"
        )
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
