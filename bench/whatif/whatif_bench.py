#!/usr/bin/env python3
"""What `laptime whatif` predicts of a fix, against the measured gain.

There are pairs of a program and a change to it.

    .venv/bin/python bench/whatif/whatif_bench.py [--repeats 3] [--only NAME…] [--json FILE]
                                                  [--markdown FILE]

The speed of a shared machine varies by more than most fixes gain. So both programs of a pair are
alive at the same time, and one is stopped while the other runs, in turns of a fraction of a second.

Each pair of turns gives one gain, from the mean steps of both, without a tenth on each side. A
median would not do: if every other step waits, it does not reflect their sum. The measured gain is
the median of these gains. A bootstrap over pairs of turns gives its interval. Of several repeats,
the one with the median gain counts.
"""

import argparse
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
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from gains import median_gain

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "program.py"
LAPTIME = Path(sys.executable).with_name("laptime")
TURN_S, TURNS = 0.4, 22  # for each program
STOPPED = 0.7 * TURN_S  # a longer step was stopped in between
FEWEST_STEPS = 3  # steps of a turn that counts
STEPS = 1_000_000  # more than the time allows
MOST_ERROR, FEWEST_INSIDE, REPLAY_ERROR = 0.10, 0.80, 0.02


def line_of(text):
    """FILE:LINE of the program's one line that holds the text."""
    numbers = [i for i, line in enumerate(PROGRAM.read_text().splitlines(), 1) if text in line]
    assert len(numbers) == 1, (text, numbers)
    return f"{PROGRAM.name}:{numbers[0]}"


def scale(what, factor):
    return ["--scale", f"{what}={factor}"]


@dataclass
class Pair:
    name: str
    before: list
    after: list
    change: list


def pair(name, common, before, after, change):
    return Pair(name, [*common.split(), *before.split()], [*common.split(), *after.split()], change)


# The factors of a change of sizes are those of the multiplications that it removes, and of the
# remaining parameters.
IN_LOOP, IN_DATASET = line_of("sha256(blob)"), line_of("sha256(self.bytes)")
PAIRS = [
    pair("checksum in the loop removed", "--model mlp", "--step-kb 2000", "", scale(IN_LOOP, 0)),
    pair(
        "checksum in the loop halved",
        "--model mlp",
        "--step-kb 3000",
        "--step-kb 1500",
        scale(IN_LOOP, 0.5),
    ),
    pair("metric in Python removed", "--model mlp", "--metric 60000", "", scale("metric", 0)),
    pair(
        "log messages removed",
        "--model mlp",
        "--log 40",
        "",
        scale(line_of('log.info("message'), 0),
    ),
    pair(
        ".item() of every norm removed",
        "--model deep --hidden 64",
        "--item",
        "",
        scale(line_of("p.norm().item()"), 0),
    ),
    pair("dataset without its checksum", "--model mlp", "--sample-kb 50", "", scale(IN_DATASET, 0)),
    pair(
        "dataset with half its checksum",
        "--model conv --hidden 32",
        "--sample-kb 80",
        "--sample-kb 40",
        scale(IN_DATASET, 0.5),
    ),
    pair(
        "workers 0 to 1, dataset that computes",
        "--model mlp --hidden 1024 --sample-kb 30",
        "",
        "--workers 1",
        ["--workers", "1"],
    ),
    pair(
        "workers 0 to 2, dataset that sleeps",
        "--model mlp --sample-sleep-us 100",
        "",
        "--workers 2",
        ["--workers", "2"],
    ),
    pair(
        "workers 1 to 2, dataset that sleeps",
        "--model mlp --sample-sleep-us 300",
        "--workers 1",
        "--workers 2",
        ["--workers", "2"],
    ),
    pair(
        "workers 1 to 0, dataset that computes",
        "--model mlp --sample-kb 30",
        "--workers 1",
        "",
        ["--workers", "0"],
    ),
    pair(
        "hidden layer 1024 to 512",
        "--model mlp --batch 128",
        "--hidden 1024",
        "--hidden 512",
        [
            *scale(line_of("x = F.relu(self.first(x))"), 0.5),
            *scale(line_of("x = F.relu(self.second(x))"), 0.25),
            *scale("Optimizer.step*", 0.3),
        ],
    ),
    pair(
        "second convolution 64 to 32",
        "--model conv",
        "--hidden 64",
        "--hidden 32",
        scale(line_of("F.max_pool2d(F.relu(self.second(x)), 2)"), 0.5),
    ),
    pair(
        "batch 64 to 128, mlp",
        "--model mlp --hidden 512",
        "--batch 64",
        "--batch 128",
        ["--batch", "2x"],
    ),
    pair(
        "batch 64 to 128, convolutions",
        "--model conv --hidden 32",
        "--batch 64",
        "--batch 128",
        ["--batch", "2x"],
    ),
    pair(
        "single-tensor to fused optimizer",
        "--model deep --hidden 64",
        "--optimizer single",
        "--optimizer fused",
        ["--rule", "single-tensor-optimizer"],
    ),
    pair(
        "zeros to no gradients", "--model deep --hidden 128", "--zero", "", ["--rule", "zero-grad"]
    ),
    pair(
        "worker and no checksum in the loop",
        "--model mlp --sample-kb 50",
        "--step-kb 2000",
        "--workers 1",
        ["--workers", "1", *scale(IN_LOOP, 0)],
    ),
]


class Recording:
    """A program under `laptime run`, with all its processes. It can be stopped and continued."""

    def __init__(self, path, arguments):
        self._warm = path.with_suffix(".warm")
        command = [
            LAPTIME,
            "run",
            "-q",
            "-o",
            path,
            PROGRAM,
            *arguments,
            "--steps",
            STEPS,
            "--warm",
            self._warm,
        ]
        self._process = subprocess.Popen(
            [str(word) for word in command],
            cwd=path.parent,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_until_warm(self):
        while not self._warm.exists():
            if self._process.poll() is not None:
                sys.exit(self._process.communicate()[1])
            time.sleep(0.01)

    def send(self, number):
        os.killpg(self._process.pid, number)

    def end(self):
        """Ends the program, which writes its records before."""
        self.send(signal.SIGCONT)
        self._process.send_signal(signal.SIGTERM)
        _, errors = self._process.communicate()
        if self._process.returncode not in (0, -signal.SIGTERM, 128 + signal.SIGTERM):
            sys.exit(errors)


def record_in_turn(*jobs):
    """jobs: (path, arguments). All are stopped for one turn's time before the first turn. So each
    turn begins with a step that was stopped.
    """
    recordings = [Recording(*job) for job in jobs]
    for recording in recordings:
        recording.wait_until_warm()
    for recording in recordings:
        recording.send(signal.SIGSTOP)
    time.sleep(TURN_S)
    for _ in range(TURNS):
        for recording in recordings:
            recording.send(signal.SIGCONT)
            time.sleep(TURN_S)
            recording.send(signal.SIGSTOP)
    for recording in recordings:
        recording.end()


def tables(*command):
    done = subprocess.run([LAPTIME, *command, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)["tables"]
    return {
        table["name"]: [
            dict(zip((c["name"] for c in table["columns"]), row)) for row in table["rows"]
        ]
        for table in found
    }


def turns_of(run):
    """The whole steps of each turn, in ns. Steps before the first turn do not count."""
    turns = []
    for step in tables("report", run, "steps")["steps"]:
        if step["wall_ns"] > STOPPED * 1e9:
            turns.append([])
        elif turns:
            turns[-1].append(step["wall_ns"])
    return turns[:TURNS]


def batch_of(arguments):
    return int(arguments[arguments.index("--batch") + 1]) if "--batch" in arguments else 1


def middle_mean(walls):
    aside = len(walls) // 10
    return statistics.fmean(sorted(walls)[aside : len(walls) - aside])


def gains_of(before_turns, after_turns, samples):
    """For each pair of turns: how many times as many samples a second."""
    return [
        samples * middle_mean(before) / middle_mean(after)
        for before, after in zip(before_turns, after_turns)
        if min(len(before), len(after)) >= FEWEST_STEPS
    ]


def median_ms(turns):
    return statistics.median(wall for turn in turns for wall in turn) / 1e6


def evaluate(job, folder):
    before_run, after_run = folder / "before.lap", folder / "after.lap"
    load = os.getloadavg()[0]
    record_in_turn((before_run, job.before), (after_run, job.after))
    load = (load + os.getloadavg()[0]) / 2
    before, after = turns_of(before_run), turns_of(after_run)
    gains = gains_of(before, after, batch_of(job.after) / batch_of(job.before))
    measured, measured_low, measured_high = median_gain(gains)
    predicted = tables("whatif", before_run, *job.change)["whatif"][0]
    replayed = tables("whatif", before_run)["whatif"][0]
    return {
        "pair": job.name,
        "before_ms": median_ms(before),
        "after_ms": median_ms(after),
        "turns": len(gains),
        "load": load,
        "measured": measured,
        "measured_low": measured_low,
        "measured_high": measured_high,
        "predicted": predicted["gain"],
        "low": predicted["gain_low"],
        "high": predicted["gain_high"],
        "error": predicted["gain"] / measured - 1,
        "inside": predicted["gain_low"] <= measured <= predicted["gain_high"],
        "replay_error": replayed["replayed_ns"] / replayed["before_ns"] - 1,
    }


def middle(rows):
    rows.sort(key=lambda row: row["measured"])
    return rows[len(rows) // 2]


def as_markdown(rows):
    lines = [
        (
            "| program, fix | step before | after | gain measured | predicted | interval | error |"
            " | load |"
        ),
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        lines.append(
            f"| {r['pair']} | {r['before_ms']:.1f} ms | {r['after_ms']:.1f} ms |"
            f" {r['measured']:.2f} × ({r['measured_low']:.2f}–{r['measured_high']:.2f}) |"
            f" {r['predicted']:.2f} × | {r['low']:.2f}–{r['high']:.2f} | {r['error']:+.0%} |"
            f" {'' if r['inside'] else 'outside'} | {r['load']:.1f} |"
        )
    return "\n".join(lines) + "\n"


def summarize(rows):
    error = statistics.median(abs(r["error"]) for r in rows)
    inside = sum(r["inside"] for r in rows)
    replay = max(abs(r["replay_error"]) for r in rows)
    width = statistics.median(r["high"] / r["low"] for r in rows)
    return (
        f"{len(rows)} pairs: median error {error:.1%} (bar {MOST_ERROR:.0%}), {inside} inside the"
        f" interval = {inside / len(rows):.0%} (bar {FEWEST_INSIDE:.0%}), whose upper end is"
        f" {width:.2f} times its lower one (median); load {min(r['load'] for r in rows):.1f} to"
        f" {max(r['load'] for r in rows):.1f}; replay without a change: at most {replay:.2%} off"
        f" (bar {REPLAY_ERROR:.0%})"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--only", nargs="*", default=[], help="pairs whose name matches one of these"
    )
    parser.add_argument("--keep", type=Path, help="a folder for the recordings")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--markdown", type=Path)
    options = parser.parse_args()
    rows = []
    for job in PAIRS:
        if options.only and not any(re.search(pattern, job.name) for pattern in options.only):
            continue
        repeats = []
        for _ in range(options.repeats):
            with tempfile.TemporaryDirectory() as name:
                repeats.append(evaluate(job, Path(name)))
                if options.keep:
                    shutil.copytree(
                        name, options.keep / job.name.replace(" ", "_"), dirs_exist_ok=True
                    )
        rows.append(middle(repeats))
        r = rows[-1]
        print(
            f"{r['pair']:40} {r['before_ms']:7.2f} → {r['after_ms']:7.2f} ms  measured"
            f" {r['measured']:.2f} ({r['measured_low']:.2f} to {r['measured_high']:.2f})  predicted"
            f" {r['predicted']:.2f} ({r['low']:.2f} to {r['high']:.2f}) "
            f" {r['error']:+.1%}{'' if r['inside'] else '  outside'}  load {r['load']:.1f}",
            flush=True,
        )
    print(summarize(rows))
    if options.json:
        options.json.write_text(json.dumps(rows) + "\n", encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(as_markdown(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
