#!/usr/bin/env python3
"""What `laptime whatif` and the advice predict of a fix on a GPU, against the measured gain.

There are pairs of a program and a change to it. The first command measures, records and predicts.
The second predicts again from the files in the folder.

    python bench/whatif/gpu_pairs.py [--out FOLDER] [--pairs a,b] [--limit SECONDS]
    python bench/whatif/gpu_pairs.py --again [--out FOLDER]

One archive, FOLDER/pairs.tar.gz, has the records, and pairs.json with every turn. FOLDER/pairs.md
has the table too.

A program and all its fixes are alive at the same time, without laptime. They step in turns of a
fraction of a second, so their figures come from the same minutes. Then the program alone is
recorded, once with every step (`laptime run --full`) and once within the usual budget. laptime
predicts from one of these records (--of). Each round of turns gives one gain, because the machine's
speed differs more between rounds than within one. The measured gain is their median, with its 95 %
interval (bootstrap over rounds). Gains are in samples a second.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "gpu_program.py")
sys.path.insert(0, os.path.join(HERE, "..", "gpu"))
sys.path.insert(0, os.path.join(HERE, ".."))
from gains import median_gain  # noqa: E402
from lockstep import Talker  # noqa: E402

START_S, END_S, ROUNDS = 90, 40, 12
# Steps of the recorded program: it warms up, and makes the others when the other programs have
# ended. Otherwise its record would contain their start.
ALONE = ["--warmup", "3"]
WARM_S = 0.3
ARCHIVE = "pairs.tar.gz"
RECORDS = {"full": ["--full"], "budget": []}
MOST_ERROR, FEWEST_INSIDE, REPLAY_ERROR = 0.10, 0.80, 0.02
Row = dict[str, Any]


@dataclass
class Fix:
    name: str
    options: list[str]  # added to the program's own options
    change: list[str]  # the options of laptime whatif
    rule: str = ""  # the rule whose advice is exactly this change
    samples: float = 1  # samples of a step, as a factor
    only_cuda: bool = False


@dataclass
class Program:
    name: str
    options: list[str]
    turn_s: float
    record_s: float
    fixes: list[Fix] = field(default_factory=list)


def fix(name: str, options: str, change: str, **more: Any) -> Fix:
    return Fix(name, options.split(), change.split(), **more)


def program(name: str, options: str, turn_s: float, record_s: float, *fixes: Fix) -> Program:
    return Program(name, options.split(), turn_s, record_s, list(fixes))


def line_of(file: str, text: str) -> str:
    """FILE:LINE of the file's one line that holds the text."""
    with open(file, encoding="utf-8") as source:
        numbers = [i for i, line in enumerate(source, 1) if text in line]
    assert len(numbers) == 1, (text, numbers)
    return f"{os.path.basename(file)}:{numbers[0]}"


WORKLOADS = os.path.join(HERE, "..", "gpu", "workloads.py")
UP, DOWN = (
    line_of(WORKLOADS, "F.gelu(self.up(self.norm2(x)))"),
    line_of(WORKLOADS, "return x + self.down(y)"),
)
TANH = line_of(PROGRAM, "np.tanh(pixels)")

# The factors of a change of sizes are those of the multiplications that it removes.
PROGRAMS = [
    program(
        "cnn",
        "--model cnn --batch 64 --feed host --item --metric 6000 --optimizer single",
        0.2,
        0.8,
        fix("item", "--no-item", "--rule hidden-sync", rule="hidden-sync"),
        fix("metric", "--metric 0", "--scale metric=0", rule="python-line"),
        fix(
            "pinned", "--feed pinned", "--rule pageable-copy", rule="pageable-copy", only_cuda=True
        ),
        fix(
            "fused",
            "--optimizer fused",
            "--rule single-tensor-optimizer",
            rule="single-tensor-optimizer",
        ),
        fix("batch4", "--batch 256", "--batch 4x", samples=4),
        fix("graph", "--graph", "--launch free", only_cuda=True),
    ),
    program(
        "cnn-large",
        "--model cnn --batch 4096 --feed host --item",
        0.3,
        1.2,
        fix("item", "--no-item", "--rule hidden-sync", rule="hidden-sync"),
        fix(
            "pinned", "--feed pinned", "--rule pageable-copy", rule="pageable-copy", only_cuda=True
        ),
        fix("bf16", "--bf16", "--rule mixed-precision", rule="mixed-precision"),
        fix("batch2", "--batch 8192", "--batch 2x", samples=2),
    ),
    program(
        "cnn-device",
        "--model cnn --batch 512 --feed device",
        0.2,
        0.8,
        fix("batch8", "--batch 4096", "--batch 8x", rule="small-batch", samples=8),
        fix("bf16", "--bf16", "--rule mixed-precision", rule="mixed-precision"),
        fix("graph", "--graph", "--launch free", only_cuda=True),
    ),
    program(
        "gpt",
        "--model gpt --batch 32",
        0.5,
        2.5,
        fix("tf32", "--tf32", "--rule tf32", rule="tf32", only_cuda=True),
        fix("bf16", "--bf16", "--rule mixed-precision", rule="mixed-precision"),
        fix("batch2", "--batch 64", "--batch 2x", samples=2),
        fix("half", "--inner 2", f"--scale {UP}=0.5 --scale {DOWN}=0.5"),
    ),
    program(
        "resnet",
        "--model resnet --batch 128",
        0.4,
        2.0,
        fix("bf16", "--bf16", "--rule mixed-precision", rule="mixed-precision"),
        fix("batch2", "--batch 256", "--batch 2x", samples=2),
    ),
    program(
        "loader",
        "--model cnn --batch 64 --feed loader --rounds 8",
        0.4,
        2.0,
        fix("workers4", "--workers 4", "--workers 4", rule="no-workers"),
        fix("no-work", "--rounds 0", f"--scale {TANH}=0", rule="dataset-line"),
    ),
]
# On a CPU only the script itself is tested.
SMALL_BATCH = {
    "64": "8",
    "256": "32",
    "512": "8",
    "4096": "16",
    "8192": "32",
    "128": "2",
    "32": "2",
}


def shrink(options: list[str], device: str) -> list[str]:
    if device == "cuda":
        return options
    return [
        SMALL_BATCH.get(word, word) if options[i - 1] == "--batch" else word
        for i, word in enumerate(options)
    ]


class Turns:
    """A program that steps on request."""

    def __init__(self, command: list[str], errors: str) -> None:
        self._talker = Talker(command, errors)
        self.step_ns: list[float] = []

    @property
    def problem(self) -> str:
        return self._talker.problem

    def begin(self) -> bool:
        return bool(self._talker.read(START_S))

    def turn(self, seconds: float) -> None:
        self._talker.say(f"{seconds}")
        answer = self._talker.read(60)
        if answer:
            self.step_ns.append(answer["step_ns"])

    def end(self) -> None:
        self._talker.say("end")
        self._talker.leave(END_S)
        if not self.problem and not self.step_ns:
            self._talker.problem = self._talker.errors()[-600:]


def measure(job: Program, fixes: list[Fix], options: argparse.Namespace) -> Row:
    """Nanoseconds of a step by turn, of the program ("") and of each fix, in turns, and of the
    program as it was recorded.
    """
    python = [sys.executable, PROGRAM]

    def command(more: list[str]) -> list[str]:
        return shrink([*python, *job.options, *more], options.device)

    def errors(name: str) -> str:
        return os.path.join(options.work, f"{job.name}-{name}.err")

    def recorder(way: str) -> list[str]:
        return [
            options.laptime,
            "run",
            "-q",
            *RECORDS[way],
            "-o",
            phase_of(job.name, way, options),
            "--",
            *command(ALONE),
        ]

    records = {way: Turns(recorder(way), errors(way)) for way in RECORDS}
    children = {"": Turns(command([]), errors("bare"))} | {
        f.name: Turns(command(f.options), errors(f.name)) for f in fixes
    }
    ready = [record for record in records.values() if record.begin()]
    alive = [child for child in children.values() if child.begin()]
    order = random.Random(3)
    for _ in range(options.rounds):
        order.shuffle(alive)
        for child in alive:
            child.turn(job.turn_s)
        alive = [child for child in alive if not child.problem]
    for child in alive:
        child.end()
    for record in ready:
        for seconds in (WARM_S, job.record_s):
            record.turn(seconds)
        record.end()
    return {
        "program": job.name,
        "options": job.options,
        "recorded_ns": {way: record.step_ns for way, record in records.items()},
        "step_ns": {name: child.step_ns for name, child in children.items()},
        "problems": {
            name or "bare": child.problem
            for name, child in [*children.items(), *records.items()]
            if child.problem
        },
    }


def phase_of(name: str, way: str, options: argparse.Namespace) -> str:
    return os.path.join(options.work, f"{name}-{way}.lap")


def gain(before: list[float], after: list[float], samples: float) -> Row:
    """The median over rounds, and the 95 % interval by a bootstrap. A program that died has only
    its first turns.
    """
    found = median_gain([samples * a / b for a, b in zip(before, after)])
    return {"measured": found.measured, "measured_low": found.low, "measured_high": found.high}


def tables(laptime: str, *words: str) -> dict[str, list[Row]]:
    done = subprocess.run([laptime, *words, "--json"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return {
        t["name"]: [dict(zip((c["name"] for c in t["columns"]), row)) for row in t["rows"]]
        for t in json.loads(done.stdout)["tables"]
    }


def predict(lap: str, job: Fix, laptime: str) -> Row:
    try:
        row = tables(laptime, "whatif", lap, *job.change)["whatif"][0]
        outcome: Row = {
            "predicted": row["gain"],
            "low": row["gain_low"],
            "high": row["gain_high"],
            "replay_error": row["replayed_ns"] / row["before_ns"] - 1,
        }
    except (RuntimeError, IndexError) as error:
        outcome = {"problem": f"whatif: {error}"[:300]}
    try:
        advice = [
            row
            for row in tables(laptime, "report", lap, "advice")["advice"]
            if row["rule"] == job.rule
        ]
    except RuntimeError as error:
        return outcome | {"problem": f"advice: {error}"[:300]}
    return outcome | (
        {"advice_low": advice[0]["gain_low"], "advice_high": advice[0]["gain_high"]}
        if advice
        else {}
    )


def evaluate(outcome: Row, job: Program, options: argparse.Namespace) -> list[Row]:
    rows = []
    for f in job.fixes:
        if f.name not in outcome["step_ns"]:
            continue
        row: Row = {"pair": f"{job.name}-{f.name}", "change": f.change, "rule": f.rule}
        before, after = outcome["step_ns"][""], outcome["step_ns"][f.name]
        if before and after:
            row |= {
                "before_ms": statistics.median(before) / 1e6,
                "after_ms": statistics.median(after) / 1e6,
                **gain(before, after, f.samples),
            }
        else:
            row["problem"] = outcome["problems"].get(f.name) or outcome["problems"].get(
                "bare", "no turns"
            )
        row |= predict(phase_of(job.name, options.of, options), f, options.laptime)
        if "measured" in row and "predicted" in row:
            row["error"] = row["predicted"] / row["measured"] - 1
            row["inside"] = row["low"] <= row["measured"] <= row["high"]
        rows.append(row)
    return rows


def as_markdown(rows: list[Row]) -> str:
    lines = [
        (
            "| program, fix | step before | after | gain measured (95 %) | whatif | interval |"
            " error | | advice | |"
        ),
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        measured = (
            f"{r['before_ms']:.2f} ms | {r['after_ms']:.2f} ms | {r['measured']:.2f} ×"
            f" ({r['measured_low']:.2f}–{r['measured_high']:.2f})"
            if "measured" in r
            else "| | "
        )
        if "error" not in r:
            lines.append(
                f"| {r['pair']} | {measured} | "
                + " ".join(r.get("problem", "").split())[:200]
                + " |" * 6
            )
            continue
        advice = f"{r['advice_low']:.2f}–{r['advice_high']:.2f}" if "advice_low" in r else "silent"
        off = (
            "outside"
            if "advice_low" in r and not r["advice_low"] <= r["measured"] <= r["advice_high"]
            else ""
        )
        lines.append(
            f"| {r['pair']} | {measured} | {r['predicted']:.2f} × | {r['low']:.2f}–{r['high']:.2f}"
            f" | {r['error']:+.0%} | {'' if r['inside'] else 'outside'} | {advice} | {off} |"
        )
    return "\n".join(lines) + "\n"


def summarize(rows: list[Row]) -> str:
    known = [r for r in rows if "error" in r]
    if not known:
        return "no pair was measured and predicted"
    inside, replay = sum(r["inside"] for r in known), max(abs(r["replay_error"]) for r in known)
    return (
        f"{len(known)} of {len(rows)} pairs: median error"
        f" {statistics.median(abs(r['error']) for r in known):.1%} (bar {MOST_ERROR:.0%}), {inside}"
        f" inside the interval = {inside / len(known):.0%} (bar {FEWEST_INSIDE:.0%}); replay"
        f" without a change: at most {replay:.2%} off (bar {REPLAY_ERROR:.0%})"
    )


def write(outcome: list[Row], rows: list[Row], options: argparse.Namespace) -> None:
    with open(os.path.join(options.work, "pairs.json"), "w", encoding="utf-8") as file:
        json.dump(
            {"machine": platform.processor(), "programs": outcome, "pairs": rows}, file, indent=1
        )
    with open(os.path.join(options.out, "pairs.md"), "w", encoding="utf-8") as file:
        file.write(as_markdown(rows) + "\n" + summarize(rows) + "\n")
    with tarfile.open(os.path.join(options.out, ARCHIVE), "w:gz") as archive:
        for name in sorted(os.listdir(options.work)):
            if os.path.isfile(os.path.join(options.work, name)):
                archive.add(os.path.join(options.work, name), name)


def campaign(options: argparse.Namespace) -> list[Row]:
    wanted = set(filter(None, options.pairs.split(",")))
    outcome: list[Row] = []
    rows: list[Row] = []
    began = time.monotonic()
    for job in PROGRAMS:
        fixes = [
            f
            for f in job.fixes
            if (not wanted or f"{job.name}-{f.name}" in wanted)
            and not (f.only_cuda and options.device != "cuda")
        ]
        if not fixes:
            continue
        if time.monotonic() - began > options.limit:
            print(f"gpu_pairs: {job.name}: no time left", flush=True)
            continue
        started = time.monotonic()
        try:
            outcome.append(measure(job, fixes, options))
            rows += evaluate(outcome[-1], job, options)
        except Exception:
            print(f"gpu_pairs: {job.name} failed: {traceback.format_exc()[-1500:]}", flush=True)
        problems = outcome[-1]["problems"] if outcome else None
        print(
            f"gpu_pairs: {job.name}: {time.monotonic() - started:.0f} s"
            f" {json.dumps(problems) if problems else ''}",
            flush=True,
        )
        write(outcome, rows, options)
    return rows


def again(options: argparse.Namespace) -> list[Row]:
    with tarfile.open(os.path.join(options.out, ARCHIVE)) as archive:
        archive.extractall(options.work, filter="data")
    with open(os.path.join(options.work, "pairs.json"), encoding="utf-8") as file:
        outcome = json.load(file)["programs"]
    jobs = {job.name: job for job in PROGRAMS}
    return [row for entry in outcome for row in evaluate(entry, jobs[entry["program"]], options)]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--out",
        default=os.path.join(HERE, "..", "results", "pairs"),
        help="folder for records and results",
    )
    parser.add_argument("--pairs", default="", help="only these, as cnn-item,gpt-tf32")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="turns of each")
    parser.add_argument(
        "--limit", type=float, default=280, help="seconds after which no further program begins"
    )
    parser.add_argument(
        "--of", choices=RECORDS, default="full", help="the record that laptime predicts from"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="measure nothing: predict again from the records in --out, and print only",
    )
    parser.add_argument(
        "--laptime", default=os.environ.get("LAPTIME") or shutil.which("laptime") or "laptime"
    )
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    os.environ["DEVICE"] = options.device
    with tempfile.TemporaryDirectory(prefix="laptime-pairs-") as options.work:
        rows = again(options) if options.again else campaign(options)
    print(as_markdown(rows) + "\n" + summarize(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
