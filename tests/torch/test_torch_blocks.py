"""Blocks of ``laptime.profile`` in a program with torch: interrupted ones leave nothing on, and
none outlives its recording.
"""

import threading
import time
from pathlib import Path

import laptime
import pytest
import torch
from laptime._native import recording
from laptime.frameworks import torch as torch_collector
from laptime.frameworks.torch import session
from laptime.frameworks.torch.step_source import StepSource
from torch.optim.optimizer import _global_optimizer_pre_hooks
from torch_runs import op_rows, read_tables


def nothing_is_on():
    names = [path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm")]
    return (
        not recording.on()
        and torch_collector._session is None
        and torch_collector._depth == 0
        and "laptime-clock" not in names
    )


@pytest.mark.parametrize(
    "owner, name",
    [
        ("laptime.frameworks.torch.session", "install_hooks"),
        ("laptime.frameworks.torch.session", "watch_compilations"),
        (StepSource, "load_sources"),
        (StepSource, "record_by_clock"),
    ],
)
def test_an_interrupted_start_leaves_nothing_on(tmp_path, monkeypatch, owner, name):
    if isinstance(owner, str):
        owner = __import__(owner, fromlist=[name])
    call = getattr(owner, name)

    def interrupted(*words):
        call(*words)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(owner, name, interrupted)
        with (
            pytest.raises(KeyboardInterrupt),
            laptime.profile(tmp_path / "interrupted.lap", lines=False),
        ):
            pass
    assert nothing_is_on()
    with laptime.profile(tmp_path / "next.lap", lines=False):
        torch.ones(3).cumsum(0)
    assert "aten::cumsum" in op_rows(tmp_path / "next.lap") and nothing_is_on()


def test_a_block_does_not_outlive_its_recording(tmp_path):
    outer, inner = (
        laptime.profile(tmp_path / "outer.lap", lines=False),
        laptime.profile(tmp_path / "inner.lap", lines=False),
    )
    outer.start()
    inner.start()
    torch.ones(3).cumsum(0)
    outer.stop()
    assert nothing_is_on()
    with laptime.profile(tmp_path / "next.lap", lines=False):
        inner.stop()  # of something that is over
        torch.ones(3).cumprod(0)
    assert "aten::cumsum" in op_rows(tmp_path / "outer.lap") and "aten::cumprod" in op_rows(
        tmp_path / "next.lap"
    )


def test_sources_are_loaded_once_though_another_thread_trains(tmp_path, monkeypatch):
    """Its steps end while the block loads what it records with."""
    loads, steps, done = [], [], threading.Event()
    load = session.load_sources

    def await_steps(count):
        limit, until = time.monotonic() + 60, len(steps) + count
        while len(steps) < until and time.monotonic() < limit:
            time.sleep(0.001)

    def loaded(options):
        loads.append(threading.current_thread().name)
        await_steps(8)
        return load(options)

    def train():
        model = torch.nn.Linear(4, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        while not done.is_set():
            optimizer.zero_grad()
            model(torch.ones(2, 4)).sum().backward()
            optimizer.step()
            steps.append(None)

    monkeypatch.setattr(session, "load_sources", loaded)
    hooks = len(_global_optimizer_pre_hooks)
    trainer = threading.Thread(target=train)
    trainer.start()
    try:
        with laptime.profile(tmp_path / "run.lap", lines=False, memory=True, budget=None):
            await_steps(20)
    finally:
        done.set()
        trainer.join()
    assert loads == ["MainThread"] and len(_global_optimizer_pre_hooks) == hooks
    assert op_rows(tmp_path / "run.lap")["aten::addmm"]["calls"] >= 10
    recorded = [row["recorded"] for row in read_tables(tmp_path / "run.lap", "steps")["steps"]]
    assert not any(recorded[:4]) and sum(recorded) >= 10
