"""Programs that use JAX run under `laptime run`, and are read back."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("jax")

LAPTIME = Path(sys.executable).parent / "laptime"


class Run:
    """What `laptime run` recorded of a program."""

    def __init__(self, path, output):
        self.output = output
        self._path = path

    def rows(self, table):
        text = subprocess.run(
            [LAPTIME, "report", self._path, table, "--json"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        (found,) = json.loads(text)["tables"]
        names = [column["name"] for column in found["columns"]]
        return [dict(zip(names, row)) for row in found["rows"]]

    @property
    def phases(self):
        return [step["phase"] for step in self.rows("steps")]

    @property
    def warnings(self):
        return {row["name"]: row["message"] for row in self.rows("warnings")}

    def spans(self, kind):
        """The spans of a kind, as the trace export writes them, in the order of their starts."""
        out = self._path.with_suffix(".json")
        subprocess.run(
            [LAPTIME, "export", self._path, "--to", "chrome", "-o", out],
            capture_output=True,
            check=True,
        )
        events = json.loads(out.read_text())["traceEvents"]
        spans = [event for event in events if event.get("cat") == kind]
        return sorted(spans, key=lambda span: span["ts"])


def environment(**variables):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LAPTIME_")}
    return {**kept, "JAX_PLATFORMS": "cpu", **variables}


@pytest.fixture
def run(tmp_path):
    def start(source, *options, code=0, **variables):
        (tmp_path / "program.py").write_text(textwrap.dedent(source).lstrip("\n"))
        path = tmp_path / "run.lap"
        path.unlink(missing_ok=True)
        process = subprocess.run(
            [LAPTIME, "run", "-q", "-o", path, *options, "program.py"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            env=environment(**variables),
        )
        assert process.returncode == code, process.stdout + process.stderr
        return Run(path, process.stdout + process.stderr)

    return start


@pytest.fixture
def plain(tmp_path):
    """Runs a program without laptime; its output."""

    def start(source, **variables):
        (tmp_path / "program.py").write_text(textwrap.dedent(source).lstrip("\n"))
        return subprocess.run(
            [sys.executable, "program.py"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            env=environment(**variables),
            check=True,
        ).stdout

    return start
