"""Commands that read runs, on files that promise more than fits and under limits: one line and an
exit code, never a signal.
"""

import os
import pickle
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LAPTIME_BUILD", ROOT / "build/release"))
LAPTIME = Path(os.environ.get("LAPTIME_BIN", BUILD / "src/cli/laptime"))
MB = 1 << 20
BOMBS = [
    "spans",
    "arguments",
    "one_block_often",
    "tallies",
    "properties",
    "strings",
    "tracks",
    "clocks",
    "warnings",
    "argument_facts",
    "large_ids",
]
COMMANDS = {
    "report": ["report", "{run}"],
    "report --json": ["report", "{run}", "--json"],
    "report --csv": ["report", "{run}", "steps", "--csv"],
    "compare": ["compare", "{run}", "{run}"],
    "export chrome": ["export", "{run}", "--to", "chrome", "-o", "{out}"],
    "export pstats": ["export", "{run}", "--to", "pstats", "-o", "{out}"],
    "export speedscope": ["export", "{run}", "--to", "speedscope", "-o", "{out}"],
    "export stacks": ["export", "{run}", "--to", "stacks", "-o", "{out}"],
    "whatif": ["whatif", "{run}"],
    "import": ["import", "{lprof}", "-o", "{out}"],
    "rules": ["rules"],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bombs")
    subprocess.run([BUILD / "tests/fuzz/fuzz_seeds", "--bombs", folder], check=True)
    timings = {("train.py", line, f"f{line}"): [(line, 1, 10)] * 20 for line in range(2000)}
    (folder / "train.lprof").write_bytes(
        pickle.dumps({"timings": timings, "unit": 1e-6}, protocol=2)
    )
    folder.chmod(0o755)
    return folder


def words_of(command, files, out):
    return [
        word.format(run=files / "long_run", lprof=files / "train.lprof", out=out)
        for word in COMMANDS[command]
    ]


def run(words, limit=lambda: None, wrap=()):
    with subprocess.Popen(
        [*wrap, LAPTIME, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=limit,
    ) as process:
        told = process.stderr.read().decode()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, told.strip().splitlines(), used.ru_maxrss * 1024


def is_refused(code, lines):
    return code in (3, 4) and len(lines) == 1 and lines[0].startswith("laptime: ")


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_answered_in_bounded_memory(files, name):
    code, lines, peak = run(["report", files / "bombs" / name])
    assert (code == 3 and is_refused(code, lines)) or code == 0, lines
    assert peak < 1200 * MB


@pytest.mark.parametrize("name", ["spans", "arguments", "tallies", "properties", "large_ids"])
def test_what_expands_to_gigabytes_is_refused(files, name):
    code, lines, _ = run(["report", files / "bombs" / name])
    assert code == 3, lines
    assert "--max-memory" in lines[0]


def test_an_honest_run_that_is_as_small_is_read(files):
    code, lines, peak = run(["report", files / "long_run"])
    assert code == 0, lines
    assert peak < 1000 * MB


def test_max_memory_is_kept(files):
    code, lines, _ = run(["report", files / "long_run", "--max-memory", "100MB"])
    assert code == 4 and is_refused(code, lines), lines
    assert "--max-memory allows" in lines[0]
    assert run(["report", files / "long_run", "--max-memory", "4GB"])[0] == 0


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("megabytes", [50, 100, 200, 400, 1024])
def test_under_an_address_limit_it_is_an_answer_or_one_line(files, tmp_path, command, megabytes):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MB, megabytes * MB))

    code, lines, _ = run(words_of(command, files, tmp_path / "out"), limit)
    has_none = code == 2 and len(lines) == 1 and " has no " in lines[0]  # it was read
    assert code == 0 or is_refused(code, lines) or has_none, (code, lines)


@pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("setpriv"),
    reason="needs root and setpriv: root has no limit of processes",
)
def test_without_threads_the_answer_is_the_same(files):
    folders = [*LAPTIME.resolve().parents, *(files / "x").parents]
    reachable = all(os.stat(folder).st_mode & 0o001 for folder in folders)
    if not reachable:
        pytest.skip("another user cannot reach the build folder or the temporary one")
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]

    def report(limit):
        return subprocess.run(
            [*as_nobody, LAPTIME, "report", files / "long_run", "--csv"],
            capture_output=True,
            preexec_fn=limit,
        )

    alone = report(lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1)))
    assert alone.returncode == 0, alone.stderr
    assert alone.stdout == report(lambda: None).stdout
