"""Compares the cost that laptime reports with the cost that it has. Ten small programs run in turns
bare, with the default budget and with --full.

    .venv/bin/python bench/wild/cost_bench.py [--rounds 5] [PROGRAM …]

The truth is the time with laptime over the time without it in the same round, in the median over
the rounds. It is measured for CPU time, which neighbours hardly change, and for wall time. The bar:
the reported cost is within a third of the truth or ± 1 point.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

PROGRAMS = Path(__file__).parent / "programs"
MODES: dict[str, list[str]] = {"default": [], "--full": ["--full"]}
POINT = 0.01
RESULTS = Path(__file__).resolve().parents[1] / "results" / "published" / "cost.json"
COLUMNS = [
    ["program", "{}"],
    ["mode", "{}"],
    ["bare", "{:.1f} s"],
    ["measured (CPU time)", "{:.1%}"],
    ["reported", "{:.1%}"],
    ["interval", "{:.1%}–{:.1%}"],
    ["", "{}"],
]


class Times(NamedTuple):
    cpu: float
    wall: float


def times_of(command: list[str], environment: dict[str, str]) -> Times:
    """The times of the command and all its children."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    _, status, use = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return Times(use.ru_utime + use.ru_stime, time.perf_counter() - begin)


def reported_by(laptime: str, run: str) -> dict[str, float]:
    text = subprocess.run(
        [laptime, "report", run, "run", "--json"], check=True, capture_output=True, text=True
    ).stdout
    facts = {row[0]: row[1] for row in json.loads(text)["tables"][0]["rows"]}
    return {
        name: facts[name] or 0.0 for name in ("own_cost_share", "own_cost_low", "own_cost_high")
    }


def added(with_laptime: list[Times], bare: list[Times], kind: str) -> float:
    return (
        statistics.median(
            getattr(a, kind) / getattr(b, kind) for a, b in zip(with_laptime, bare, strict=True)
        )
        - 1
    )


def measure(program: Path, rounds: int, folder: str) -> list[dict[str, object]]:
    laptime = str(Path(sys.executable).parent / "laptime")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    bare: list[Times] = []
    recorded: dict[str, list[Times]] = {mode: [] for mode in MODES}
    reported: dict[str, list[dict[str, float]]] = {mode: [] for mode in MODES}
    for _ in range(rounds):
        bare.append(times_of([sys.executable, str(program)], environment))
        for mode, options in MODES.items():
            run = f"{folder}/{program.stem}.lap"
            recorded[mode].append(
                times_of([laptime, "run", "-q", "-o", run, *options, str(program)], environment)
            )
            reported[mode].append(reported_by(laptime, run))
    rows: list[dict[str, object]] = []
    for mode in MODES:
        truth = added(recorded[mode], bare, "cpu")
        row = {
            name.removeprefix("own_cost_"): statistics.median(one[name] for one in reported[mode])
            for name in reported[mode][0]
        }
        meets = abs(row["share"] - truth) <= max(POINT, abs(truth) / 3)
        rows.append(
            {
                "program": program.stem,
                "mode": mode,
                "truth_cpu": truth,
                "truth_wall": added(recorded[mode], bare, "wall"),
                **row,
                "meets": meets,
                "bare_cpu_s": statistics.median(one.cpu for one in bare),
            }
        )
    return rows


def publish(rows: list[dict[str, Any]], machine: str, rounds: int) -> None:
    """Writes the result of bench/results/published and the table of docs/overhead.md."""
    met = sum(bool(row["meets"]) for row in rows)
    results = {
        "machine": machine,
        "date": datetime.date.today().isoformat(),
        "by": f"bench/wild/cost_bench.py, median of {rounds} rounds",
        "summary": [
            "The bar: the reported cost is within a third or ± 1 point of the measured one.",
            f"{met} of {len(rows)} rows meet it.",
        ],
        "columns": COLUMNS,
        "rows": [
            [
                row["program"],
                row["mode"],
                round(row["bare_cpu_s"], 1),
                *(round(row[name], 3) for name in ("truth_cpu", "share")),
                [round(row[name], 3) for name in ("low", "high")],
                "" if row["meets"] else "missed",
            ]
            for row in rows
        ],
    }
    RESULTS.write_text(json.dumps(results, ensure_ascii=False) + "\n")
    subprocess.run([sys.executable, RESULTS.parents[2] / "tables"], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", nargs="*", help="names in bench/wild/programs; none: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="a file for the rows")
    parser.add_argument("--publish", metavar="MACHINE", help="put them into docs/overhead.md")
    options = parser.parse_args()
    found = [PROGRAMS / f"{name}.py" for name in options.programs] or sorted(PROGRAMS.glob("*.py"))
    print(
        f"{'program':16}{'mode':9}{'bare':>8}{'truth, CPU':>12}{'truth, wall':>13}{'reported':>8} "
        f" {'interval':16}bar"
    )
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        for program in found:
            for row in measure(program, options.rounds, folder):
                rows.append(row)
                print(
                    f"{row['program']:16}{row['mode']:9}{row['bare_cpu_s']:6.1f}"
                    f" s{row['truth_cpu']:11.1%} {row['truth_wall']:12.1%} {row['share']:7.1%} "
                    f" {row['low']:.1%}–{row['high']:.1%}".ljust(84)
                    + ("met" if row["meets"] else "MISSED"),
                    flush=True,
                )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    if options.publish:
        publish(rows, options.publish, options.rounds)
    print(
        f"{sum(bool(row['meets']) for row in rows)} of {len(rows)} within a third of the truth or"
        " one point"
    )


if __name__ == "__main__":
    main()
