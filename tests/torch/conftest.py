import os
import subprocess
import textwrap

import pytest
from torch_runs import LAPTIME, Recorded


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
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith("LAPTIME_")
        }
        process = subprocess.run(
            [LAPTIME, "run", "-q", "-o", "run.lap", *options, name],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            env={**environment, **(env or {})},
        )
        assert process.returncode == code, process.stdout + process.stderr
        return process, Recorded(tmp_path / "run.lap")

    return start
