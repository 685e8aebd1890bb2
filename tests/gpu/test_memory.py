"""What torch's caching allocator for CUDA does, against its own counters."""

import json

from test_capture import report, run_program

TRAINING = """
import json, torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(512, 2048), nn.ReLU(), nn.Linear(2048, 512)).cuda()
optimizer = torch.optim.Adam(model.parameters())
x = torch.randn(256, 512, device="cuda")
for step in range(6):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
torch.cuda.synchronize()
stats = torch.cuda.memory_stats()
parameters = sum(p.nbytes for p in model.parameters())
peak, reserved = stats["requested_bytes.all.peak"], stats["reserved_bytes.all.current"]
print(json.dumps({"peak": peak, "reserved": reserved, "parameters": parameters}))
"""


def test_the_peak_the_categories_and_what_the_allocator_holds(tmp_path):
    lap, output, errors = run_program(TRAINING, tmp_path, "--memory", "--full")
    told = json.loads(output)
    found = report(lap, "memory", "memory_steps", "values", "warnings")
    rows = [row for row in found["memory"] if row["device"] == "cuda:0"]
    assert sum(row["bytes"] for row in rows) == told["peak"], errors
    sums = {}
    for row in rows:
        sums[row["category"]] = sums.get(row["category"], 0) + row["bytes"]
    assert sums["parameter"] == told["parameters"] == sums["gradient"]
    assert sums["optimizer state"] >= 2 * told["parameters"]
    # The thread that made the allocator grow wrote it, in backward another one; nothing was given
    # back.
    assert (
        max(row["max"] for row in found["values"] if row["name"] == "cuda:0 reserved")
        == told["reserved"]
    )
    assert not [row for row in found["warnings"] if row["name"] == "memory_of_gpu"]


def test_no_block_is_left_when_all_were_given_back(tmp_path):
    source = """
import torch
from laptime.frameworks.torch import memory
from laptime._native import recording
torch.cuda.init()
source = memory.load()
source.on()
blocks = [torch.empty(1000 * i, device="cuda") for i in range(1, 200)]
source.off()
del blocks  # in a resting step: their releases are told
source.on()
kept = torch.empty(4096, dtype=torch.uint8, device="cuda")
source.at_step()
"""
    lap, _, _ = run_program(source, tmp_path, "--no-gpu", "--no-ops")
    curve = [
        row for row in report(lap, "memory_curve")["memory_curve"] if row["device"] == "cuda:0"
    ]
    assert max(row["bytes"] for row in curve) == sum(4000 * i for i in range(1, 200))
    assert curve[-1]["bytes"] == 4096


def test_memory_that_a_program_takes_from_the_driver(tmp_path):
    source = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
context, device, block = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
assert cuda.cuCtxSetCurrent(context) == 0
for size in (1 << 20, 1 << 24):
    assert cuda.cuMemAlloc_v2(ctypes.byref(block), ctypes.c_size_t(size)) == 0
    assert cuda.cuMemFree_v2(block) == 0
"""
    lap, _, _ = run_program(source, tmp_path)
    curve = [
        row["bytes"]
        for row in report(lap, "memory_curve")["memory_curve"]
        if row["device"] == "cuda:0"
    ]
    assert max(curve) == 1 << 24 and curve[-1] == 0
