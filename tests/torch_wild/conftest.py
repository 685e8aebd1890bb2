import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "torch"))

from torch_runs import LAPTIME, read_tables  # noqa: E402

PROGRAMS = Path(__file__).parent / "programs"


class WildRun:
    """What a program printed and what its recording holds."""

    def __init__(self, process, path):
        self.output = process.stdout
        self.truth = json.loads(process.stdout.splitlines()[-1])
        tables = read_tables(path, "steps", "losses", "input")
        self.steps = tables["steps"]
        self.losses = {row["name"]: row["message"] for row in tables["losses"]}
        self.batches = {row["phase"]: row["batches"] for row in tables["input"] if row["what"] == "wait"}

    @property
    def counts(self):
        return dict(Counter(step["phase"] for step in self.steps))


@pytest.fixture
def wild(tmp_path):
    """Runs a program of the folder, alone and recorded. Its last line is its truth: the number of steps of each phase."""

    def start(name, *options):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("LAPTIME_")}
        environment["OMP_NUM_THREADS"] = "1"

        def finished(*command):
            process = subprocess.run([*command, PROGRAMS / name], cwd=tmp_path, capture_output=True, text=True, timeout=300, env=environment)
            assert process.returncode == 0, process.stdout + process.stderr
            return process

        bare = finished(sys.executable)
        recorded = finished(LAPTIME, "run", "-q", "-o", "run.lap", *options)
        assert recorded.stdout == bare.stdout, "a result was changed"
        return WildRun(recorded, tmp_path / "run.lap")

    return start
