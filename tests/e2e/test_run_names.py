"""Runs of one name, runs that were killed, processes that outlive their run: no recording is lost,
and each says where it is.
"""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from test_cli import LAPTIME, facts, laptime, tables

PROGRAM = r"""
#include <laptime/laptime.hpp>
#include <cstdlib>
#include <cstdio>
#include <string>
#include <unistd.h>
int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  for (int i = 0; i < 100; ++i) { LAPTIME_SCOPE("work"); }
  std::puts("recorded"); std::fflush(stdout);
  if (how == "wait") for (;;) { LAPTIME_SCOPE("work"); usleep(1000); }
  if (how == "remove") std::system("rm -rf *.lap.d");
  if (how == "daemon" && fork() != 0) usleep(200000);
  else if (how == "late" && fork() != 0) return 0;
  else if (how == "daemon" || how == "late") {
    setsid();
    for (int fd = 0; fd < 2000; ++fd) close(fd);
    if (how == "late") usleep(1500000);
    for (int i = 0; i < 1500; ++i) { LAPTIME_SCOPE("outlives"); usleep(1000); }
    _exit(0);
  }
}
"""


@pytest.fixture(scope="module")
def program(compile_program):
    return compile_program("program", PROGRAM)


def start(folder, *words):
    """`laptime run`, once its program has recorded."""
    process = subprocess.Popen(
        [LAPTIME, "run", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "recorded\n"
    return process


def program_of(process):
    return int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])


def scopes(run):
    return {row["name"]: row["calls"] for row in tables(run, "scopes")["scopes"]}


def test_runs_of_one_name_at_once_each_get_a_file(program, tmp_path):
    first = start(tmp_path, "-o", "sweep.lap", program, "wait")
    second = start(tmp_path, "-o", "sweep.lap", program)
    _, said = second.communicate(timeout=60)
    assert said.startswith("laptime: another run records to sweep.lap; this one is sweep.2.lap\n")
    os.kill(program_of(first), signal.SIGTERM)
    first.communicate(timeout=60)
    assert sorted(os.listdir(tmp_path)) == ["sweep.2.lap", "sweep.lap"]
    assert scopes(tmp_path / "sweep.2.lap") == {"work": 100}
    assert scopes(tmp_path / "sweep.lap")["work"] > 100


def test_a_killed_run_is_kept_by_the_next_one(program, tmp_path):
    assert laptime("run", "-q", "-o", "train.lap", program, cwd=tmp_path).returncode == 0
    killed = start(tmp_path, "-o", "train.lap", program, "wait")
    live = laptime("report", "train.lap", "scopes", cwd=tmp_path)
    assert (
        live.stderr
        == "laptime: train.lap.d holds a run that is being recorded: laptime report train.lap.d\n"
    )
    killed.kill()  # and with it the program
    killed.communicate(timeout=60)
    deadline = time.monotonic() + 10
    while (
        "is being recorded"
        in (left := laptime("report", "train.lap", "scopes", cwd=tmp_path)).stderr
        and time.monotonic() < deadline
    ):
        time.sleep(0.05)  # the program is still ending
    assert (
        left.stderr
        == "laptime: train.lap.d holds records that were never sealed: laptime report train.lap.d\n"
    )
    assert left.returncode == 0
    after = laptime("run", "-q", "-o", "train.lap", program, cwd=tmp_path)
    assert (
        after.stderr
        == "laptime: train.lap.d holds a run that was killed before it was sealed; it is kept as"
        " train.2.lap.d (laptime report train.2.lap)\n"
    )
    assert sorted(os.listdir(tmp_path)) == ["train.2.lap.d", "train.lap"]
    assert scopes(tmp_path / "train.2.lap")["work"] > 100


@pytest.mark.parametrize(
    "how", ["daemon", "late"]
)  # late: its first record comes after the run was sealed
def test_a_process_that_outlives_its_run_is_named_and_nothing_of_it_is_lost(program, tmp_path, how):
    ended = laptime("run", "-q", "-o", "train.lap", program, how, cwd=tmp_path)
    assert "laptime: processes of this run still run (" in ended.stderr and ended.returncode == 0
    assert {
        row["name"]: row["count"] for row in tables(tmp_path / "train.lap", "warnings")["warnings"]
    }["outlived"] == 1
    deadline = time.monotonic() + 30
    while not list((tmp_path / "train.lap.d").glob("*.part")) and time.monotonic() < deadline:
        time.sleep(0.2)
    while (
        scopes(tmp_path / "train.lap.d").get("outlives", 0) < 1500 and time.monotonic() < deadline
    ):
        time.sleep(0.2)
    assert scopes(tmp_path / "train.lap.d")["outlives"] == 1500


def test_a_folder_that_the_program_removed_is_an_error_and_the_file_says_so(program, tmp_path):
    ended = laptime("run", "-q", "-o", "train.lap", "--", program, "remove", cwd=tmp_path)
    assert ended.returncode == 0
    assert "recorded nothing" in ended.stderr
    assert facts(tmp_path / "train.lap")["exit_code"] == 0
    assert "nothing_recorded" in {
        row["name"] for row in tables(tmp_path / "train.lap", "warnings")["warnings"]
    }


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_what_is_not_ours_is_never_removed(program, tmp_path, kind):
    place = tmp_path / ("elsewhere" if kind == "link" else "train.lap.d")
    place.mkdir()
    (place / "checkpoint.pt").write_text("weights")
    (place / "7-00000000000000ab.part").write_text("not a part")
    if kind == "link":
        (tmp_path / "train.lap.d").symlink_to(place)
    assert laptime("run", "-q", "-o", "train.lap", program, cwd=tmp_path).returncode == 0
    assert sorted(os.listdir(place)) == ["7-00000000000000ab.part", "checkpoint.pt"]
    assert scopes(tmp_path / "train.lap") == {"work": 100}


def test_nobody_is_waited_for_who_does_not_record(program, tmp_path):
    ended = laptime(
        "run",
        "-q",
        "-o",
        "train.lap",
        "--",
        "sh",
        "-c",
        "sleep 5 >/dev/null 2>&1 & exit 0",
        cwd=tmp_path,
    )
    assert ended.stderr == ""
    assert os.listdir(tmp_path) == ["train.lap"]


def test_a_process_that_was_killed_before_it_began_leaves_nothing(tmp_path):
    make = 'truncate -s 100667392 "$LAPTIME_RECORD/$$-18e980520022cc86.part"; kill -9 $$'
    done = laptime("run", "-o", "run.lap", "--", "sh", "-c", f"sh -c '{make}'; true", cwd=tmp_path)
    assert done.returncode == 0
    assert "could not be read" not in done.stderr
    assert os.listdir(tmp_path) == ["run.lap"]
