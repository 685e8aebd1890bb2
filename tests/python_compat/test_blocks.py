"""Blocks of ``laptime.profile``: how they end, with the file and without, interrupted, and within
one another.
"""

import csv
import io
import re
import subprocess
import sys
import threading
from pathlib import Path

import laptime
import pytest
from laptime import _recording
from laptime._native import recording
from laptime.collect import engine

LAPTIME = Path(sys.executable).with_name("laptime")


def table(path, name):
    done = subprocess.run(
        [LAPTIME, "report", path, name, "--csv"], capture_output=True, text=True, check=True
    )
    return list(csv.DictReader(io.StringIO(done.stdout)))


def warnings(path):
    return {row["name"]: int(row["count"]) for row in table(path, "warnings")}


def work(n):
    total = 0
    for i in range(n):
        total += i
    return total


def nothing_is_on():
    return not recording.on() and engine.running() == (False, False) and not _recording._inner


def python(source, folder, code=0):
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == code, done.stderr
    return done


# Recording goes on in a folder that is no longer there.
GONE = """
import laptime, os, shutil
os.mkdir("gone")
recording = laptime.profile("gone/run.lap")
"""


def is_explained(stderr):
    """One line when the recording noticed it, if it did while it ran, and one at its end."""
    lines = stderr.splitlines()
    noticed = len(lines) == 2 and lines[0].startswith(
        "laptime: recording stopped: its file was deleted"
    )
    return (len(lines) == 1 or noticed) and re.match(
        "laptime: cannot open .*/gone/run.lap", lines[-1]
    )


def test_a_file_that_cannot_be_written_is_one_line_at_the_blocks_end(tmp_path):
    done = python(GONE + "with recording:\n    shutil.rmtree('gone')\nprint('goes on')", tmp_path)
    assert done.stdout == "goes on\n"
    assert is_explained(done.stderr)


def test_the_programs_exception_is_the_one_that_is_raised(tmp_path):
    done = python(
        GONE
        + """
try:
    with recording:
        shutil.rmtree('gone')
        raise KeyError("the program's own")
except KeyError as error:
    print(error.args, error.__context__)
""",
        tmp_path,
    )
    assert done.stdout == """("the program's own",) None\n""" and is_explained(done.stderr)


def test_a_file_that_cannot_be_written_is_one_line_at_the_programs_end(tmp_path):
    done = python(
        GONE + "recording.start()\nshutil.rmtree('gone')\nraise SystemExit(5)", tmp_path, code=5
    )
    assert is_explained(done.stderr)


def test_stop_raises_where_the_file_cannot_be_written(tmp_path):
    done = python(
        GONE
        + """
recording.start()
shutil.rmtree('gone')
try:
    recording.stop()
except OSError as error:
    print(error)
recording.stop()
""",
        tmp_path,
    )
    assert re.match("cannot open .*/gone/run.lap", done.stdout) and done.stdout.count("\n") == 1


def test_recording_left_open_is_written_at_exit(tmp_path):
    assert (
        python(
            "import laptime; laptime.Recording('run.lap').start(); sum(range(9))", tmp_path
        ).stderr
        == ""
    )
    assert (tmp_path / "run.lap").exists()


def interrupt_after(owner, name, monkeypatch):
    call = getattr(owner, name)

    def interrupted(*words, **options):
        call(*words, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, name, interrupted)


@pytest.mark.parametrize(
    "owner, name",
    [
        (recording, "start"),
        (engine, "watch"),
        (engine._native, "start_lines"),
        (engine._native, "start_functions"),
    ],
)
def test_an_interrupted_start_leaves_nothing_on(tmp_path, monkeypatch, owner, name):
    monkeypatch.setitem(_recording._marked, 1, nothing_is_on.__code__)
    with monkeypatch.context() as patched:
        interrupt_after(owner, name, patched)
        with (
            pytest.raises(KeyboardInterrupt),
            laptime.profile(tmp_path / "interrupted.lap", functions=True),
        ):
            pass
    engine.clear()
    work(5)
    assert nothing_is_on() and not any(
        row[1] for rows in engine.snapshot_lines().values() for row in rows
    )
    assert not engine.snapshot_functions()
    with laptime.profile(tmp_path / "next.lap"):
        assert engine.running() == (True, False)
    assert (tmp_path / "next.lap").exists() and nothing_is_on()


def test_an_interrupted_start_leaves_the_outer_recording_on(tmp_path, monkeypatch):
    monkeypatch.setitem(_recording._marked, 1, nothing_is_on.__code__)
    with laptime.profile(tmp_path / "outer.lap"):
        with monkeypatch.context() as patched:
            interrupt_after(engine, "watch", patched)
            with pytest.raises(KeyboardInterrupt), laptime.profile(tmp_path / "inner.lap"):
                pass
        assert recording.on() and engine.running() == (True, False)
    assert (tmp_path / "outer.lap").exists() and nothing_is_on()


def test_blocks_within_a_block_are_part_of_it_and_one_line_says_so(tmp_path):
    done = python(
        """
import laptime
with laptime.profile("outer.lap", budget=None):
    for i in range(20):
        with laptime.profile("inner.lap", lines=False):
            pass
    print(laptime._native.recording.on())
""",
        tmp_path,
    )
    assert (
        done.stdout == "True\n"
        and done.stderr.count("\n") == 1
        and "inner.lap is not written" in done.stderr
    )
    assert (tmp_path / "outer.lap").exists() and not (tmp_path / "inner.lap").exists()
    assert "block_cut" not in warnings(tmp_path / "outer.lap")


def test_a_block_that_outlives_the_recording_counts_as_a_loss(tmp_path):
    outer, inner = (
        laptime.profile(tmp_path / "outer.lap", budget=None),
        laptime.profile(tmp_path / "inner.lap"),
    )
    outer.start()
    inner.start()
    work(5)
    outer.stop()
    assert nothing_is_on()
    with laptime.profile(tmp_path / "next.lap", budget=None):
        inner.stop()  # of something that is over
        work(7)
    assert nothing_is_on()
    assert warnings(tmp_path / "outer.lap")["block_cut"] == 1 and "block_cut" not in warnings(
        tmp_path / "next.lap"
    )
    (row,) = [
        row
        for row in table(tmp_path / "next.lap", "lines")
        if row["source"].strip() == "total += i"
    ]
    assert row["hits"] == "7"


def test_a_block_without_engines_stops_nobody_elses(tmp_path):
    without, with_lines = (
        laptime.profile(tmp_path / "outer.lap", lines=False),
        laptime.profile(tmp_path / "inner.lap"),
    )
    with laptime.profile(tmp_path / "run.lap", lines=False):
        without.start()
        with_lines.start()
        without.stop()
        assert engine.running() == (True, False)
        with_lines.stop()
    assert nothing_is_on()


def test_threads_that_begin_blocks_at_once_have_one_recording(tmp_path, capfd):
    for attempt in range(20):
        together, both = threading.Barrier(2), threading.Barrier(2)

        def block(name, together=together, both=both):
            together.wait()
            with laptime.profile(tmp_path / name):
                both.wait()

        threads = [threading.Thread(target=block, args=(f"{attempt}-{i}.lap",)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert nothing_is_on() and len(list(tmp_path.glob(f"{attempt}-*.lap"))) == 1
    assert "Traceback" not in capfd.readouterr().err
