"""What is still queued on the GPU when recording is switched off, or ends."""

from test_capture import report, run_program

QUEUED = """
import time, torch
from laptime.collect import cuda
x, y = torch.randn(8192, 8192, device="cuda"), torch.empty(8192, 8192, device="cuda")
small = torch.ones(8, device="cuda")
torch.mm(x, x, out=y)
torch.cuda.synchronize()
gpu = cuda.load()
gpu.on()
for _ in range(100):
    torch.mm(x, x, out=y)  # queued
gpu.off()
began, limit = time.monotonic(), time.monotonic() + 60
while gpu.state != cuda.State.FINALIZED and time.monotonic() < limit:
    small.add_(1)
    time.sleep(0.01)
print(gpu.state == cuda.State.FINALIZED, time.monotonic() - began > 0.5)
"""
LINE = QUEUED.splitlines().index("    torch.mm(x, x, out=y)  # queued") + 1


def test_cupti_leaves_only_when_the_queue_is_empty(tmp_path):
    lap, output, _ = run_program(QUEUED, tmp_path, "--no-ops", "--no-gpu")
    assert output.split() == ["True", "True"], "seconds of work were queued"
    found = report(lap, "kernels", "warnings")
    assert sum(row["calls"] for row in found["kernels"] if row["line"] == LINE) >= 100
    assert not [row for row in found["warnings"] if row["name"].startswith("gpu")]


ENDS = """
import torch
x, y = torch.randn(8192, 8192, device="cuda"), torch.empty(8192, 8192, device="cuda")
for _ in range(20):
    torch.mm(x, x, out=y)  # queued when the program ends
print("last line")
"""


def test_a_program_that_ends_with_work_queued(tmp_path):
    lap, output, _ = run_program(ENDS, tmp_path, "--full")
    assert output == "last line\n"
    found = report(lap, "kernels", "warnings")
    seen = sum(row["calls"] for row in found["kernels"] if row["line"] == 5)
    missing = sum(
        row["count"]
        for row in found["warnings"]
        if row["name"] in ("gpu_work_not_seen", "gpu_times")
    )
    assert seen + missing >= 20, "what did not arrive is counted"
