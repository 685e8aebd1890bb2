import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "torch"))

from torch_runs import LAPTIME, read_tables

PROGRAMS = Path(__file__).parent / "programs"


class WildRun:
    """What a program printed and what its recording holds."""

    def __init__(self, process, path):
        self.output = process.stdout
        self.truth = json.loads(process.stdout.splitlines()[-1])
        self.tables = tables = read_tables(
            path,
            "steps",
            "warnings",
            "input",
            "run",
            "phases",
            "breakdown",
            "step_summary",
            "slow_steps",
            "step_lines",
            "advice",
        )
        self.steps = tables["steps"]
        self.warnings = {row["name"]: row["message"] for row in tables["warnings"]}
        self.batches = {
            row["phase"]: row["batches"] for row in tables["input"] if row["what"] == "wait"
        }

    @property
    def counts(self):
        return dict(Counter(step["phase"] for step in self.steps))

    def phase(self, name):
        return [row for row in self.tables["phases"] if row["phase"] == name]

    def check_accounts(self):
        """Nothing vanishes: a thread's phases sum to the run, a phase's categories to its mean
        step, and shares agree.
        """
        duration = next(row["value"] for row in self.tables["run"] if row["key"] == "duration")
        threads = {row["thread"] for row in self.tables["phases"]}
        for thread in threads:
            assert sum(
                row["time_ns"] for row in self.tables["phases"] if row["thread"] == thread
            ) == pytest.approx(duration, rel=0.01)
        host = [row for row in self.tables["breakdown"] if row["view"] == "host"]
        for summary in self.tables["step_summary"] if len(threads) == 1 else []:
            parts = [row["ns_per_step"] for row in host if row["phase"] == summary["phase"]]
            assert not parts or sum(parts) == pytest.approx(summary["mean_ns"], rel=0.01)
        for advice in self.tables["advice"]:
            if advice["rule"] in ("no-workers", "few-workers", "prefetch", "in-memory-dataset"):
                assert advice["share"] in [
                    pytest.approx(row["share"], rel=0.01)
                    for row in host
                    if row["category"] == "input wait"
                ]
            if advice["gain_bound"] is not None:
                assert advice["gain_high"] <= advice["gain_bound"] + 1e-9


@pytest.fixture
def wild(tmp_path):
    """Runs a program of the folder, alone and recorded. Its last line is its truth: the number of
    steps of each phase.
    """

    def start(name, *options):
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("LAPTIME_")
        }
        environment["OMP_NUM_THREADS"] = "1"

        def finished(*command):
            process = subprocess.run(
                [*command, PROGRAMS / name],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                timeout=300,
                env=environment,
            )
            assert process.returncode == 0, process.stdout + process.stderr
            return process

        bare = finished(sys.executable)
        recorded = finished(LAPTIME, "run", "-q", "-o", "run.lap", *options)
        assert recorded.stdout == bare.stdout, "a result was changed"
        run = WildRun(recorded, tmp_path / "run.lap")
        run.check_accounts()
        return run

    return start
