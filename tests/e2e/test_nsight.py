"""Under NVIDIA's own profilers the GPU is left to them: Nsight Compute refuses to start a program
whose environment names another tool's library.
"""

import os
import subprocess
from pathlib import Path

import pytest

BUILD = Path(
    os.environ.get("LAPTIME_BUILD", Path(__file__).resolve().parents[2] / "build" / "release")
)
LAPTIME = os.environ.get("LAPTIME_BIN", str(BUILD / "src" / "cli" / "laptime"))
LEFT = "laptime: GPU is not recorded: it is left to"


def run(tmp_path, *program, **environment):
    clean = {name: value for name, value in os.environ.items() if "INJECTION64_PATH" not in name}
    return subprocess.run(
        [LAPTIME, "run", "-q", "-o", tmp_path / "x.lap", "--", *program],
        capture_output=True,
        text=True,
        timeout=60,
        env={**clean, **environment},
    )


def test_a_program_is_given_the_gpus_recorder(tmp_path):
    done = run(tmp_path, "env")
    assert "CUDA_INJECTION64_PATH" in done.stdout and "NVTX_INJECTION64_PATH" in done.stdout
    assert LEFT not in done.stderr


@pytest.mark.parametrize(
    "variable, name",
    [
        ("NV_COMPUTE_PROFILER_PERFWORKS_DIR", "Nsight Compute"),
        ("NSYS_PROFILING_SESSION_ID", "Nsight Systems"),
    ],
)
def test_not_under_nsight(tmp_path, variable, name):
    done = run(tmp_path, "env", **{variable: "1"})
    assert "INJECTION64_PATH" not in done.stdout
    assert done.stderr.splitlines() == [f"{LEFT} {name}"] and done.returncode == 0


def test_not_when_nsight_is_the_program(tmp_path):
    ncu = tmp_path / "ncu"
    ncu.write_text("#!/bin/sh\nenv\nexit 3\n")
    ncu.chmod(0o755)
    done = run(tmp_path, ncu, "./program")
    assert "INJECTION64_PATH" not in done.stdout
    assert done.stderr.splitlines() == [f"{LEFT} Nsight Compute"] and done.returncode == 3
