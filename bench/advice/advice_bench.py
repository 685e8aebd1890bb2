#!/usr/bin/env python3
"""Compares the gain that advice promises with the measured one. Each program has mistakes. It is
recorded, its advice is followed, and both versions run in turns.

    .venv/bin/python bench/advice/advice_bench.py --json FILE [--only PROGRAM…]
        measures
    .venv/bin/python bench/advice/advice_bench.py --table FILE… [--publish MACHINE]
        the table of docs/accuracy.md, from such files

``laptime run`` records a program alone, with default options. Then the program and its fixes run
without laptime, in turns of about a second. Each round of turns gives one gain in samples a second.
The median of the rounds counts.

Bars: the median error is 10 %. 85 % of the gains are inside of the interval, widened by the
difference between two starts of the program. No advice whose lower end is 1.0 or more measures less
than 0.97.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pairs import PROGRAMS, Fix, Program
from turns import Child, gain, take_turns

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "results" / "published" / "advice.json"
LAPTIME = os.environ.get("LAPTIME") or str(Path(sys.executable).with_name("laptime"))
MOST_ERROR, FEWEST_INSIDE, HARMLESS_LOW, HARMFUL = 0.10, 0.85, 1.0, 0.97
RUN = "before.lap"
REPORTED = (
    "gain",
    "gain_low",
    "gain_high",
    "gain_bound",
    "noise",
    "confidence",
    "message",
    "error",
    "inside",
    "harmful",
)
Row = dict[str, Any]


def prepare() -> None:
    """Builds what laptime needs for this torch now, not while a program is recorded."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "first.py").write_text(
            "import torch\ntorch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1)\n"
        )
        subprocess.run(
            [LAPTIME, "run", "-q", "--full", "-o", f"{name}/first.lap", f"{name}/first.py"],
            check=True,
            timeout=300,
        )


def advice_of(run: Path) -> list[Row]:
    done = subprocess.run(
        [LAPTIME, "report", str(run), "advice", "--json"], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    table = json.loads(done.stdout)["tables"][0]
    return [
        dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]
    ]


def record(program: Program, folder: Path) -> list[Row]:
    """The program's advice, after it ran alone for a while."""
    run = folder / RUN
    command = [
        LAPTIME,
        "run",
        "-q",
        "-o",
        str(run),
        *program.launch,
        str(program.write(folder)),
        *program.options,
    ]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, **program.environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(program.record_s)
    process.send_signal(signal.SIGTERM)
    _, output = process.communicate(timeout=60)
    if not run.exists():
        raise RuntimeError(output[-600:])
    return advice_of(run)


def child(program: Program, name: str, folder: Path, fix: Fix | None = None) -> Child:
    script = program.write(folder, fix)
    options = [*program.options, *(fix.options if fix else [])]
    environment = {**os.environ, **program.environment, **(fix.environment if fix else {})}
    return Child(
        name,
        [*program.launch, str(HERE / "ticks.py"), "{ticks}", str(script), *options],
        folder,
        environment,
    )


def first_of(advice: list[Row], fix: Fix) -> Row | None:
    """The rule's first finding."""
    return next((row for row in advice if row["rule"] == fix.rule), None)


def judge(row: Row, advice: Row | None) -> Row:
    """The row with its advice, and whether the advice held."""
    if advice:
        row |= {name: advice[name] for name in REPORTED if name in advice}
    if "measured" not in row or not advice or not advice["gain"]:
        return row
    noise = row["noise"] or 0
    row["error"] = row["gain"] / row["measured"] - 1
    row["inside"] = (
        row["gain_low"] / (1 + noise) <= row["measured"] <= row["gain_high"] * (1 + noise)
    )
    row["harmful"] = row["gain_low"] >= HARMLESS_LOW and row["measured"] < HARMFUL
    return row


def evaluate(program: Program, folder: Path, rounds: int) -> list[Row]:
    advice = record(program, folder)
    starts = [
        lambda: child(program, "before", folder),
        *(
            functools.partial(child, program, f"after{i}", folder, fix)
            for i, fix in enumerate(program.fixes)
        ),
    ]
    children = take_turns(starts, program.turn_s, rounds, together=program.device == "cuda")
    bare = children[0]
    rows = []
    for fix, after in zip(program.fixes, children[1:]):
        row: Row = {
            "program": program.name,
            "rule": fix.rule,
            "what": fix.what,
            "problem": bare.problem or after.problem,
        }
        measured = gain(bare, after, fix.samples)
        if measured:
            row |= {
                "measured": measured.measured,
                "measured_low": measured.low,
                "measured_high": measured.high,
                "before_ms": 1e3 / statistics.median(bare.rates),
                "after_ms": 1e3 / statistics.median(after.rates),
            }
        rows.append(judge(row, first_of(advice, fix)))
    return rows


def again(rows: list[Row], keep: Path) -> list[Row]:
    """The same measurements, with the advice of the kept recordings. Rows without a recording stay
    unchanged.
    """
    fixes = {(program.name, fix.what): fix for program in PROGRAMS for fix in program.fixes}
    judged = []
    for row in rows:
        run = keep / kept_name(row["program"])
        if (row["program"], row["what"]) not in fixes or not run.exists():
            judged.append(row)
            continue
        fix = fixes[row["program"], row["what"]]
        judged.append(
            judge(
                {name: cell for name, cell in row.items() if name not in REPORTED},
                first_of(advice_of(run), fix),
            )
        )
    return judged


def kept_name(program: str) -> str:
    return re.sub(r"\W+", "_", program) + ".lap"


def line_of(row: Row) -> str:
    name = f"{row['program']}: {row['what']}"
    if "measured" not in row:
        return f"{name:60} not measured: {row['problem']}"
    measured = (
        f"{name:60} {row['before_ms']:7.2f} → {row['after_ms']:7.2f} ms  {row['measured']:.2f}"
        f" ({row['measured_low']:.2f}–{row['measured_high']:.2f})"
    )
    if "error" not in row:
        return f"{measured}  {row['rule']}: silent"
    ends = ("" if row["inside"] else "  OUTSIDE") + ("  HARMFUL" if row["harmful"] else "")
    return (
        f"{measured}  {row['rule']} {row['gain']:.2f}"
        f" ({row['gain_low']:.2f}–{row['gain_high']:.2f}) ± {row['noise'] or 0:.0%} "
        f" {row['error']:+.0%}{ends}"
    )


GAIN = "{:.2f} × ({:.2f}–{:.2f})"
COLUMNS = [
    ["program, fix", "{}"],
    ["rule", "{}"],
    ["step before", "{:.1f} ms"],
    ["after", "{:.1f} ms"],
    ["gain measured (95 %)", GAIN],
    ["reported", "{}"],
    ["interval", "{:.2f}–{:.2f}"],
    ["starts differ by", "{:.0%}"],
    ["error", "{:+.0%}"],
    ["", "{}"],
]


def rounded(*values: float) -> list[float]:
    return [round(value, 2) for value in values]


def published_row(row: Row) -> list[object]:
    """The cells in the order of COLUMNS, with as many digits as they show."""
    measured = rounded(row["measured"], row["measured_low"], row["measured_high"])
    first = [
        f"{row['program']}: {row['what']}",
        row["rule"],
        round(row["before_ms"], 1),
        round(row["after_ms"], 1),
        measured,
    ]
    if "error" not in row:
        return [*first, "silent", None, None, None, ""]
    return [
        *first,
        f"{row['gain']:.2f} ×",
        rounded(row["gain_low"], row["gain_high"]),
        *rounded(row["noise"] or 0, row["error"]),
        "harmful" if row["harmful"] else "" if row["inside"] else "outside",
    ]


def publish(rows: list[Row], machine: str) -> None:
    measured = sorted(
        (row for row in rows if "measured" in row), key=lambda row: (row["rule"], row["program"])
    )
    results = {
        "machine": machine,
        "date": datetime.date.today().isoformat(),
        "by": "bench/advice/advice_bench.py",
        "summary": summary_of(rows).splitlines(),
        "columns": COLUMNS,
        "rows": [published_row(row) for row in measured],
    }
    RESULTS.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n")
    subprocess.run([sys.executable, HERE.parent / "tables"], check=True)


def summary_of(rows: list[Row]) -> str:
    known = [row for row in rows if "error" in row]
    if not known:
        return "no pair was measured and advised"
    inside = sum(row["inside"] for row in known)
    width = statistics.median(row["gain_high"] / row["gain_low"] for row in known)
    return "\n".join(
        [
            (
                f"- {len(known)} pairs of a program and its advice. Median error of the gain:"
                f" {statistics.median(abs(row['error']) for row in known):.1%} (bar"
                f" {MOST_ERROR:.0%})."
            ),
            (
                f"- Inside of the interval: {inside} = {inside / len(known):.0%} (bar"
                f" {FEWEST_INSIDE:.0%}). Its upper end is {width:.2f} times its lower one (median)."
            ),
            f"- Harmful advice: {sum(row['harmful'] for row in known)} (bar 0).",
            f"- {len(rows) - len(known)} fixes more got no advice, or were not measured.",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", nargs="*", default=[], help="programs whose name matches one of these"
    )
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--rounds", type=int, default=10, help="turns of each")
    parser.add_argument(
        "--limit", type=float, default=3000, help="seconds after which no further program begins"
    )
    parser.add_argument("--json", type=Path, help="a file for what was measured")
    parser.add_argument("--keep", type=Path, help="a folder for the recordings")
    parser.add_argument(
        "--table",
        type=Path,
        nargs="+",
        help=(
            "measure nothing: the table from these files; with --keep, the advice of its"
            " recordings now"
        ),
    )
    parser.add_argument(
        "--publish",
        metavar="MACHINE",
        help="with --table: writes bench/results/published and the table of docs/accuracy.md",
    )
    options = parser.parse_args()
    if options.table:
        rows = [row for file in options.table for row in json.loads(file.read_text())]
        if options.keep:
            rows = again(rows, options.keep)
        print(*map(line_of, rows), summary_of(rows), sep="\n")
        if options.publish:
            publish(rows, options.publish)
        return 0
    prepare()
    rows, began = [], time.monotonic()
    for program in PROGRAMS:
        if program.device != options.device or (
            options.only and not any(re.search(pattern, program.name) for pattern in options.only)
        ):
            continue
        if time.monotonic() - began > options.limit:
            print(f"{program.name}: no time left", flush=True)
            continue
        with tempfile.TemporaryDirectory() as name:
            try:
                found = evaluate(program, Path(name), options.rounds)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                found = [
                    {"program": program.name, "rule": "", "what": "", "problem": str(error)[-600:]}
                ]
            if options.keep and (Path(name) / RUN).exists():
                shutil.copy(Path(name) / RUN, options.keep / kept_name(program.name))
        rows += found
        for row in found:
            print(line_of(row), flush=True)
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1))
    print(summary_of(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
