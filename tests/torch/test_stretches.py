"""Programs without steps: recorded by the clock, and they are told so."""

import re
import subprocess
import time

import pytest
import torch
from torch_runs import LAPTIME, read_tables

import laptime
from laptime._torch.schedule import CLOCK_FIRST, ByClock

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
    return subprocess.run([LAPTIME, "report", path, table], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def play(schedule, turns, cost=0.1, unit=1_000_000):
    """Which turns were recorded, and the share that they added."""
    recorded, on = [], schedule.first()
    for turn in range(turns):
        if on:
            recorded.append(turn)
        on = schedule.after("", unit, on, cost * unit if on else 0.0)
    return recorded, len(recorded) * cost / turns


@pytest.mark.parametrize("cost", [0.01, 0.2, 0.8])
def test_budget_holds(cost):
    recorded, share = play(ByClock(0.05, delay=12), 1000, cost)
    assert recorded[0] >= 12 and len(recorded) >= 20 and share <= 0.05
    assert recorded[-1] > 900, "all over the run"


def test_what_switching_takes_is_paid_for():
    rare, _ = play(ByClock(0.05, 12, lambda: 2_000_000.0), 2000)
    often, _ = play(ByClock(0.05, 12), 2000)
    assert 0 < len(rare) < 0.7 * len(often)


def test_without_a_delay_the_first_stretch_is_recorded_at_once():
    recorded, share = play(ByClock(0.05, delay=0), 1000)
    assert recorded[:CLOCK_FIRST] == list(range(CLOCK_FIRST)) and share <= 0.05


def test_a_run_without_steps(run, tmp_path):
    process, found = run(LOOP.format(seconds=5))
    tables = read_tables(tmp_path / "run.lap", "ops", "values")
    calls = next(row["calls"] for row in tables["ops"] if row["name"] == "aten::linear")
    assert 10 < calls < int(process.stdout), "a part of it"
    assert next(row["line"] for row in tables["ops"] if row["name"] == "aten::linear") == 8
    assert "torch_stretches" in found.losses and "torch_no_steps" not in found.losses
    assert re.match(r"Ops, from [\d.]+ m?s of [\d.]+ s", title(tmp_path / "run.lap", "ops"))
    assert [row["name"] for row in tables["values"]] == ["ops recorded"]


def test_a_short_run_without_steps_says_what_it_lacks(run):
    _, found = run(LOOP.format(seconds=0.6))
    assert "laptime.step() or --full" in found.losses["torch_no_steps"]


@pytest.mark.parametrize("options", [["--full"], ["--no-ops"], ["--steps", "0:5"]])
def test_where_something_else_decides_nothing_is_said(run, options):
    _, found = run(LOOP.format(seconds=0.6), *options)
    assert not [name for name in found.losses if name.startswith("torch_")]


def test_torch_that_is_only_imported(run):
    _, found = run("import torch")
    assert not found.losses


def test_a_short_block_without_steps_is_recorded_whole(record, tmp_path):
    def infer():
        with torch.no_grad():
            for _ in range(50):
                torch.ones(4) @ torch.ones(4)

    found = record(infer, ops=True)
    tables = read_tables(tmp_path / "run.lap", "ops")
    assert next(row["calls"] for row in tables["ops"] if row["name"] == "aten::dot") == 50
    assert not found.losses


def test_a_long_block_is_recorded_in_parts(record, tmp_path):
    calls = 0

    def infer():
        nonlocal calls
        end = time.monotonic() + 4
        while time.monotonic() < end:
            torch.ones(4).sum()
            calls += 1

    found = record(infer, ops=True)
    tables = read_tables(tmp_path / "run.lap", "ops")
    assert 0 < next(row["calls"] for row in tables["ops"] if row["name"] == "aten::sum") < calls
    assert "torch_stretches" in found.losses


def test_steps_take_over(record, tmp_path):
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def train():
        torch.ones(3).cumsum(0)  # before the first step
        for _ in range(30):
            optimizer.zero_grad()
            model(torch.ones(2, 4)).sum().backward()
            optimizer.step()
        torch.ones(3).prod()

    found = record(train, ops=True)
    assert found.phases == ["train"] * 30 and not found.losses
    assert [step["recorded"] for step in found.steps[:10]] == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    assert " of 30 steps" in title(tmp_path / "run.lap", "ops")


def test_marked_steps_take_over(record):
    def work():
        for _ in range(12):
            torch.ones(3).cumsum(0)
            laptime.step()

    found = record(work, ops=True)
    assert found.phases == ["step"] * 12 and not found.losses
    assert [step["recorded"] for step in found.steps[:3]] == [0, 0, 1]


def test_a_forked_child_and_a_second_block(record, tmp_path):
    def work():
        with torch.multiprocessing.get_context("fork").Pool(1) as pool:
            assert pool.map(abs, [-1]) == [1]
        torch.ones(3).cumsum(0)

    for _ in range(2):
        assert not record(work, ops=True).losses
        assert any(row["name"] == "aten::cumsum" for row in read_tables(tmp_path / "run.lap", "ops")["ops"])
