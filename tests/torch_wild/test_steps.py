"""The number of steps of each phase that is found in programs that nobody prepared equals the
program's own count.
"""

from importlib.util import find_spec

import pytest
from torch_runs import read_tables

PROGRAMS = [
    "own_sgd.py",
    "own_sgd_loader.py",
    "own_sgd_functional.py",
    "accumulation_by_hand.py",
    "gan.py",
    "gan_by_hand.py",
    "actor_critic.py",
    "evaluation_without_loader.py",
    "two_loops.py",
    "last_step.py",
    "jacobian.py",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_steps_equal_the_truth(wild, program):
    run = wild(program)
    assert run.counts == run.truth
    assert "torch_no_steps" not in run.warnings


@pytest.mark.parametrize("program", PROGRAMS[:2])
def test_the_same_without_ops(wild, program):
    run = wild(program, "--no-ops")
    assert run.counts == run.truth


def test_waits_are_counted_by_batch(wild):
    run = wild("own_sgd_loader.py")
    assert run.batches == run.truth


@pytest.mark.skipif(find_spec("keras") is None, reason="Keras is not installed")
def test_keras_on_torch(wild):
    run = wild("keras_on_torch.py")
    assert run.counts == run.truth
    assert run.batches == {
        "train": run.truth["train"] + 1,
        "validation": run.truth["validation"],
    }  # one more to build the model


def test_a_launcher_does_not_say_that_there_are_no_steps(wild):
    run = wild("launcher.py")
    assert run.counts == run.truth
    assert not [
        message
        for message in run.warnings.values()
        if "no steps found" in message or "laptime.step()" in message
    ]


def test_persistent_workers_were_not_killed(wild):
    run = wild("persistent_workers.py")
    assert run.counts == run.batches == run.truth
    assert "unfinished_process" not in run.warnings


def test_the_recorders_compilation_is_not_the_programs_import(wild, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    wild("own_sgd.py")
    tables = read_tables(tmp_path / "run.lap", "lines", "run")
    setup = next(row["value"] for row in tables["run"] if row["key"] == "setup")
    wall = next(row["value"] for row in tables["run"] if row["key"] == "duration")
    lines = [row["self_ns"] for row in tables["lines"]]
    assert setup > 1e9, "it was compiled"
    assert sum(lines) < 1.05 * (wall - setup)
