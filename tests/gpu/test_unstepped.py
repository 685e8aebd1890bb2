"""PyTorch programs without steps: recorded by the clock, or whole in a block of their own."""

import subprocess
import sys

from test_capture import report, run_program

INFERENCE = """
import time, torch
net = torch.nn.Linear(512, 512).cuda()
x = torch.randn(64, 512, device="cuda")
end = time.monotonic() + 6
count = 0
with torch.inference_mode():
    while time.monotonic() < end:
        y = net(x).relu()  # forward
        count += 1
        if count % 100 == 0:
            torch.cuda.synchronize()
print(count)
"""
FORWARD = INFERENCE.splitlines().index("        y = net(x).relu()  # forward") + 1


def test_a_program_without_steps(tmp_path):
    lap, output, _ = run_program(INFERENCE, tmp_path)
    found = report(lap, "kernels", "streams", "launch_queue", "warnings")
    assert {row["line"] for row in found["kernels"]} == {FORWARD}
    calls = [row["calls"] for row in found["kernels"]]
    assert 100 < max(calls) < int(output.split()[-1]), "a part of it"
    assert 0 < found["streams"][0]["busy_share"] <= 1
    assert (
        1 <= len(found["launch_queue"]) < 10
        and max(row["lead_max_ns"] for row in found["launch_queue"]) < 5e9
    )
    assert [row["name"] for row in found["warnings"]] == ["torch_intervals"]


CAPTURES = """
import time, torch
x = torch.zeros(8, device="cuda")
torch.cuda.synchronize()
end = time.monotonic() + 6
count = 0
while time.monotonic() < end:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(50):
            x.add_(1)
    graph.replay()
    count += 1
assert x.tolist() == [50.0 * count] * 8, (x, count)
print("right")
"""


def test_graphs_that_are_captured_all_the_time(tmp_path):
    lap, output, errors = run_program(CAPTURES, tmp_path)
    assert "right" in output and "laptime" not in errors, errors
    assert report(lap, "kernels")["kernels"]


BLOCK = """
import torch, laptime
a = torch.randn(2048, 2048, device="cuda")
a @ a
torch.cuda.synchronize()
with laptime.profile("{lap}"):
    for _ in range(200):
        b = a @ a  # product
"""
PRODUCT = BLOCK.splitlines().index("        b = a @ a  # product") + 1


def test_a_block_has_all_that_it_launched(tmp_path):
    path, lap = tmp_path / "block.py", tmp_path / "block.lap"
    path.write_text(BLOCK.format(lap=lap))
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    found = report(lap, "kernels", "warnings")
    assert [(row["calls"], row["line"]) for row in found["kernels"]] == [(200, PRODUCT)], found
    assert not found["warnings"], found["warnings"]


WITHIN = """
import time, torch
from torch.profiler import profile, ProfilerActivity
x = torch.randn(256, 256, device="cuda")
end = time.monotonic() + 5
while time.monotonic() < end:
    x @ x
torch.cuda.synchronize()
for _ in range(3):
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
        for _ in range(4000):
            x @ x
            time.sleep(0.0001)
    names = [event.name.lower() for event in p.events()
             if event.device_type == torch.autograd.DeviceType.CUDA]
    print(sum(row.count for row in p.key_averages() if row.key == "aten::mm"),
          sum(any(word in name for word in ("gemm", "nvjet", "cutlass")) for name in names))
"""


def test_profiles_within_it_have_all_of_theirs(tmp_path):
    """Half a second and more each, over turns of the clock."""
    _, output, _ = run_program(WITHIN, tmp_path, "--replace-torch-profiler")
    ops, kernels = output.split()[::2], output.split()[1::2]
    assert ops == ["4000"] * 3 and len(set(kernels)) == 1, output
    assert int(kernels[0]) > 0 and int(kernels[0]) % 4000 == 0, output  # one or more a product


OWN = """
import time, torch
x = torch.randn(256, 256, device="cuda")
def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        x @ x
        torch.cuda.synchronize()
work(4)
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as p:
    work(2)
print(sum(row.count for row in p.key_averages()) > 100)
work(2)
"""


def test_the_programs_own_profiler_gets_the_gpu_and_keeps_it(tmp_path):
    lap, output, errors = run_program(OWN, tmp_path)
    assert output == "True\n" and errors.count("laptime: torch.profiler takes the GPU") == 1, errors
    assert "gpu_left" in [row["name"] for row in report(lap, "warnings")["warnings"]]
