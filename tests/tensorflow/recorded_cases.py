"""Programs that know their own steps run under `laptime run`, and are read back.

Such a program puts each case into a scope "case: NAME". Its last line is JSON: "cases" has for each
case the name and the phases, each with its number of batches. "slept_ms" is how long its input took
in the case "input that sleeps".
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

LAPTIME = Path(sys.executable).parent / "laptime"
PROGRAMS = Path(__file__).parent / "programs"


@dataclass
class Case:
    name: str
    expected: list  # [phase, batches] in their order
    steps: list
    waits: list

    @property
    def found(self):
        return [
            [phase, len(list(steps))]
            for phase, steps in groupby(step["name"] for step in self.steps)
        ]

    @property
    def samples(self):
        return [step["args"].get("samples", 0) for step in self.steps]

    @property
    def waited_ms(self):
        return sum(wait["dur"] for wait in self.waits) / 1e3


def environment(**variables):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LAPTIME_")}
    return {**kept, **variables}


def start(words, folder, **variables):
    return subprocess.run(
        [*map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(**variables),
    )


def record(program, folder, *options, **variables):
    """Returns the process and the path of its recording."""
    path = folder / "run.lap"
    path.unlink(missing_ok=True)
    return start([LAPTIME, "run", "-o", path, *options, program], folder, **variables), path


def spans(path):
    """As the trace export writes them, in the order of their ends."""
    out = path.with_suffix(".json")
    subprocess.run(
        [LAPTIME, "export", path, "--to", "chrome", "-o", out], capture_output=True, check=True
    )
    events = [event for event in json.loads(out.read_text())["traceEvents"] if "dur" in event]
    return sorted(events, key=end_of)


def end_of(span):
    return span["ts"] + span["dur"]


def cases_of(program, folder, **variables):
    """Runs the program; the cases, and what else it printed. A step belongs to the case in which it
    ended.
    """
    process, path = record(PROGRAMS / program, folder, "-q", **variables)
    assert process.returncode == 0, process.stderr
    found = spans(path)
    scopes = {span["name"].removeprefix("case: "): span for span in found if span["cat"] == "scope"}

    def within(scope, kind):
        return [
            span
            for span in found
            if span["cat"] == kind and scope["ts"] < end_of(span) <= end_of(scope) + 1
        ]

    truth = json.loads(process.stdout.splitlines()[-1])
    cases = [
        Case(name, phases, within(scopes[name], "step"), within(scopes[name], "loader"))
        for name, phases in truth["cases"]
    ]
    return cases, truth
