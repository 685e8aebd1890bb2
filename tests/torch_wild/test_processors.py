"""What comes first where threads and processors do not fit, and what reading in every step costs,
in programs of known truth.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "torch"))

from torch_runs import LAPTIME, read_tables

PROGRAMS = Path(__file__).parent / "programs"

pytestmark = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU only")


def advice(tmp_path, name):
    file = tmp_path / "run.lap"
    process = subprocess.run(
        [LAPTIME, "run", "-q", "-o", file, PROGRAMS / name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return read_tables(file, "advice")["advice"]


def test_two_processes_of_two_threads_are_told_first(tmp_path):
    first = advice(tmp_path, "two_processes_of_two_threads.py")[0]
    assert first["rule"] == "too-many-threads"
    assert first["gain"] >= 1.5


def test_workers_are_not_advised_where_ops_use_all_processors(tmp_path):
    found = {row["rule"]: row for row in advice(tmp_path, "vae_two_threads.py")}
    assert "no-workers" not in found or found["no-workers"]["confidence"] == "low"


def test_reading_more_than_the_caches_hold_may_bring_much_more(tmp_path):
    found = {row["rule"]: row for row in advice(tmp_path, "reads_in_every_step.py")}
    assert found["reload"]["confidence"] != "high"
    assert found["reload"]["gain_high"] >= 4 * found["reload"]["gain_low"]
