"""Climbs the ladder by advice alone: records the loop, takes the first advice that it has an answer
to, measures, and goes on.

    python climb.py [--device cuda] [--out ladder.json]
    python climb.py --ladder ../keras_ladder/ladder.py

Each rung is two runs: one under `laptime run`, which says what to change and what that will bring,
and one without laptime, which says what it brought. A change that does not pay is taken back, and
that is said too.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LAPTIME = os.environ.get("LAPTIME") or shutil.which("laptime") or "laptime"
LARGEST_BATCH = 32768


class Loop:
    """How a ladder is started."""

    def __init__(self, flags=(), batch=64):
        self.flags, self.batch = tuple(flags), batch

    def changed(self, rule, answers):
        """The loop with what the rule asks for; None where there is nothing left to change."""
        if rule == "small-batch":
            return Loop(self.flags, 8 * self.batch) if self.batch < LARGEST_BATCH else None
        flag = answers.get(rule)
        return None if flag is None or flag in self.flags else Loop((*self.flags, flag), self.batch)

    def command(self, options):
        steps = options.steps if "--load-once" in self.flags else max(20, options.steps // 10)
        device = ["--device", options.device] if options.device else []
        return [
            options.ladder,
            "--data",
            options.data,
            *device,
            "--steps",
            str(steps),
            "--batch",
            str(self.batch),
            *self.flags,
        ]

    def __str__(self):
        return " ".join((*self.flags, f"--batch {self.batch}"))


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"climb: {' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def images_per_second(loop, options):
    return float(re.search(r"([\d.]+) images/s", run([sys.executable, *loop.command(options)]))[1])


def advice(loop, options):
    """Rows of the advice table, the largest gain first."""
    with tempfile.TemporaryDirectory() as folder:
        lap = os.path.join(folder, "rung.lap")
        run(
            [
                LAPTIME,
                "run",
                "-q",
                "--full",
                "-o",
                lap,
                "--",
                sys.executable,
                *loop.command(options),
            ]
        )
        table = json.loads(run([LAPTIME, "report", lap, "advice", "--json"]))["tables"][0]
    return [
        dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]
    ]


def next_rung(loop, rows, answers, refused):
    for row in rows:
        changed = loop.changed(row["rule"], answers)
        if changed is not None and str(changed) not in refused:
            return row, changed
    return None, None


def climb(options):
    loop, refused, rungs = Loop(), set(), []
    answers = json.loads(run([sys.executable, options.ladder, "--answers"]))
    rate = start = images_per_second(loop, options)
    print(f"start: {rate:,.0f} images/s", flush=True)
    while True:
        rows = advice(loop, options)
        row, changed = next_rung(loop, rows, answers, refused)
        if row is None:
            break
        measured = images_per_second(changed, options)
        pays = measured > rate
        rungs.append(
            {
                "rule": row["rule"],
                "message": row["message"],
                "fix": row["fix"],
                "change": str(changed),
                "low": row["gain_low"],
                "high": row["gain_high"],
                "measured": measured / rate,
                "rate": measured,
                "kept": pays,
            }
        )
        print(
            f"{row['rule']}: {changed}: predicted {row['gain_low']:.2f} to {row['gain_high']:.2f}"
            f" x, measured {measured / rate:.2f} x, {measured:,.0f}"
            f" images/s{'' if pays else ', taken back'}",
            flush=True,
        )
        if pays:
            loop, rate = changed, measured
        else:
            refused.add(str(changed))
    print(
        f"end: {rate:,.0f} images/s, {rate / start:,.0f} x; advice left:"
        f" {', '.join(row['rule'] for row in rows) or 'none'}"
    )
    return {"start": start, "end": rate, "rungs": rungs, "left": [row["rule"] for row in rows]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="mnist")
    parser.add_argument("--ladder", default=os.path.join(HERE, "ladder.py"), metavar="FILE")
    parser.add_argument("--device", help="if the ladder has this option")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--out", help="a file for the rungs, as JSON")
    options = parser.parse_args()
    result = climb(options)
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()
