import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

LAPTIME = Path(sys.executable).parent / "laptime"


def read_tables(path, *names):
    """The tables of a run, each a list of rows by column."""
    text = subprocess.run([LAPTIME, "report", path, *names, "--json"], capture_output=True, text=True, check=True).stdout
    return {table["name"]: [dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]]
            for table in json.loads(text)["tables"]}


class Recorded:
    """What a recording holds of steps and spans."""

    def __init__(self, path):
        tables = read_tables(path, "steps", "scopes", "losses")
        self.steps = tables["steps"]
        self.calls = {}
        for row in tables["scopes"]:
            self.calls[row["name"]] = self.calls.get(row["name"], 0) + row["calls"]
        self.losses = {row["name"]: row["message"] for row in tables["losses"]}

    @property
    def phases(self):
        return [step["phase"] for step in self.steps]

    @property
    def samples(self):
        return [step["samples"] for step in self.steps]


@pytest.fixture
def record(tmp_path):
    """Records a function in this process and reads what came of it."""
    import laptime

    def recorded(function, **options):
        path = tmp_path / "run.lap"
        with laptime.profile(path, **{"lines": False, "ops": False, **options}):
            function()
        return Recorded(path)

    return recorded


@pytest.fixture
def run(tmp_path):
    """Runs a program under `laptime run`; the process and what it recorded."""

    def start(source, *options, name="program.py", code=0, env=None):
        (tmp_path / name).write_text(textwrap.dedent(source).lstrip("\n"))
        environment = {key: value for key, value in os.environ.items() if not key.startswith("LAPTIME_")}
        process = subprocess.run(
            [LAPTIME, "run", "-q", "-o", "run.lap", *options, name], cwd=tmp_path, capture_output=True, text=True, timeout=300,
            env={**environment, **(env or {})})
        assert process.returncode == code, process.stdout + process.stderr
        return process, Recorded(tmp_path / "run.lap")

    return start
