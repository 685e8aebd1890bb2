"""laptime's own interface: recordings, scopes, steps, lines; with and without a recording."""

import asyncio
import os
import subprocess
import sys

import laptime
import pytest
from laptime._native import recording
from laptime.collect import engine


def work(n):
    total = 0
    for i in range(n):
        total += i
    return total


def test_recording_writes_the_file(tmp_path):
    path = tmp_path / "run.lap"
    with laptime.profile(path, lines=True, functions=True) as active:
        assert recording.on() and engine.running() == (True, True)
        work(100)
        laptime.step(samples=4)
    assert active.path == str(path) and path.stat().st_size > 500
    assert not recording.on() and engine.running() == (False, False)
    assert not os.path.exists(f"{path}.d")


@pytest.mark.parametrize("lines, functions", [(False, False), (True, False), (False, True)])
def test_engines_as_asked(tmp_path, lines, functions):
    with laptime.profile(tmp_path / "run.lap", lines=lines, functions=functions):
        assert engine.running() == (lines, functions)


def test_recording_ends_when_the_block_raises(tmp_path):
    with pytest.raises(KeyError):
        with laptime.profile(str(tmp_path / "run.lap")):
            raise KeyError("x")
    assert (tmp_path / "run.lap").exists() and not recording.on()


def test_recording_where_nothing_can_be_written(capfd):
    with pytest.raises(OSError, match="/proc/nothing"):
        with laptime.profile("/proc/nothing/run.lap"):
            pass
    assert not recording.on() and engine.running() == (False, False)


def test_one_recording_after_the_other(tmp_path):
    for name in ("a.lap", "b.lap"):
        with laptime.profile(tmp_path / name):
            work(10)
        assert (tmp_path / name).exists()


def test_profile_takes_options_only_with_a_path():
    with pytest.raises(TypeError, match="lines"):
        laptime.profile(work, lines=True)
    assert laptime.profile(work) is work


def test_lines_marks_a_function_for_recordings_without_lines(tmp_path):
    def marked(n):
        return n + 1

    assert laptime.lines(marked) is marked
    engine.clear()
    with laptime.profile(tmp_path / "run.lap", lines=False):
        marked(1)
        work(3)
    counted = {
        key[2].rpartition(".")[2]
        for key, rows in engine.snapshot_lines().items()
        if any(row[1] for row in rows)
    }
    assert "marked" in counted and "work" not in counted
    with pytest.raises(TypeError):
        laptime.lines(len)


def test_scope_is_a_context_manager_and_a_decorator(tmp_path):
    @laptime.scope("decorated")
    def decorated(a, b=2):
        """Its text."""
        return a + b

    @laptime.scope("awaited")
    async def awaited():
        await asyncio.sleep(0)
        return 5

    for _ in range(2):  # without a recording, and with one
        with laptime.scope("block") as block:
            assert block.name == "block"
        assert (
            decorated(1, b=3) == 4
            and decorated.__doc__ == "Its text."
            and decorated.__name__ == "decorated"
        )
        assert asyncio.run(awaited()) == 5
        with pytest.raises(ValueError):
            with laptime.scope("raises"):
                raise ValueError
        if not recording.on():
            recording.start(str(tmp_path / "run.lap"))
    recording.stop()


def test_steps_give_what_the_loader_gives(tmp_path):
    with laptime.profile(tmp_path / "run.lap", lines=False):
        assert list(laptime.steps([1, 2, 3])) == [1, 2, 3]
        assert list(laptime.steps(iter("ab"), samples=len)) == ["a", "b"]
        assert list(laptime.steps([], samples=3)) == []
    assert list(laptime.steps(range(2))) == [0, 1]


def test_steps_pass_on_what_the_loader_raises():
    def loader():
        yield 1
        raise RuntimeError("broken batch")

    with pytest.raises(RuntimeError, match="broken batch"):
        list(laptime.steps(loader()))


def test_import_is_light():
    """A program that imports laptime gets none of the heavy modules of the drop-ins."""
    code = (
        "import sys, laptime; laptime.profile; laptime.scope; print([m for m in ('argparse',"
        " 'inspect', 'pstats') if m in sys.modules])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = laptime.nothing
