"""TensorBoard's profile on the three backends, judged by xprof."""

import glob
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FIT = Path(__file__).with_name("fit.py")


def fit(tmp_path, backend, *words):
    environment = {**os.environ, "KERAS_BACKEND": backend, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, FIT, tmp_path / "logs", *map(str, words)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0 and "free" in done.stdout, done.stderr
    files = glob.glob(f"{tmp_path}/logs/train/plugins/profile/*/*.xplane.pb")
    return done, files


def steps_of(files):
    """As xprof shows them: number to ms. It leaves out the first and the last of several."""
    convert = pytest.importorskip("xprof.convert.raw_to_tool_data")
    data, _ = convert.xspace_to_tool_data(files, "input_pipeline_analyzer", {})
    tables = [t for t in json.loads(data) if "step_time_graph_column_ids" in t.get("p", {})]
    rows = [[cell["v"] for cell in row["c"]] for table in tables for row in table["rows"]]
    return {int(row[0].rpartition(" ")[2]): row[-1] for row in rows}


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "jax"])
def test_xprof_shows_each_profiled_batch(tmp_path, backend):
    done, files = fit(tmp_path, backend, 3, 9)
    lines = (line.split() for line in done.stdout.splitlines() if line[0].isdigit())
    measured = {int(number): float(ms) for number, ms in lines}
    steps = steps_of(files)
    assert list(steps) == [4, 5, 6, 7, 8]
    for number, ms in steps.items():  # 0.1 ms for the other callbacks
        assert ms > 0 and abs(ms - measured[number]) < 0.01 * ms + 0.1


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "jax"])
def test_an_interrupted_fit_leaves_no_session(tmp_path, backend):
    done, files = fit(tmp_path, backend, 2, 10, 5)
    assert "interrupted" in done.stdout and len(files) == 1


def test_a_range_past_the_end_is_reported(tmp_path):
    done, files = fit(tmp_path, "tensorflow", 40, 50)
    assert not files
    assert "profile_batch=(40, 50) is past the end of the training (12 batches)" in done.stderr
