"""Slow steps count, and time outside of steps has a row and a line."""

import pytest


def test_slow_steps_count(wild):
    run = wild("slow_tenth.py")
    assert run.counts == run.truth
    summary = run.tables["step_summary"][0]
    assert 10 <= summary["slow"] < 30  # a busy machine makes more of them
    assert summary["slow_share"] > 0.4
    counted = run.phase("train")[0]
    assert counted["count"] == 99 and counted["mean_ns"] == pytest.approx(
        summary["mean_ns"], rel=0.01
    )
    line = next(row for row in run.tables["slow_steps"] if row["what"] == "line")
    assert line["source"].strip() == "time.sleep(0.030)"
    assert line["share"] > 0.8
    assert run.tables["step_lines"][0]["source"].strip() in (
        "time.sleep(0.030)",
        "time.sleep(0.003)",
    )


def test_time_outside_of_steps_has_rows_with_lines(wild):
    run = wild("rollouts.py")
    assert run.counts == run.truth
    before, after = run.phase("before the first step")[0], run.phase("after the last step")[0]
    assert (
        before["source"].strip().startswith(("import torch", "optimizer = "))
    )  # torch imports more when the first optimizer is made
    assert after["source"].strip() == "time.sleep(0.3)" and after["line_ns"] > 0.29e9
    between = run.phase("between steps")[0]
    assert between["function"] == "roll_out" and between["count"] == 4
    assert between["source"].strip() == "time.sleep(0.1)"
    assert between["time_ns"] == pytest.approx(0.4e9, rel=0.2)
    steps = run.phase("train")[0]
    assert steps["time_ns"] < 0.2e9
    assert {row["source"].strip() for row in run.tables["step_lines"]}.isdisjoint(
        {"time.sleep(0.1)", "time.sleep(0.3)", "import torch"}
    )
