#!/usr/bin/env python3
"""What `laptime whatif` predicts of a fix, against what the fix then brings: pairs of a program and a change to it.

    .venv/bin/python bench/whatif/whatif_bench.py [--repeats 3] [--only NAME…] [--json FILE] [--markdown FILE]

A machine that others use is now fast, now slow, by more than most fixes bring. So both programs of a pair are alive at the same time, and
one is stopped while the other runs, in turns of a fraction of a second, until the first is done: their medians come from the same
minutes. (A step that was stopped in between is an outlier.) Of several repeats the one with the median gain counts.
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = HERE / "program.py"
LAPTIME = Path(sys.executable).with_name("laptime")
TURN_S = 0.25
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


# Factors that a change of sizes brings are those of the multiplications it takes away, and of the parameters that are left.
IN_LOOP, IN_DATASET = line_of("sha256(blob)"), line_of("sha256(self.bytes)")
PAIRS = [
    pair("checksum in the loop removed", "--model mlp", "--step-kb 2000", "", scale(IN_LOOP, 0)),
    pair("checksum in the loop halved", "--model mlp", "--step-kb 3000", "--step-kb 1500", scale(IN_LOOP, 0.5)),
    pair("metric in Python removed", "--model mlp", "--metric 60000", "", scale("metric", 0)),
    pair("log messages removed", "--model mlp", "--log 40", "", scale(line_of('log.info("message'), 0)),
    pair(".item() of every norm removed", "--model deep --hidden 64", "--item", "", scale(line_of("p.norm().item()"), 0)),
    pair("dataset without its checksum", "--model mlp", "--sample-kb 50", "", scale(IN_DATASET, 0)),
    pair("dataset with half its checksum", "--model conv --hidden 32", "--sample-kb 80", "--sample-kb 40", scale(IN_DATASET, 0.5)),
    pair("workers 0 to 1, dataset that computes", "--model mlp --hidden 1024 --sample-kb 30", "", "--workers 1", ["--workers", "1"]),
    pair("workers 0 to 2, dataset that sleeps", "--model mlp --sample-sleep-us 100", "", "--workers 2", ["--workers", "2"]),
    pair("workers 1 to 2, dataset that sleeps", "--model mlp --sample-sleep-us 300", "--workers 1", "--workers 2", ["--workers", "2"]),
    pair("workers 1 to 0, dataset that computes", "--model mlp --sample-kb 30", "--workers 1", "", ["--workers", "0"]),
    pair("hidden layer 1024 to 512", "--model mlp --batch 128", "--hidden 1024", "--hidden 512",
         [*scale(line_of("x = F.relu(self.first(x))"), 0.5), *scale(line_of("x = F.relu(self.second(x))"), 0.25), *scale("Optimizer.step*", 0.3)]),
    pair("second convolution 64 to 32", "--model conv", "--hidden 64", "--hidden 32", scale(line_of("F.max_pool2d(F.relu(self.second(x)), 2)"), 0.5)),
    pair("batch 64 to 128, mlp", "--model mlp --hidden 512", "--batch 64", "--batch 128", ["--batch", "2x"]),
    pair("batch 64 to 128, convolutions", "--model conv --hidden 32", "--batch 64", "--batch 128", ["--batch", "2x"]),
    pair("single-tensor to foreach optimizer", "--model deep --hidden 64", "--foreach no", "--foreach yes", ["--rule", "single-tensor-optimizer"]),
    pair("zeros to no gradients", "--model deep --hidden 128", "--zero", "", ["--rule", "zero-grad"]),
    pair("worker and no checksum in the loop", "--model mlp --sample-kb 50", "--step-kb 2000", "--workers 1", ["--workers", "1", *scale(IN_LOOP, 0)]),
]


class Recording:
    """A program under `laptime run`, with all its processes, that can be stopped and let go on."""

    def __init__(self, path, arguments):
        command = [LAPTIME, "run", "-q", "-o", path, PROGRAM, *arguments]
        self._process = subprocess.Popen(command, cwd=path.parent, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def is_done(self):
        return self._process.poll() is not None

    def send(self, number):
        if not self.is_done():
            os.killpg(self._process.pid, number)

    def end(self, early):
        """With its records written, like every program that is asked to end."""
        if early:
            self.send(signal.SIGCONT)
            self._process.send_signal(signal.SIGTERM)
        _, said = self._process.communicate()
        if self._process.returncode not in (0, -signal.SIGTERM, 128 + signal.SIGTERM):
            sys.exit(said)


def record_in_turn(*jobs):
    """jobs: (path, arguments). Ends all when the first has done its steps."""
    recordings = [Recording(*job) for job in jobs]
    for recording in recordings:
        recording.send(signal.SIGSTOP)
    while not any(recording.is_done() for recording in recordings):
        for recording in recordings:
            recording.send(signal.SIGCONT)
            time.sleep(TURN_S)
            recording.send(signal.SIGSTOP)
    for recording in recordings:
        recording.end(early=not recording.is_done())


def tables(*command):
    done = subprocess.run([LAPTIME, *command, "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    found = json.loads(done.stdout)["tables"]
    return {table["name"]: [dict(zip((c["name"] for c in table["columns"]), row)) for row in table["rows"]] for table in found}


def measure(run):
    """The median step of the phase that takes most time."""
    return max(tables("report", run, "step_summary")["step_summary"], key=lambda row: row["median_ns"] * row["steps"])


def samples_gain(before, after):
    """How many times as many samples a second; steps where batches are alike."""
    def batch(row):
        return (row["samples_per_s"] or 1) / row["steps_per_s"] if row["samples_per_s"] else 1

    return (before["median_ns"] / after["median_ns"]) * round(batch(after)) / round(batch(before))


def evaluate(job, folder):
    before_run, after_run = folder / "before.lap", folder / "after.lap"
    record_in_turn((before_run, job.before), (after_run, job.after))
    before, after = measure(before_run), measure(after_run)
    predicted = tables("whatif", before_run, *job.change)["whatif"][0]
    replayed = tables("whatif", before_run)["whatif"][0]
    gain = samples_gain(before, after)
    return {
        "pair": job.name, "before_ms": before["median_ns"] / 1e6, "after_ms": after["median_ns"] / 1e6, "measured": gain,
        "predicted": predicted["gain"], "low": predicted["gain_low"], "high": predicted["gain_high"],
        "error": predicted["gain"] / gain - 1, "inside": predicted["gain_low"] <= gain <= predicted["gain_high"],
        "replay_error": replayed["replayed_ns"] / replayed["before_ns"] - 1,
    }


def middle(rows):
    rows.sort(key=lambda row: row["measured"])
    return rows[len(rows) // 2]


def as_markdown(rows):
    lines = ["| program, fix | step before | after | gain measured | predicted | interval | error | |", "|---|---|---|---|---|---|---|---|"]
    for r in rows:
        lines.append(f"| {r['pair']} | {r['before_ms']:.1f} ms | {r['after_ms']:.1f} ms | {r['measured']:.2f} × | {r['predicted']:.2f} × | "
                     f"{r['low']:.2f}–{r['high']:.2f} | {r['error']:+.0%} | {'' if r['inside'] else 'outside'} |")
    return "\n".join(lines) + "\n"


def summarize(rows):
    error = statistics.median(abs(r["error"]) for r in rows)
    inside = sum(r["inside"] for r in rows)
    replay = max(abs(r["replay_error"]) for r in rows)
    return (f"{len(rows)} pairs: median error {error:.1%} (bar {MOST_ERROR:.0%}), {inside} inside the interval = {inside / len(rows):.0%} "
            f"(bar {FEWEST_INSIDE:.0%}); replay without a change: at most {replay:.2%} off (bar {REPLAY_ERROR:.0%})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[], help="pairs whose name matches one of these")
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
        rows.append(middle(repeats))
        r = rows[-1]
        print(f"{r['pair']:40} {r['before_ms']:7.2f} → {r['after_ms']:7.2f} ms  measured {r['measured']:.2f}  predicted {r['predicted']:.2f} "
              f"({r['low']:.2f} to {r['high']:.2f})  {r['error']:+.1%}{'' if r['inside'] else '  outside'}", flush=True)
    print(summarize(rows))
    if options.json:
        options.json.write_text(json.dumps(rows) + "\n", encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(as_markdown(rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
