"""Programs without steps are told that nothing was counted by."""

import time

import pytest
import torch

LOOP = """
import time, torch
end = time.monotonic() + 0.3
while time.monotonic() < end:
    torch.ones(8).cumsum(0)
"""


@pytest.mark.parametrize("options", [[], ["--steps", "3:5"]])
def test_a_run_without_steps_says_what_it_lacks(run, options):
    _, found = run(LOOP, *options)
    assert "laptime.step() or --full" in found.losses["torch_no_steps"] and "aten::cumsum" not in found.calls


@pytest.mark.parametrize("options", [["--full"], ["--no-ops"], ["--steps", "0:5"]])
def test_where_something_else_decides_nothing_is_said(run, options):
    _, found = run(LOOP, *options)
    assert "torch_no_steps" not in found.losses
    assert ("aten::cumsum" in found.calls) == (options != ["--no-ops"])


def test_with_a_mark_there_are_steps(run):
    _, found = run("import laptime" + LOOP + "    laptime.step()\n")
    assert "torch_no_steps" not in found.losses and "aten::cumsum" in found.calls


def test_torch_that_is_only_imported_and_workers_of_a_pool(run):
    _, found = run("import torch")
    assert not found.losses
    _, found = run(f"import laptime, multiprocessing\nloop = {LOOP!r}\nif __name__ == '__main__':\n    import torch\n"
                   "    laptime.step()\n    with multiprocessing.get_context('fork').Pool(1) as pool:\n        pool.map(exec, [loop])\n")
    assert "torch_no_steps" not in found.losses


def test_a_block(record):
    def work():
        torch.ones(8).cumsum(0)
        time.sleep(0.1)

    assert "torch_no_steps" in record(work, ops=True).losses
    assert "torch_no_steps" not in record(work, ops=True, budget=None).losses
