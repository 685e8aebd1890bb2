"""Sessions of the frameworks' own profilers become ops of the run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

LAPTIME = Path(sys.executable).with_name("laptime")
PROGRAM = Path(__file__).with_name("profiled_sessions.py")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """What the judge found, and the tables of the run."""
    path = tmp_path_factory.mktemp("run") / "run.lap"
    process = subprocess.run(
        [sys.executable, PROGRAM, path], capture_output=True, text=True, timeout=300, check=False
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout.splitlines()[-1]), read_tables(path)


def read_tables(path):
    command = [LAPTIME, "report", path, "ops", "warnings", "--json"]
    text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    rows = {}
    for table in json.loads(text)["tables"]:
        names = [column["name"] for column in table["columns"]]
        rows[table["name"]] = [dict(zip(names, row, strict=True)) for row in table["rows"]]
    return rows


def test_every_op_of_both_profiles_is_recorded(recorded):
    judge, tables = recorded
    calls = {}
    for row in tables["ops"]:
        calls[row["name"]] = calls.get(row["name"], 0) + row["calls"]
    assert calls == judge["ops"]


def test_nothing_is_damaged(recorded):
    _, tables = recorded
    assert not [row for row in tables["warnings"] if row["name"].startswith("xplane")]


def test_ops_are_resolved_with_their_function(recorded):
    judge, _ = recorded
    functions = {function for function, _ in judge["asked"]}
    assert "jit_step" in functions
    assert any(function.startswith("__inference_") for function in functions)
