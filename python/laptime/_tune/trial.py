"""One short fresh run of the program with some changes. `laptime run` records it. It ends after
enough steps.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from laptime._tune.applied import TRIAL_VARIABLE
from laptime._tune.changes import Change, Facts

Row = dict[str, Any]


class TrialError(Exception):
    """The program failed, or made no step."""


@dataclass(frozen=True)
class Trial:
    run: Path
    median_ns: float
    losses: list[float]
    problems: list[str]
    seconds: float  # how long it took


class Laptime:
    """The laptime command, and its tables."""

    def __init__(self, command: str) -> None:
        self._command = command

    def tables(self, *words: str) -> dict[str, list[Row]]:
        done = subprocess.run([self._command, *words, "--json"], capture_output=True, text=True)
        if done.returncode != 0:
            raise TrialError(done.stderr.strip().removeprefix("laptime: "))
        return {
            t["name"]: [dict(zip((c["name"] for c in t["columns"]), row)) for row in t["rows"]]
            for t in json.loads(done.stdout)["tables"]
        }

    def run(
        self, path: Path, program: Sequence[str], environment: dict[str, str]
    ) -> subprocess.CompletedProcess[str]:
        words = [self._command, "run", "-q", "--no-lines", "-o", str(path), "--", *program]
        return subprocess.run(words, capture_output=True, text=True, env=environment)


class Trials:
    def __init__(
        self, laptime: Laptime, program: Sequence[str], folder: Path, steps: int, seconds: float
    ) -> None:
        self._laptime = laptime
        self._program = program
        self._folder = folder
        self._steps, self._seconds = steps, seconds
        self._count = 0

    def run(self, changes: Sequence[Change]) -> Trial:
        self._count += 1
        path, result = (
            self._folder / f"trial{self._count}.lap",
            self._folder / f"trial{self._count}.json",
        )
        request = {
            "changes": [change.text for change in changes],
            "steps": self._steps,
            "seconds": self._seconds,
            "result": str(result),
        }
        began = time.monotonic()
        done = self._laptime.run(
            path, self._program, {**os.environ, TRIAL_VARIABLE: json.dumps(request)}
        )
        if done.returncode != 0:
            raise TrialError(f"the program ended with {done.returncode}: {_last_line(done.stderr)}")
        if not result.exists():
            raise TrialError(
                "the program does not import torch, or ended before it could write its losses"
            )
        written = json.loads(result.read_text(encoding="utf-8"))
        return Trial(
            path,
            self.median(path),
            written["losses"],
            written["problems"],
            time.monotonic() - began,
        )

    def median(self, path: Path) -> float:
        """The median step of the phase that takes most time."""
        rows = [
            row
            for row in self._laptime.tables("report", str(path), "step_summary")["step_summary"]
            if row["median_ns"]
        ]
        if not rows:
            raise TrialError("the program made no steps that laptime can find (docs/steps.md)")
        return float(max(rows, key=lambda row: row["median_ns"] * row["steps"])["median_ns"])

    def facts(self, trial: Trial) -> Facts:
        tables = self._laptime.tables("report", str(trial.run), "input", "scopes", "settings")
        names = {row["name"] for row in tables["scopes"]}
        return Facts(
            cpus=len(os.sched_getaffinity(0)),
            gpu=any(
                row["key"] == "optimizer 1 device" and row["value"] == "cuda"
                for row in tables["settings"]
            ),
            loader=any(row["what"] == "wait" for row in tables["input"]),
            workers="fetch" in names,
            optimizer=any(name.startswith("Optimizer.step#") for name in names),
            convolutions=any("conv" in name.lower() for name in names if name.startswith("aten::")),
        )

    def predict(self, trial: Trial, change: Change) -> float | None:
        """The factor by which the rate of steps grows."""
        if not change.prediction:
            return None
        try:
            rows = self._laptime.tables("whatif", str(trial.run), *change.prediction)["whatif"]
            return float(rows[0]["gain"])
        except (TrialError, IndexError):
            return None

    def compare(self, before: Trial, after: Trial) -> Row:
        """The row of table `compare_steps` for the phase that takes most time."""
        rows = self._laptime.tables("compare", str(before.run), str(after.run))["compare_steps"]
        known = [row for row in rows if row["time_ratio"] is not None]
        if not known:
            raise TrialError("too few steps to compare")
        return max(known, key=lambda row: row["median_a_ns"] * row["steps_a"])


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it printed no error message"
