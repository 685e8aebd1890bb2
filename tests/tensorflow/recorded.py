"""Runs a program under `laptime run` and reads its tables."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

LAPTIME = Path(sys.executable).with_name("laptime")


class Recorded:
    def __init__(self, folder, source, *options):
        self.source = textwrap.dedent(source).lstrip("\n")
        (folder / "program.py").write_text(self.source)
        self._path = folder / "run.lap"
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME_")}
        process = subprocess.run(
            [LAPTIME, "run", "-q", "--full", "-o", self._path, *options, "program.py"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            env={**environment, "TF_CPP_MIN_LOG_LEVEL": "3"},
        )
        assert process.returncode == 0, process.stdout + process.stderr
        self.output = process.stdout

    def rows(self, table, *options):
        command = [LAPTIME, "report", self._path, table, "--json", *options]
        text = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        (found,) = json.loads(text.stdout)["tables"]
        names = [column["name"] for column in found["columns"]]
        return [dict(zip(names, row, strict=True)) for row in found["rows"]]

    def share_with_line(self):
        ops = self.rows("ops", "--by", "line")
        time = sum(row["self_cpu_ns"] for row in ops)
        return sum(row["self_cpu_ns"] for row in ops if row["line"]) / time

    def lines_of(self, op):
        """The texts of the lines that an op of this type comes from."""
        lines = self.source.splitlines()
        found = {row["line"] for row in self._rows_of(op, "line")}
        return {lines[line - 1].strip() if line else None for line in found}

    def modules_of(self, op):
        return {row["module"] for row in self._rows_of(op, "module")}

    def _rows_of(self, op, by):
        """Recording begins within the first step, so its ops may have no origin."""
        rows = self.rows("ops", "--by", by)
        return [row for row in rows if row["name"] == op and row["calls"] > 5]

    @property
    def warnings(self):
        return {row["name"] for row in self.rows("warnings")}
