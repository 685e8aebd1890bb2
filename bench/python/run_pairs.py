"""Pairs of a program bare and under `laptime run`, in turns. Their ratios do not depend on the
machine's speed.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

LAPTIME = Path(sys.executable).with_name("laptime")


def figure_of(command, folder):
    """The last number that the program prints, which is the time by one of its own clocks."""
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("LAPTIME_")
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return float(done.stdout.split()[-1])


def ratios(program, pairs, options=()):
    """The ratio of each pair. `program`: the text of a program that prints a number."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.py").write_text(program)
        bare = [sys.executable, "program.py"]
        profiled = [str(LAPTIME), "run", "-q", "-o", "run.lap", *options, "--", *bare]
        result = []
        for pair in range(pairs):
            first, second = (bare, profiled) if pair % 2 else (profiled, bare)
            figures = {id(command): figure_of(command, folder) for command in (first, second)}
            result.append(figures[id(profiled)] / figures[id(bare)])
        return result


def show(name, values, bar, judge=statistics.median):
    value = judge(values)
    verdict = "ok" if value <= bar else "OVER"
    print(
        f"{name:60} median {statistics.median(values):6.3f}  worst {max(values):6.3f}  (bar"
        f" {bar:.2f}) {verdict}",
        flush=True,
    )
    return {
        "figure": name,
        "median": statistics.median(values),
        "worst": max(values),
        "bar": bar,
        "over": value > bar,
    }
