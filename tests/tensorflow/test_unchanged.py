"""A program's results, output, tracebacks and exit code are the same with and without laptime."""

import re
import signal
import sys

import pytest
from recorded_cases import PROGRAMS, record, start

TIME = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+: |[IWEF]0000 00:00:\d+\.\d+ +\d+ )")
AUTOGRAPH = re.compile(r"__autograph_generated_file\w+")


def lines_of(text):
    """Of what a program wrote, without times and names that differ in each run."""
    return [AUTOGRAPH.sub("FILE", TIME.sub("", line)) for line in text.splitlines()]


@pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
def test_results_are_bitwise_equal(tmp_path, backend):
    program = PROGRAMS / "results.py"
    plain = start([sys.executable, program], tmp_path, KERAS_BACKEND=backend)
    recorded, _ = record(program, tmp_path, "-q", "--full", KERAS_BACKEND=backend)
    assert plain.returncode == 0, plain.stderr
    assert recorded.stdout == plain.stdout


@pytest.mark.parametrize(
    ("program", "code"), [("raises.py", 1), ("interrupted.py", -signal.SIGINT), ("forks.py", 0)]
)
def test_output_and_exit_code(tmp_path, program, code):
    """TensorFlow's own log is on: sessions of its profiler must not show there."""
    plain = start([sys.executable, PROGRAMS / program], tmp_path, TF_CPP_MIN_LOG_LEVEL="0")
    recorded, _ = record(PROGRAMS / program, tmp_path, "-q", TF_CPP_MIN_LOG_LEVEL="0")
    assert (plain.returncode, recorded.returncode) == (code, code)
    assert recorded.stdout == plain.stdout
    assert lines_of(recorded.stderr) == lines_of(plain.stderr)
