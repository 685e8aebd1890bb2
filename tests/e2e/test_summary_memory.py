"""What advice takes besides the run: memory as a ratio, of two million spans."""

import subprocess
import sys

from test_cli import BUILD, LAPTIME

# A small process starts the command: a child's peak is at least what the process had that started
# it.
_MEASURED = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, use = os.wait4(process.pid, 0)
print(use.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def _peak_bytes(*command):
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED, LAPTIME, *map(str, command)],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout) * 1024


def test_advice_takes_about_twice_what_the_columns_take(tmp_path):
    ops = "".join(f"span 1 {i * 20}us 15us aten::op{i}\n" for i in range(38))
    text = (
        "process pid=100 python=3.11.7\nclock 0 5s 1700000000s\nthread 1 MainThread os=100\nrepeat"
        f" 50000 1ms\n{ops}span 1 900us 50us Optimizer.step#SGD.step kind=optimizer\nspan 1 0 1ms"
        " train kind=step ops=1\nend\n"
    )
    run = tmp_path / "r.lap"
    subprocess.run(
        [BUILD / "tests" / "golden" / "tool" / "make_run", run], input=text.encode(), check=True
    )
    loaded, advice = _peak_bytes("report", run, "run"), _peak_bytes("report", run, "advice")
    assert advice < 150e6
    assert (
        advice / loaded < 2.3
    )  # 2.0; it was 2.5 with the edges of all steps in vectors of their own
