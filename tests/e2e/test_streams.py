"""stdout and stderr that are closed, full or read by nobody: a program ends as without laptime, and
its run is there.
"""

import subprocess

import pytest
from test_cli import LAPTIME, tables

# Writes to both streams and exits with 7, whatever becomes of that. With an argument its first file
# gets the number of the closed stderr, and its recording stops because the folder is gone.
PROGRAM = r"""
#include <laptime/laptime.hpp>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
int main(int argc, char** argv) {
  if (argc > 1 && *argv[1] == 'w') {  // which streams are open
    int open = 0;
    for (int fd = 0; fd < 3; ++fd) open += (fcntl(fd, F_GETFD) >= 0) << fd;
    return 10 + open;
  }
  std::signal(SIGPIPE, SIG_IGN);
  if (argc > 1) {
    // 2 if stderr is closed
    const int checkpoint = open("checkpoint", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    (void)!write(checkpoint, "weights", 7);
    (void)!system("rm -rf streams.lap.d");
    for (int i = 0; i < 400000; ++i) { LAPTIME_SCOPE("work"); }
    return 7;
  }
  { LAPTIME_SCOPE("work"); }
  (void)!write(1, "out\n", 4);
  (void)!write(2, "err\n", 4);
  return 7;
}
"""
STREAMS = [
    "1>&-",
    "2>&-",
    "1>&- 2>&-",
    "0<&- 1>&- 2>&-",
    ">/dev/full",
    "2>/dev/full",
    ">/dev/full 2>&1",
]


@pytest.fixture(scope="module")
def program(compile_program):
    return compile_program("streams", PROGRAM)


def shell(folder, redirect, *words, before=""):
    return subprocess.run(
        ["sh", "-c", f'{before} "$@" {redirect}', "sh", *words],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def work_calls(run):
    return [row["calls"] for row in tables(run, "scopes")["scopes"]]


@pytest.mark.parametrize("redirect", STREAMS)
def test_a_run_whose_streams_are_closed_or_full(program, tmp_path, redirect):
    ended = shell(tmp_path, redirect, LAPTIME, "run", "-o", "run.lap", "--", program)
    assert ended.returncode == 7
    assert work_calls(tmp_path / "run.lap") == [1]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_run_whose_pipe_nobody_reads(program, tmp_path, stream):
    process = subprocess.Popen(
        [LAPTIME, "run", "-o", "run.lap", "--", program],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: subprocess.PIPE},
    )
    getattr(process, stream).close()
    assert process.wait(timeout=60) == 7
    assert work_calls(tmp_path / "run.lap") == [1]


@pytest.mark.parametrize("redirect", STREAMS)
def test_the_program_finds_its_streams_as_they_were(program, tmp_path, redirect):
    bare = shell(tmp_path, redirect, program, "which").returncode
    assert bare >= 10
    assert (
        shell(
            tmp_path, redirect, LAPTIME, "run", "-q", "-o", "run.lap", "--", program, "which"
        ).returncode
        == bare
    )


def test_a_message_of_the_recorder_is_never_written_into_a_file_of_the_program(program, tmp_path):
    said = shell(tmp_path, "", LAPTIME, "run", "-q", "--", program, "stops recording").stderr
    assert "laptime: recording stopped" in said
    ended = shell(tmp_path, "2>&-", LAPTIME, "run", "-q", "--", program, "stops recording")
    assert ended.returncode == 7
    assert (tmp_path / "checkpoint").read_bytes() == b"weights"


@pytest.mark.parametrize("redirect", [">out", ">>out"])
def test_an_export_to_dev_stdout_goes_where_stdout_leads(program, tmp_path, redirect):
    shell(tmp_path, "", LAPTIME, "run", "-q", "-o", "run.lap", "--", program)
    (tmp_path / "out").write_text("before")
    inode = (tmp_path / "out").stat().st_ino
    assert (
        shell(
            tmp_path, redirect, LAPTIME, "export", "run.lap", "--to", "stacks", "-o", "/dev/stdout"
        ).returncode
        == 0
    )
    text = (tmp_path / "out").read_text()
    assert (tmp_path / "out").stat().st_ino == inode
    assert text.startswith("before") == (redirect == ">>out") and "work" in text


def test_a_run_to_a_pipe_or_device_is_written_through(program, tmp_path):
    assert (
        shell(tmp_path, "", LAPTIME, "run", "-q", "-o", "/dev/null", "--", program).returncode == 7
    )
    piped = shell(
        tmp_path,
        "| cat >run.lap",
        LAPTIME,
        "run",
        "-q",
        "-o",
        "/dev/stdout",
        "--",
        "sh",
        "-c",
        f"{program} >&2",
    )
    assert piped.returncode == 0 and work_calls(tmp_path / "run.lap") == [1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.lap"]


@pytest.mark.parametrize("words,mode", [([], 0o600), (["--mode", "640"], 0o640)])
def test_a_run_is_the_owners_alone_unless_told_otherwise(program, tmp_path, words, mode):
    shell(
        tmp_path,
        "",
        LAPTIME,
        "run",
        "-q",
        *words,
        "-o",
        "run.lap",
        "--",
        program,
        before="umask 022;",
    )
    assert (tmp_path / "run.lap").stat().st_mode & 0o777 == mode


def test_a_mode_that_is_none_is_one_line(tmp_path):
    ended = shell(tmp_path, "", LAPTIME, "run", "--mode", "rw", "-o", "run.lap", "--", "true")
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1 and "640" in ended.stderr
