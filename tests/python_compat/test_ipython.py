"""%lprun, %%lprun_all, %lap and %%lap in a real IPython shell."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("IPython")

import laptime
from IPython.core.interactiveshell import InteractiveShell

LAPTIME = Path(sys.executable).with_name("laptime")


@pytest.fixture
def shell(capsys, monkeypatch):
    shell = InteractiveShell.instance()
    shell.reset()
    shell.run_line_magic("load_ext", "laptime")
    # A cell has no file; its functions' source comes from IPython's own cache.
    shell.run_cell(
        "def work(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return"
        " total\n"
    )
    capsys.readouterr()
    yield shell
    InteractiveShell.clear_instance()


def test_lprun_shows_the_functions_lines(shell, capsys):
    shell.run_line_magic("lprun", "-f work work(10)")
    out = capsys.readouterr().out
    assert "Function: work at line 1" in out and "11" in out and "total += i" in out


def test_lprun_writes_files_and_returns_the_profiler(shell, capsys, tmp_path):
    profiler = shell.run_line_magic(
        "lprun", f"-r -z -u 1 -D {tmp_path}/a.lprof -T {tmp_path}/a.txt -f work work(10)"
    )
    out = capsys.readouterr().out
    assert "Timer unit: 1 s" in out and "pickled to file" in out and "saved to text file" in out
    assert (tmp_path / "a.txt").read_text().startswith("Timer unit: 1 s")
    assert type(profiler).__name__ == "LineProfiler" and (tmp_path / "a.lprof").exists()


def test_lprun_with_a_module_and_with_an_end(shell, capsys):
    shell.run_line_magic("lprun", "-z -m textwrap __import__('textwrap').dedent('  a')")
    assert "Function: dedent" in capsys.readouterr().out
    shell.run_line_magic("lprun", "-f work raise SystemExit(1)")
    assert "*** SystemExit exception caught in code being profiled." in capsys.readouterr().out


def test_lprun_mistakes(shell):
    from IPython.core.error import UsageError

    with pytest.raises(UsageError, match="Could not find function nothing"):
        shell.run_line_magic("lprun", "-f nothing 1")
    with pytest.raises(UsageError, match="Could not find module nothing"):
        shell.run_line_magic("lprun", "-m nothing 1")


def test_lprun_all_shows_the_cell_and_its_functions(shell, capsys):
    shell.run_cell_magic(
        "lprun_all", "-t", "def double(x):\n    return 2 * x\ny = [double(i) for i in range(3)]\n"
    )
    out = capsys.readouterr().out
    assert "Function: double at line 1" in out and "return 2 * x" in out
    assert "Function: <module> at line 1" in out and "y = [double(i) for i in range(3)]" in out
    assert shell.user_ns["y"] == [0, 2, 4] and shell.user_ns["_total_time_taken"] > 0


def test_lap_needs_no_names(shell, capsys):
    shell.run_line_magic("lap", 'print(work(10), "a b")')
    out = capsys.readouterr().out
    assert "45 a b" in out and "Function: work at line 1" in out and "total += i" in out


def test_lap_cell_with_a_file(shell, capsys, tmp_path):
    shell.run_cell_magic("lap", f"-o {tmp_path}/cell.lap -n 1 -u 1", "z = work(20)\n")
    assert "Timer unit: 1 s" in capsys.readouterr().out
    assert (tmp_path / "cell.lap").exists() and shell.user_ns["z"] == 190


def test_lap_leaves_nothing_behind_for_the_next_recording(shell, capsys, tmp_path):
    shell.run_line_magic("lap", "work(1000)")
    path = tmp_path / "next.lap"
    with laptime.profile(path):
        shell.run_cell("z = 2\n")
    out = subprocess.run(
        [LAPTIME, "report", path, "lines", "--csv"], capture_output=True, text=True, check=True
    ).stdout
    assert ",z = 2," in out and "total += i" not in out


def test_lap_within_a_recording_is_part_of_it(shell, capsys, tmp_path):
    path = tmp_path / "whole.lap"
    with laptime.profile(path, budget=None):
        shell.run_line_magic("lap", "work(1000)")
    out = subprocess.run(
        [LAPTIME, "report", path, "lines", "--csv"], capture_output=True, text=True, check=True
    ).stdout
    assert "total += i" in out


def test_lap_leaves_its_hits_out_of_the_next_recording(shell, capsys, tmp_path):
    shell.run_cell_magic("lap", "", "work(1000)")
    shell.run_cell(
        f"import laptime\nwith laptime.profile({str(tmp_path / 'after.lap')!r}):\n    work(10)\n"
    )
    capsys.readouterr()
    rows = subprocess.run(
        [LAPTIME, "report", tmp_path / "after.lap", "lines", "--csv"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    hits = {row.split(",")[1]: row.split(",")[3] for row in rows if ",work," in row}
    assert hits == {"2": "1", "3": "11", "4": "10", "5": "1"}
