"""Programs without steps: recorded by the clock, and they are told so."""

import re
import subprocess
import threading
import time

import laptime
import pytest
import torch
from laptime.frameworks.torch import intervals
from torch_runs import LAPTIME, op_rows, read_tables

LOOP = """
import time, torch
linear = torch.nn.Linear(64, 64)
x = torch.randn(32, 64)
end = time.monotonic() + {seconds}
count = 0
with torch.no_grad():
    while time.monotonic() < end:
        y = linear(x)  # forward
        count += 1
print(count)
"""


def title(path, table):
    return subprocess.run(
        [LAPTIME, "report", path, table], capture_output=True, text=True, check=True
    ).stdout.splitlines()[0]


def add_for(seconds):
    """How often an op was called."""
    calls, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        torch.ones(4).sum()
        calls += 1
    return calls


def test_a_run_without_steps(run, tmp_path):
    process, found = run(LOOP.format(seconds=6))
    linear = op_rows(tmp_path / "run.lap")["aten::linear"]
    assert 10 < linear["calls"] < int(process.stdout), "a part of it"
    assert (linear["line"], linear["module"]) == (8, "Linear")
    assert "torch_intervals" in found.warnings and "torch_no_steps" not in found.warnings
    assert re.match(r"Ops, from [\d.]+ m?s of [\d.]+ s", title(tmp_path / "run.lap", "ops"))
    assert [row["name"] for row in read_tables(tmp_path / "run.lap", "values")["values"]] == [
        "ops recorded"
    ]


@pytest.mark.parametrize("options", [[], ["--steps", "3:5"], ["--memory"]])
def test_a_short_run_without_steps_says_what_it_lacks(run, options):
    _, found = run(LOOP.format(seconds=0.4), *options)
    assert "laptime.step() or --full" in found.warnings["torch_no_steps"]
    assert ("memory" in found.warnings["torch_no_steps"]) == ("--memory" in options)


@pytest.mark.parametrize("options", [["--full"], ["--no-ops"], ["--steps", "0:5"]])
def test_where_something_else_decides_nothing_is_said(run, options, tmp_path):
    _, found = run(LOOP.format(seconds=0.4), *options)
    assert not [name for name in found.warnings if name.startswith("torch_")]
    assert ("aten::linear" in op_rows(tmp_path / "run.lap")) == (options != ["--no-ops"])


def test_torch_that_is_only_imported_and_workers_of_a_pool(run):
    _, found = run("import torch")
    assert not found.warnings
    loop = LOOP.format(seconds=0.3)
    _, found = run(
        f"import laptime, multiprocessing\nloop = {loop!r}\nif __name__ == '__main__':\n    import"
        " torch\n    laptime.step()\n    with multiprocessing.get_context('fork').Pool(1) as"
        " pool:\n        pool.map(exec, [loop])\n"
    )
    assert "torch_no_steps" not in found.warnings


def test_a_short_block_is_recorded_whole(record, tmp_path):
    def infer():
        for _ in range(50):
            torch.ones(4) @ torch.ones(4)

    assert not record(infer, ops=True).warnings
    assert op_rows(tmp_path / "run.lap")["aten::dot"]["calls"] == 50


def test_a_long_block_is_recorded_in_parts(record, tmp_path):
    calls = []
    found = record(lambda: calls.append(add_for(4)), ops=True)
    assert 0 < op_rows(tmp_path / "run.lap")["aten::sum"]["calls"] < calls[0]
    assert "torch_intervals" in found.warnings


def test_a_main_thread_that_waits_changes_nothing(record, tmp_path):
    """It waits in C, for the thread that works."""
    calls = []

    def infer():
        thread = threading.Thread(target=lambda: calls.append(add_for(4)))
        thread.start()
        thread.join()

    assert "torch_intervals" in record(infer, ops=True).warnings
    assert 0 < op_rows(tmp_path / "run.lap")["aten::sum"]["calls"] < 0.8 * calls[0]


def test_steps_take_over(record, tmp_path):
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def train():
        torch.ones(3).cumsum(0)  # before the first step
        for _ in range(30):
            optimizer.zero_grad()
            model(torch.ones(2, 4)).sum().backward()
            optimizer.step()

    found = record(train, ops=True)
    assert found.phases == ["train"] * 30 and not found.warnings
    assert [step["recorded"] for step in found.steps[:10]] == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    assert " of 30 steps" in title(tmp_path / "run.lap", "ops")
    rows = op_rows(tmp_path / "run.lap")
    assert "aten::cumsum" not in rows, "not of the steps that the title tells of"
    assert rows["aten::linear"]["calls"] == sum(step["recorded"] for step in found.steps)


def test_marked_steps_take_over(record):
    def work():
        for _ in range(12):
            torch.ones(3).cumsum(0)
            laptime.step()

    found = record(work, ops=True)
    assert found.phases == ["step"] * 12 and not found.warnings
    assert [step["recorded"] for step in found.steps[:3]] == [0, 0, 1]


def test_a_forked_child_and_a_second_block(record, tmp_path):
    def work():
        with torch.multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.map(abs, [-1]) == [1]
        torch.ones(3).cumsum(0)

    for _ in range(2):
        assert not record(work, ops=True).warnings
        assert "aten::cumsum" in op_rows(tmp_path / "run.lap")


def test_a_child_that_is_forked_within_a_interval_records_nothing_by_it(record, tmp_path):
    def work():
        with torch.multiprocessing.get_context("fork").Pool(1) as pool:
            pool.apply(exec, ("import torch\nfor _ in range(9): torch.ones(3).cumprod(0)",))

    record(work, ops=True)
    assert "aten::cumprod" not in op_rows(tmp_path / "run.lap")


def test_a_profile_within_it_has_all_its_ops(record, monkeypatch):
    """The drop-in for torch.profiler requests for ops, too.

    The clock takes only its own request back.
    """
    from laptime.compat import torch_profiler

    monkeypatch.setattr(intervals, "PERIOD_S", 0.002)
    counted = []

    def work():
        with torch_profiler.profile(activities=[torch_profiler.ProfilerActivity.CPU]) as profile:
            counted.append(add_for(0.5))
        counted.append(next(row.count for row in profile.key_averages() if row.key == "aten::sum"))

    record(work, ops=True)
    assert counted[0] == counted[1] > 0


def test_a_batch_to_look_at_is_no_step(record, tmp_path):
    def infer():
        batch = next(iter(torch.utils.data.DataLoader(torch.ones(8, 4), batch_size=4)))
        for _ in range(30):
            batch.cumsum(0)

    assert not record(infer, ops=True).warnings
    assert op_rows(tmp_path / "run.lap")["aten::cumsum"]["calls"] == 30


STOPS = """
import time, torch
torch.set_num_threads(1)
model = torch.nn.Linear(16, 16)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(4, 16)

def steps(count):
    for _ in range(count):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()

def infer(seconds):
    calls, end = 0, time.monotonic() + seconds
    with torch.no_grad():
        while time.monotonic() < end:
            model(x).relu_()  # infers
            calls += 1
    return calls
"""


def test_steps_that_stop_coming(run, tmp_path):
    """Four steps: the schedule records the third and fourth and would record the next."""
    process, found = run(STOPS + "steps(4)\nprint(infer(9))\n")
    assert [step["recorded"] for step in found.steps] == [0, 0, 1, 1]
    relu = op_rows(tmp_path / "run.lap")["aten::relu_"]
    assert 10 < relu["calls"] < 0.7 * int(process.stdout), "of the time until the clock took over"
    assert relu["line"] == 17
    assert re.match(
        r"Ops, from 2 of 4 steps and [\d.]+ m?s of [\d.]+ s", title(tmp_path / "run.lap", "ops")
    )
    assert title(tmp_path / "run.lap", "breakdown").startswith(
        "Where a step goes, from 2 of 4 steps"
    )
    assert "and" not in title(tmp_path / "run.lap", "breakdown")
    assert "torch_between_steps" in found.warnings


def test_steps_that_come_back_decide_again(run, tmp_path):
    """What is cut in the middle of a step makes it a step that was not recorded; the next ones are
    as ever.
    """
    _, found = run(STOPS + "steps(4)\ninfer(5)\nsteps(30)\n")
    recorded = [step["recorded"] for step in found.steps]
    assert len(recorded) == 34 and recorded[:6] == [0, 0, 1, 1, 0, 1], "the fifth was cut"
    assert op_rows(tmp_path / "run.lap")["aten::relu_"]["calls"] > 10, (
        "of the time until the clock took over"
    )
    assert "torch_between_steps" in found.warnings


def test_a_pause_of_all_the_process_is_no_time_without_steps(run):
    """As under a debugger: another process stops it for longer than the clock waits."""
    stop = (
        "import os, subprocess, sys\nwhile_away = 'import os, signal, sys, time;"
        " os.kill(int(sys.argv[1]), signal.SIGSTOP); time.sleep(4); os.kill(int(sys.argv[1]),"
        " signal.SIGCONT)'\nsubprocess.run([sys.executable, '-S', '-c', while_away,"
        " str(os.getpid())])\n"
    )
    _, found = run(STOPS + "steps(4)\n" + stop + "steps(6)\n")
    assert [step["recorded"] for step in found.steps[:6]] == [0, 0, 1, 1, 1, 1]
    assert "torch_between_steps" not in found.warnings


def test_long_steps_are_recorded(record, monkeypatch):
    """Longer than the clock waits for steps, once it knows their length."""
    monkeypatch.setattr(intervals, "PERIOD_S", 0.01)

    def work():
        for _ in range(30):
            time.sleep(0.15)  # 15 turns of the clock
            torch.ones(3).cumsum(0)
            laptime.step()

    found = record(work, ops=True)
    assert [step["recorded"] for step in found.steps[3:10]] == [1] * 7


def test_mostly_without_steps(run, tmp_path):
    process, found = run(STOPS + "print(infer(5))\nsteps(1)\n")
    assert 10 < op_rows(tmp_path / "run.lap")["aten::relu_"]["calls"] < int(process.stdout)
    assert re.match(
        r"Ops, from 0 of 1 steps and [\d.]+ m?s of [\d.]+ s", title(tmp_path / "run.lap", "ops")
    )
    assert found.phases == ["train"]
