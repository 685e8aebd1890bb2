"""What tests of torch programs read of their recordings."""

import json
import subprocess
import sys
from pathlib import Path

LAPTIME = Path(sys.executable).parent / "laptime"


def read_tables(path, *names):
    """The tables of a run, each a list of rows by column."""
    text = subprocess.run(
        [LAPTIME, "report", path, *names, "--json"], capture_output=True, text=True, check=True
    ).stdout
    return {
        table["name"]: [
            dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]
        ]
        for table in json.loads(text)["tables"]
    }


def op_rows(path):
    """Table ops, by name."""
    return {row["name"]: row for row in read_tables(path, "ops")["ops"]}


class Recorded:
    """What a recording holds of steps and spans."""

    def __init__(self, path):
        tables = read_tables(path, "steps", "scopes", "warnings")
        self.steps = tables["steps"]
        self.calls = {}
        for row in tables["scopes"]:
            self.calls[row["name"]] = self.calls.get(row["name"], 0) + row["calls"]
        self.warnings = {row["name"]: row["message"] for row in tables["warnings"]}

    @property
    def phases(self):
        return [step["phase"] for step in self.steps]

    @property
    def samples(self):
        return [step["samples"] for step in self.steps]
