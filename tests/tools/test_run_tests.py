"""tools/run_tests: what is not run again, and that tests get their signals, in a small repository
of its own.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"

# Stands in for the repository's own check: it says that it ran, and what SIGHUP would do.
CHECK = """
import signal, sys
print("hangup:", signal.getsignal(signal.SIGHUP).name)
print("layers ran")
sys.exit({code})
"""


@pytest.fixture
def repository(tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for path in (TOOLS / "run_tests", *TOOLS.glob("*.py")):
        (tools / path.name).write_bytes(path.read_bytes())
    (tools / "check_layers").write_text(CHECK.format(code=0))
    (tmp_path / ".gitignore").write_text("/build/\n__pycache__/\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def run(repository, **variables):
    environment = {key: value for key, value in os.environ.items() if key != "RERUN"}
    done = subprocess.run(
        [sys.executable, repository / "tools" / "run_tests", "layers"],
        capture_output=True,
        text=True,
        env=environment | variables,
    )
    return done.returncode, "layers ran" in done.stdout, done.stdout


def test_the_same_files_are_not_tested_twice(repository):
    assert run(repository)[:2] == (0, True)
    code, ran, out = run(repository)
    assert (code, ran) == (0, False)
    assert re.search(r"^layers .*ok.*not run again", out, re.MULTILINE)
    assert run(repository, RERUN="1")[:2] == (0, True)


@pytest.mark.parametrize("change", ["edited", "new", "removed", "mode"])
def test_any_change_is_tested(repository, change):
    (repository / "source.txt").write_text("a")
    assert run(repository)[1]
    if change == "edited":
        (repository / "source.txt").write_text("b")
    elif change == "new":
        (repository / "more.txt").write_text("")
    elif change == "removed":
        (repository / "source.txt").unlink()
    else:
        (repository / "source.txt").chmod(0o755)
    assert run(repository)[1]
    assert not run(repository)[1]


def test_what_git_ignores_does_not_matter(repository):
    assert run(repository)[1]
    (repository / "build" / "object.o").write_text("")
    assert not run(repository)[1]


def test_a_failure_is_not_remembered(repository):
    (repository / "tools" / "check_layers").write_text(CHECK.format(code=1))
    assert run(repository)[:2] == (1, True)
    assert run(repository)[:2] == (1, True)


def test_without_git_everything_runs(repository):
    subprocess.run(["rm", "-rf", repository / ".git"], check=True)
    assert run(repository, GIT_CEILING_DIRECTORIES=str(repository.parent))[1]
    assert run(repository, GIT_CEILING_DIRECTORIES=str(repository.parent))[1]


def test_tests_get_their_signals_under_nohup(repository):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        _, ran, out = run(repository)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert ran and "hangup: SIG_DFL" in out


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_all_that_runs(repository, sent):
    (repository / "tools" / "check_layers").write_text(
        "import subprocess, sys\nprint('ready', flush=True)\nsubprocess.run([sys.executable, '-c',"
        " 'import time; time.sleep(60)'])\n"
    )
    process = subprocess.Popen(
        [sys.executable, repository / "tools" / "run_tests", "layers"],
        stdout=subprocess.PIPE,
        text=True,
    )
    while "ready" not in process.stdout.readline():
        pass
    process.send_signal(sent)
    process.stdout.read()  # ends when the last that holds it is gone
    assert process.wait() == 130
