"""The laptime command around real programs: how it starts them, how it ends, what it leaves."""

import json
import os
import pty
import re
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("LAPTIME_BUILD", ROOT / "build" / "release"))
LAPTIME = Path(os.environ.get("LAPTIME_BIN", BUILD / "src" / "cli" / "laptime"))
LIBRARY = BUILD / "src" / "record"

TRAINER = """
#include <laptime/laptime.hpp>
#include <cstdlib>
#include <thread>
#include <unistd.h>
int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 5;
  for (int i = 0; i < steps; ++i) {
    {
      LAPTIME_SCOPE("forward"); LAPTIME_SCOPE("matmul");
      usleep(200);
    }
    laptime::value("loss", 1.0 / (i + 1));
    laptime::step(32);
  }
  std::thread([] { laptime::name_thread("helper"); LAPTIME_SCOPE("help"); }).join();
  if (argc > 2) pause();
}
"""


def laptime(*arguments, **options):
    return subprocess.run(
        [LAPTIME, *arguments], capture_output=True, text=True, timeout=60, **options
    )


def tables(run, *names):
    result = laptime("report", run, *names, "--json")
    assert result.returncode == 0, result.stderr
    return {
        t["name"]: [dict(zip((c["name"] for c in t["columns"]), row)) for row in t["rows"]]
        for t in json.loads(result.stdout)["tables"]
    }


def facts(run):
    return {row["key"]: row["value"] for row in tables(run, "run")["run"]}


@pytest.fixture(scope="module")
def trainer(compile_program):
    return compile_program("trainer", TRAINER)


def test_run_records_and_summarises(trainer, tmp_path):
    result = laptime("run", "--", trainer, "7", cwd=tmp_path)
    assert result.returncode == 0
    assert result.stdout == ""
    assert "forward" in result.stderr and "next: laptime report trainer.lap" in result.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["trainer.lap"]
    found = tables(tmp_path / "trainer.lap", "steps", "scopes", "values", "warnings")
    assert [s["step"] for s in found["steps"]] == list(range(7))
    assert {s["samples"] for s in found["steps"]} == {32}
    scopes = {(s["name"], s["thread"]): s for s in found["scopes"]}
    assert scopes["help", "helper"]["calls"] == 1
    (forward,) = [s for (name, _), s in scopes.items() if name == "forward"]
    (matmul,) = [s for (name, _), s in scopes.items() if name == "matmul"]
    assert forward["calls"] == matmul["calls"] == 7
    assert forward["self_ns"] == forward["total_ns"] - matmul["total_ns"]
    assert [(v["name"], v["count"], v["first"]) for v in found["values"]] == [("loss", 7, 1.0)]
    assert found["warnings"] == []


def test_run_knows_the_program_from_outside(trainer, tmp_path):
    assert laptime("run", "-q", "-o", "x.lap", "--", trainer, "2", cwd=tmp_path).stderr == ""
    known = facts(tmp_path / "x.lap")
    assert known["command"] == f"{trainer} 2"
    assert known["exit_code"] == 0 and known["exit_signal"] is None
    assert 0 < known["wall"] <= known["duration"]
    assert known["max_rss"] > 0 and known["cpu_user"] >= 0
    assert known["own_cost"] > 0 and known["records"] >= 2


def test_a_program_that_records_nothing_is_still_a_run(tmp_path):
    result = laptime("run", "--", "true", cwd=tmp_path)
    assert result.returncode == 0
    assert "recorded nothing" in result.stderr
    known = facts(tmp_path / "true.lap")
    assert known["processes"] == 0 and known["exit_code"] == 0 and known["wall"] > 0


def test_streams_and_exit_code_are_the_programs_own(tmp_path):
    result = laptime(
        "run",
        "-q",
        "sh",
        "-c",
        "cat; echo problem >&2; exit 42",
        cwd=tmp_path,
        input="from stdin\n",
    )
    assert (result.returncode, result.stdout, result.stderr) == (42, "from stdin\n", "problem\n")
    assert facts(tmp_path / "sh.lap")["exit_code"] == 42


def test_options_after_the_command_are_the_commands(tmp_path):
    result = laptime("run", "-q", "-o", "a.lap", "echo", "-o", "b.lap", "--", "-q", cwd=tmp_path)
    assert result.stdout == "-o b.lap -- -q\n"
    assert [p.name for p in tmp_path.iterdir()] == ["a.lap"]


def test_death_by_signal_is_passed_up(tmp_path):
    result = laptime("run", "-q", "--", "sh", "-c", "kill -SEGV $$", cwd=tmp_path)
    assert result.returncode == -signal.SIGSEGV
    assert facts(tmp_path / "sh.lap")["exit_signal"] == signal.SIGSEGV


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP])
def test_termination_reaches_the_program(sent, tmp_path):
    script = "trap 'echo got it; exit 3' TERM HUP; echo ready; while :; do sleep 0.05; done"
    process = subprocess.Popen(
        [LAPTIME, "run", "-q", "--", "sh", "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    process.send_signal(sent)
    assert process.communicate(timeout=30)[0] == "got it\n"
    assert process.returncode == 3
    assert facts(tmp_path / "sh.lap")["exit_code"] == 3


def test_an_interrupt_is_the_programs_alone(tmp_path):
    script = "trap 'exit 5' INT; echo ready; while :; do sleep 0.05; done"
    process = subprocess.Popen(
        [LAPTIME, "run", "-q", "--", "sh", "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout.readline() == "ready\n"
    os.killpg(process.pid, signal.SIGINT)  # as the keyboard does
    assert process.wait(timeout=30) == 5
    assert (tmp_path / "sh.lap").exists()


def test_commands_that_cannot_start(tmp_path):
    missing = laptime("run", "--", "no-such-command-here", cwd=tmp_path)
    assert (missing.returncode, missing.stderr) == (
        127,
        "laptime: cannot run no-such-command-here: command not found\n",
    )
    plain = tmp_path / "plain.txt"
    plain.write_text("text")
    refused = laptime("run", "-o", "x.lap", "--", plain, cwd=tmp_path)
    assert (refused.returncode, refused.stderr) == (
        126,
        f"laptime: cannot run {plain}: Permission denied\n",
    )
    assert [p.name for p in tmp_path.iterdir()] == ["plain.txt"]


def test_a_run_replaces_the_one_before(trainer, tmp_path):
    for steps in ("3", "4"):
        assert (
            laptime("run", "-q", "-o", "r.lap", "--", trainer, steps, cwd=tmp_path).returncode == 0
        )
        assert len(tables(tmp_path / "r.lap", "steps")["steps"]) == int(steps)
    assert os.listdir(tmp_path) == ["r.lap"]


def test_a_folder_with_other_things_is_recorded_into_and_they_stay(trainer, tmp_path):
    folder = tmp_path / "r.lap.d"
    folder.mkdir()
    others = {"thesis.tex": "precious", "1.part": "not ours", "12-0abc.part": "neither is this"}
    for name, text in others.items():
        (folder / name).write_text(text)
    assert laptime("run", "-q", "-o", "r.lap", "--", trainer, "3", cwd=tmp_path).returncode == 0
    assert len(tables(tmp_path / "r.lap", "steps")["steps"]) == 3
    assert {path.name: path.read_text() for path in folder.iterdir()} == others


def test_a_folder_that_is_a_link_is_followed_and_stays(trainer, tmp_path):
    (tmp_path / "big_disk").mkdir()
    (tmp_path / "big_disk" / "other").write_text("precious")
    (tmp_path / "r.lap.d").symlink_to("big_disk")
    assert laptime("run", "-q", "-o", "r.lap", "--", trainer, "3", cwd=tmp_path).returncode == 0
    assert len(tables(tmp_path / "r.lap", "steps")["steps"]) == 3
    assert os.listdir(tmp_path / "big_disk") == ["other"] and (tmp_path / "r.lap.d").is_symlink()


def test_the_folder_of_a_killed_program_is_read(trainer, tmp_path):
    process = subprocess.Popen(
        [trainer, "6", "wait"],
        cwd=tmp_path,
        env={**os.environ, "LAPTIME_RECORD": str(tmp_path / "r.lap.d")},
    )
    deadline = time.monotonic() + 30
    while (
        time.monotonic() < deadline
    ):  # readable while it runs; the helper's scope is the last thing recorded
        live = laptime("report", tmp_path / "r.lap.d", "scopes", "--json")
        if live.returncode == 0 and '"help"' in live.stdout:
            break
        time.sleep(0.05)
    process.kill()
    process.wait()
    for name in ("r.lap.d", "r.lap"):
        found = tables(tmp_path / name, "steps", "warnings")
        assert len(found["steps"]) == 6
        assert "unfinished_process" in {loss["name"] for loss in found["warnings"]}
    assert facts(tmp_path / "r.lap")["sealed"] == "no"


def test_forked_children_share_the_runs_clock(trainer, tmp_path):
    script = f"{trainer} 2; {trainer} 3"
    assert laptime("run", "-q", "--", "sh", "-c", script, cwd=tmp_path).returncode == 0
    steps = tables(tmp_path / "sh.lap", "steps")["steps"]
    by_thread = {}
    for step in steps:
        by_thread.setdefault(step["thread"], []).append(step)
    first, second = sorted(by_thread.values(), key=lambda s: s[0]["start_ns"])
    assert (len(first), len(second)) == (2, 3)
    assert first[-1]["start_ns"] + first[-1]["wall_ns"] <= second[0]["start_ns"]


def test_export_is_json_with_every_span(trainer, tmp_path):
    laptime("run", "-q", "-o", "r.lap", "--", trainer, "5", cwd=tmp_path)
    result = laptime("export", "r.lap", "--to", "chrome", "-o", "-", cwd=tmp_path)
    events = json.loads(result.stdout)["traceEvents"]
    spans = [e for e in events if e["ph"] == "X"]
    assert len(spans) == facts(tmp_path / "r.lap")["spans"] == 5 * 3 + 1
    assert [e["args"]["samples"] for e in spans if e["cat"] == "step"] == [32] * 5
    assert len([e for e in events if e["ph"] == "C" and e["name"] == "loss"]) == 5
    assert {"main", "helper"} & {e["args"]["name"] for e in events if e["name"] == "thread_name"}


def on_terminal(*arguments, environment=None):
    """What the command prints when its stdout is a terminal."""
    read_end, write_end = pty.openpty()
    process = subprocess.Popen(
        [LAPTIME, *arguments], stdout=write_end, env={**os.environ, **(environment or {})}
    )
    os.close(write_end)
    output = b""
    try:
        while chunk := os.read(read_end, 65536):
            output += chunk
    except OSError:  # how a terminal says that the other end is gone
        pass
    os.close(read_end)
    assert process.wait() == 0
    return output.decode()


def test_colour_only_on_a_terminal():
    environment = {"NO_COLOR": ""}
    assert "\x1b[" in on_terminal("doctor", environment=environment)
    assert "\x1b[" not in on_terminal("doctor", environment={"NO_COLOR": "1"})
    assert "\x1b[" not in laptime("doctor", env={**os.environ, **environment}).stdout


def test_doctor_tells_the_same_in_json():
    (table,) = json.loads(laptime("doctor", "--json").stdout)["tables"]
    checks = {row[0]: row[1] for row in table["rows"]}
    assert {
        "clock",
        "kernel",
        "processors",
        "memory",
        "current folder",
        "temporary folder",
        "compiler",
        "gpu",
    } <= checks.keys()
    assert set(checks.values()) <= {"ok", "note", "problem"}


def test_version_is_the_projects():
    text = (ROOT / "CMakeLists.txt").read_text()
    version = text.split("project(laptime VERSION ")[1].split()[0]
    assert laptime("--version").stdout == f"laptime {version}\n"


def test_every_command_shows_examples():
    listed = laptime("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0].splitlines()
    commands = [line.split()[0] for line in listed]
    assert {"run", "report", "export", "doctor", "completion"} <= set(commands)
    for command in commands:
        assert "Examples:" in laptime(command, "--help").stdout, command


def complete(*words):
    """What bash offers for the last of `words`."""
    script = f"""source <("{LAPTIME}" completion bash)
COMP_WORDS=({" ".join(f'"{w}"' for w in words)})
COMP_CWORD={len(words) - 1}
_laptime
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    result = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, check=True, cwd="/"
    )
    return result.stdout.split()


def test_bash_completion_offers_what_exists():
    assert {"run", "report", "export", "doctor", "completion"} <= set(complete("laptime", ""))
    assert complete("laptime", "rep") == ["report"]
    assert "--sort" in complete("laptime", "report", "--s")
    assert complete("laptime", "report", "run.lap", "step_s") == ["step_summary"]
    assert complete("laptime", "export", "run.lap", "--to", "ch") == ["chrome"]


def test_a_result_that_cannot_be_written_is_an_error():
    with open("/dev/full", "w") as full:
        result = subprocess.run([LAPTIME, "doctor"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 4
    assert result.stderr == "laptime: cannot write the result: No space left on device\n"


def test_a_run_too_large_for_memory_is_one_line(tmp_path):
    text = "".join(f"span 1 {i} 1 work\n" for i in range(2_000_000))  # 42 MB of columns
    subprocess.run(
        [BUILD / "tests" / "golden" / "tool" / "make_run", tmp_path / "r.lap"],
        input=text.encode(),
        check=True,
    )
    limited = subprocess.run(
        ["bash", "-c", f"ulimit -v 45000; exec '{LAPTIME}' report r.lap scopes"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert limited.returncode == 4
    assert re.match(
        r"laptime: r\.lap takes at least \d+\.\d MB of memory to read; \d+\.\d MB are available$",
        limited.stderr,
    )
    assert limited.stderr.count("\n") == 1


def test_a_name_sends_nothing_to_the_terminal(trainer, tmp_path):
    result = laptime("run", "-o", "a\x1b[2J.lap", trainer, "3", cwd=tmp_path)
    assert "next: laptime report a\ufffd[2J.lap" in result.stderr
    assert "\x1b" not in result.stderr


def test_a_process_that_cannot_record_says_why(trainer, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))

    result = laptime("run", "-q", "-o", "a.lap", trainer, "3", cwd=tmp_path, preexec_fn=limit)
    assert result.returncode == 0
    assert result.stderr == f"laptime: cannot write in {tmp_path}/a.lap.d: File too large\n"
    assert [row["name"] for row in tables(tmp_path / "a.lap", "warnings")["warnings"]] == [
        "process_not_recorded"
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small file system")
def test_a_process_that_finds_the_disk_full_is_no_unfinished_one(trainer, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", small], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"cannot mount a small file system: {mounted.stderr.strip()}")
    try:
        result = laptime("run", "-q", "-o", small / "a.lap", trainer, "3", cwd=tmp_path)
        assert result.returncode == 0 and "No space left on device" in result.stderr
        assert [row["name"] for row in tables(small / "a.lap", "warnings")["warnings"]] == [
            "process_not_recorded"
        ]
        assert [path.name for path in small.iterdir()] == ["a.lap"]
    finally:
        subprocess.run(["umount", small], check=False)
