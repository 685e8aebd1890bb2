"""`laptime run --live` on a terminal and elsewhere."""

import fcntl
import os
import pty
import struct
import subprocess
import termios

import pytest
from test_cli import LAPTIME

ROWS, COLUMNS = 40, 110
PROGRAM = """
#include <laptime/laptime.hpp>
#include <cstdio>
#include <unistd.h>
int main() {
  for (int i = 0; i < 300; ++i) {
    { LAPTIME_SCOPE("forward"); usleep(15000); }
    laptime::step(32);
  }
  std::puts("the program's line");
}
"""


@pytest.fixture(scope="module")
def program(compile_program):
    return compile_program("live", PROGRAM)


def on_a_terminal(folder, *command):
    """What a terminal of ROWS lines got, and the exit code."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(command, cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    output = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        output += data
    os.close(ours)
    return output.decode(), process.wait(timeout=60)


def test_the_screen_is_redrawn_below_what_the_program_prints(program, tmp_path):
    output, code = on_a_terminal(tmp_path, LAPTIME, "run", "--live", "-o", "run.lap", "--", program)
    assert code == 0
    region = f"\x1b[1;{ROWS - ROWS // 2}r"
    assert output.count(region) == 1, "the terminal scrolls the lines above"
    drawn = output[output.index(region) : output.rindex("\x1b[r")]
    assert "forward" in drawn
    assert "\x1b[r" in output.split("the program's line")[1], "the terminal is given back"
    assert output.rstrip().splitlines()[-1].endswith("next: laptime report run.lap")


def test_nothing_is_drawn_into_a_pipe(program, tmp_path):
    done = subprocess.run(
        [LAPTIME, "run", "--live", "-o", "run.lap", "--", program],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "the program's line\n"
    assert "\x1b" not in done.stderr
    assert done.stderr.count("next: laptime report run.lap") == 1
