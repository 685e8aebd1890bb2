"""A fault of the program's own on the GPU is the program's, reported as without laptime."""

import subprocess
import sys
import time

import pytest
from test_capture import LAPTIME, report

FAULT = """
import torch
model = torch.nn.Linear(8, 8).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(300):
    model(torch.ones(4, 8, device="cuda")).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
torch.cuda.synchronize()
rows = model.weight[torch.full((4,), 99, device="cuda")]
print(rows.sum().item())
"""


def run(command):
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done, time.monotonic() - began


def exit_code(done):
    """As a shell tells it: ``laptime run`` ends with that."""
    return done.returncode if done.returncode >= 0 else 128 - done.returncode


@pytest.mark.parametrize("options", [[], ["--full"]], ids=["default", "full"])
def test_a_device_side_assert_ends_the_program_as_without(options, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(FAULT)
    command = [sys.executable, str(program)]
    bare, bare_s = run(command)
    lap = tmp_path / "run.lap"
    done, done_s = run([LAPTIME, "run", "-q", "-o", str(lap), *options, "--", *command])
    assert exit_code(bare) != 0 and (exit_code(done), done.stdout) == (exit_code(bare), bare.stdout)
    assert "device-side assert" in bare.stderr and "device-side assert" in done.stderr
    assert done_s < bare_s + 20, "nothing waits for a GPU that answers no more"
    if options:
        assert report(lap, "kernels")["kernels"], "what ran before is there"
