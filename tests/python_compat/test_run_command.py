"""`laptime run` on Python programs, through the command itself."""

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

COMMAND = shutil.which("laptime", path=sysconfig.get_path("scripts"))
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "mnist"
pytestmark = pytest.mark.skipif(COMMAND is None, reason="the laptime command is not installed here")

PROGRAM = """
    import sys

    def work(n):
        total = 0
        for i in range(n):
            total += i
        return total

    print(sys.argv[1:], __name__, work(1000))
    sys.exit(5)
"""


def laptime(sandbox, *words, code=0):
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("LAPTIME_") and key != "VIRTUAL_ENV"
    }
    result = subprocess.run(
        [COMMAND, *words],
        cwd=sandbox.folder,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    assert result.returncode == code, result.stdout + result.stderr
    return result


def tables(sandbox, run, *names):
    output = laptime(sandbox, "report", run, *names, "--json").stdout
    return {
        table["name"]: [
            dict(zip([c["name"] for c in table["columns"]], row)) for row in table["rows"]
        ]
        for table in json.loads(output)["tables"]
    }


@pytest.mark.parametrize(
    "words", [["work.py"], ["--", "work.py"], ["--", sys.executable, "-u", "work.py"]]
)
def test_a_script_keeps_its_arguments_and_exit_code_and_is_timed_by_line(sandbox, words):
    sandbox.write("work.py", PROGRAM)
    result = laptime(sandbox, "run", "--full", *words, "a", "--", "-q", code=5)
    assert result.stdout == "['a', '--', '-q'] __main__ 499500\n"
    lines = {
        row["source"].strip(): row["hits"] for row in tables(sandbox, "work.lap", "lines")["lines"]
    }
    assert lines["total += i"] == 1000
    assert "Lines" in result.stderr


def test_a_module_and_functions(sandbox):
    sandbox.write("pkg/__init__.py", "")
    sandbox.write("pkg/__main__.py", "from .part import value\nprint(value())\n")
    sandbox.write("pkg/part.py", "def value():\n    return len('four')\n")
    assert laptime(sandbox, "run", "-q", "-f", "-m", "pkg").stdout == "4\n"
    functions = {row["name"]: row for row in tables(sandbox, "pkg.lap", "functions")["functions"]}
    assert functions["value"]["ncalls"] == 1
    assert functions["<built-in method builtins.len>"]["ncalls"] >= 1


def test_every_report_tells_the_cost(sandbox):
    sandbox.write("work.py", PROGRAM)
    laptime(sandbox, "run", "-q", "--full", "work.py", code=5)
    facts = {row["key"]: row["value"] for row in tables(sandbox, "work.lap", "run")["run"]}
    assert facts["own_cost"] > 5_000_000  # laptime's own start
    assert (
        0 < facts["own_cost_low"] <= facts["own_cost_share"] <= facts["own_cost_high"]
    )  # of a program this short, more than it takes itself


def test_an_exception_reads_as_without_laptime(sandbox):
    sandbox.write("fails.py", "def f():\n    return 1 / 0\n\nf()\n")
    bare = sandbox.python("fails.py", code=1)
    assert laptime(sandbox, "run", "-q", "fails.py", code=1).stderr == bare.stderr


def test_what_went_over_the_budget_is_told(sandbox):
    sandbox.write(
        "hot.py",
        "def hot(n):\n    x = 0\n    for i in range(n):\n        x += i\n    return x\n\nfor _ in"
        " range(20):\n    hot(100000)\n",
    )
    laptime(sandbox, "run", "-q", "--budget", "1%", "hot.py")
    answer = tables(sandbox, "hot.lap", "lines", "warnings")
    assert any(row["level"] == "call" and row["function"] == "hot" for row in answer["lines"])
    assert any(row["name"] == "over_budget" for row in answer["warnings"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_still_gives_a_report(sandbox, number):
    sandbox.write(
        "waits.py", "import time\nprint('up', flush=True)\nwhile True:\n    time.sleep(0.01)\n"
    )
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("LAPTIME_") and key != "VIRTUAL_ENV"
    }
    process = subprocess.Popen(
        [COMMAND, "run", "waits.py"],
        cwd=sandbox.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=environment,
    )
    assert process.stdout.readline() == "up\n"
    time.sleep(0.3)
    os.killpg(process.pid, number)  # as a terminal's Ctrl-C: to both
    _, errors = process.communicate(timeout=60)
    assert "next: laptime report waits.lap" in errors
    lines = {row["source"].strip() for row in tables(sandbox, "waits.lap", "lines")["lines"]}
    assert "time.sleep(0.01)" in lines


def test_a_seeded_training_gives_the_same_bits(sandbox):
    for path in EXAMPLE.glob("*.py"):
        shutil.copy(path, sandbox.folder)
    bare = sandbox.python("train.py", "once", "6").stdout
    assert laptime(sandbox, "run", "-q", "-f", "--full", "train.py", "once", "6").stdout == bare


def test_an_interpreter_without_laptime_is_one_line(sandbox):
    python = sandbox.folder / "python3"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    result = laptime(sandbox, "run", "--", str(python), "x.py", code=2)
    assert (
        "does not have laptime: install it there" in result.stderr
        and result.stderr.count("\n") == 1
    )


def test_nothing_to_run_is_one_line(sandbox):
    assert laptime(sandbox, "run", code=2).stderr.startswith("laptime: run needs a program")


def test_a_program_of_another_framework_is_told_what_is_recorded(tmp_path):
    (tmp_path / "tensorflow.py").write_text("")
    (tmp_path / "train.py").write_text("import tensorflow\nfor i in range(10):\n    print(i)\n")
    done = subprocess.run(
        [COMMAND, "run", "train.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert (
        "TensorFlow: your lines and GPU work are recorded; its ops, steps and input are not."
        in done.stderr
    )
