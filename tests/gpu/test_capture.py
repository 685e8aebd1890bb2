"""What the GPU's collector records, beside torch.profiler and what is known of the program."""

import json
import os
import shutil
import subprocess
import sys

import pytest

LAPTIME = os.environ.get("LAPTIME") or shutil.which("laptime") or "laptime"
os.environ.setdefault("LAPTIME", LAPTIME)


def record(level, workload, folder, **more):
    from campaign import record as run

    result = run(level, workload, str(folder), **more)
    assert "problem" not in result, result["problem"]
    return result


def report(lap, *names):
    from campaign import tables

    return tables(str(lap), *names)


def run_program(source, folder, *options, program_file="program.py"):
    """A program under `laptime run`; its run, output and errors."""
    path, lap = folder / program_file, folder / "run.lap"
    path.write_text(source)
    done = subprocess.run(
        [LAPTIME, "run", "-q", "-o", str(lap), *options, "--", sys.executable, str(path)],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    return lap, done.stdout, done.stderr


@pytest.mark.parametrize("workload", ["eager", "resnet"])
def test_counts_and_time_are_those_of_torch_profiler(workload, tmp_path):
    ours, theirs = record("gpu", workload, tmp_path), record("profiler", workload, tmp_path)
    assert ours["records"] == theirs["events"]
    found = report(ours["lap"], "kernels", "copies")
    total = sum(row["total_ns"] for rows in found.values() for row in rows)
    assert total == pytest.approx(
        theirs["ns"], rel=0.05
    )  # two processes; the campaign has the bar of 1 %


def test_no_kernel_before_its_launch_and_a_line_for_nearly_all(tmp_path):
    lap = record("gpu", "eager", tmp_path)["lap"]
    found = report(lap, "kernels", "copies", "warnings")
    rows = found["kernels"] + found["copies"]
    total = sum(row["total_ns"] for row in rows)
    assert sum(row["total_ns"] for row in rows if row["line"]) >= 0.98 * total
    assert {row["pass"] for row in found["kernels"]} >= {"forward", "backward"}
    assert not [row for row in found["warnings"] if row["name"].startswith("gpu")]


def test_the_device_view_sums_to_the_step(tmp_path):
    lap = record("full", "eager", tmp_path)["lap"]
    rows = report(lap, "breakdown")["breakdown"]
    assert sum(row["share"] for row in rows if row["view"] == "device") == pytest.approx(
        1, abs=1e-6
    )


SYNCS = """
import torch
from laptime._native import recording
x = torch.ones(2048, 2048, device="cuda")
from laptime.collect import cuda
gpu = cuda.load()
gpu.on()
for _ in range(5):
    y = (x @ x).sum()
    value = y.item()  # waits
torch.cuda.synchronize()
gpu.flush()
"""


def test_the_line_that_waited_is_named(tmp_path):
    lap, _, _ = run_program(SYNCS, tmp_path, "--no-ops", "--no-gpu")  # the program's own
    waits = report(lap, "syncs")["syncs"]
    line = SYNCS.splitlines().index("    value = y.item()  # waits") + 1
    assert any(row["line"] == line and row["calls"] >= 5 for row in waits), waits


BESIDE = """
import torch
from torch.profiler import profile, ProfilerActivity
x = torch.ones(64, 64, device="cuda")
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
    (x @ x).sum().item()
from laptime.collect import cuda
gpu = cuda.load()
gpu.on()
(x @ x).sum().item()
print("went on", gpu.state == cuda.State.FAILED)
"""


def test_another_holder_of_cupti_is_left_alone(tmp_path):
    _, output, errors = run_program(BESIDE, tmp_path, "--no-gpu", "--no-ops")
    assert output.strip() == "went on True"
    assert errors.count("GPU is not recorded") == 1


LEAVES = """
import time, torch
from laptime.collect import cuda
x = torch.ones(64, 64, device="cuda")
gpu = cuda.load()
for _ in range(3):
    gpu.on()
    for _ in range(50): (x @ x).sum()
    torch.cuda.synchronize()
    gpu.off()
    until = time.time() + 5
    while gpu.state != cuda.State.FINALIZED and time.time() < until:
        (x @ x).sum(); time.sleep(0.01)
    print(gpu.state == cuda.State.FINALIZED, end=" ")
print(gpu.counts()[0] == gpu.counts()[1], gpu.counts()[0] >= 300)
"""


def test_it_leaves_and_comes_back_without_losing_a_record(tmp_path):
    _, output, _ = run_program(LEAVES, tmp_path, "--no-gpu", "--no-ops")
    assert output.split() == ["True", "True", "True", "True", "True"]


JAX = """
import jax, jax.numpy as jnp
def layer(x, w):
    x = x @ w  # product
    return jnp.tanh(x).sum()  # fused
f = jax.jit(lambda x, w: jax.value_and_grad(layer, argnums=1)(x, w))
x = jnp.ones((1024, 1024))
for _ in range(20):
    jax.block_until_ready(f(x, x))  # call
print(jax.devices()[0].platform)
"""


@pytest.mark.parametrize("graphs", [True, False])
def test_jax_gets_kernels_without_a_change(tmp_path, monkeypatch, graphs):
    pytest.importorskip("jax")
    if not graphs:
        monkeypatch.setenv("XLA_FLAGS", "--xla_gpu_enable_command_buffer=")
    lap, output, _ = run_program(JAX, tmp_path)
    if output.strip() not in ("gpu", "cuda"):
        pytest.skip("this JAX has no GPU")
    kernels = report(lap, "kernels")["kernels"]
    lines = {
        mark: number
        for number, text in enumerate(JAX.splitlines(), 1)
        for mark in ("product", "fused", "call")
        if text.endswith(f"# {mark}")
    }
    assert lines["fused"] in {row["line"] for row in kernels if "fusion" in row["name"]}, kernels
    # While it compiles XLA tries kernels; those of the program run twenty times.
    products = {
        row["line"]
        for row in kernels
        if "gemm" in row["name"] and row["calls"] >= 20 and row["line"] is not None
    }
    assert products == {lines["call" if graphs else "product"]}, kernels


JAX_PROFILED = """
import glob, gzip, json
import jax, jax.numpy as jnp
f = jax.jit(lambda x: jnp.tanh(x @ x))
x = jnp.ones((512, 512))
def work():
    for _ in range(20):
        jax.block_until_ready(f(x))
work()
with jax.profiler.trace("FOLDER"):
    work()
work()
(file,) = glob.glob("FOLDER/**/*.trace.json.gz", recursive=True)
events = json.load(gzip.open(file))["traceEvents"]
names = [event for event in events if event.get("name") == "process_name"]
devices = {event["pid"] for event in names if "GPU" in event["args"]["name"]}
found = sum(event.get("ph") == "X" and event["pid"] in devices for event in events)
print(jax.devices()[0].platform, found)
"""


def test_jax_profiler_gets_the_gpu_while_it_runs(tmp_path):
    pytest.importorskip("jax")
    (tmp_path / "bare.py").write_text(JAX_PROFILED.replace("FOLDER", str(tmp_path / "bare")))
    bare = subprocess.run(
        [sys.executable, str(tmp_path / "bare.py")], capture_output=True, text=True, timeout=200
    ).stdout.split()
    if bare[0] not in ("gpu", "cuda"):
        pytest.skip("this JAX has no GPU")
    lap, output, errors = run_program(
        JAX_PROFILED.replace("FOLDER", str(tmp_path / "ours")), tmp_path
    )
    assert int(bare[1]) >= 20 and output.split() == bare, (bare, output, errors)
    assert errors.count("laptime: jax.profiler takes the GPU") == 1 and "CUPTI" not in errors, (
        errors
    )
    found = report(lap, "kernels", "warnings")
    assert "gpu_left" in {row["name"] for row in found["warnings"]}
    assert max(row["calls"] for row in found["kernels"] if row["line"]) >= 40, found[
        "kernels"
    ]  # before it and after it


JAX_PROFILED_FIRST = """
import glob, gzip, json, sys
import jax, jax.numpy as jnp
def work():
    for _ in range(20):
        jax.block_until_ready(f(jnp.ones((512, 512))))
with jax.profiler.trace("FOLDER"):  # the first use of JAX: nobody has loaded CUDA before
    f = jax.jit(lambda x: jnp.tanh(x @ x))
    work()
    try:
        jax.profiler.start_trace("FOLDER/second")
    except RuntimeError as error:
        print(str(error).splitlines()[0], file=sys.stderr)
work()
(file,) = glob.glob("FOLDER/**/*.trace.json.gz", recursive=True)
events = json.load(gzip.open(file))["traceEvents"]
names = [event for event in events if event.get("name") == "process_name"]
devices = {event["pid"] for event in names if "GPU" in event["args"]["name"]}
found = sum(event.get("ph") == "X" and event["pid"] in devices for event in events)
print(jax.devices()[0].platform, found >= 20)
"""


def test_jax_profiler_as_the_first_use_of_jax_and_a_second_that_fails(tmp_path):
    pytest.importorskip("jax")
    lap, output, errors = run_program(
        JAX_PROFILED_FIRST.replace("FOLDER", str(tmp_path / "trace")), tmp_path
    )
    if output.split()[0] not in ("gpu", "cuda"):
        pytest.skip("this JAX has no GPU")
    assert output.split()[1] == "True", (output, errors)
    assert "Only one" in errors or "already" in errors, errors
    assert errors.count("laptime: jax.profiler takes the GPU") == 1 and "CUPTI" not in errors, (
        errors
    )
    found = report(lap, "kernels", "warnings")
    assert max(row["calls"] for row in found["kernels"] if row["line"]) == 20, found[
        "kernels"
    ]  # after it
    assert {row["name"] for row in found["warnings"]} & {"gpu_left", "gpu_records_dropped"} == {
        "gpu_left"
    }, found["warnings"]


def test_results_are_the_same_bit_for_bit(tmp_path):
    folder = os.path.dirname(__import__("campaign").__file__)
    source = (
        f"import sys; sys.path.insert(0, {folder!r})\nfrom workloads import make\nimport torch\n"
    )
    source += (
        "torch.use_deterministic_algorithms(True, warn_only=True)\nstep = make('views')\nfor _ in"
        " range(5): step()\nprint(torch.rand(2).tolist(), torch.rand(1, device='cuda').item())\n"
    )
    (tmp_path / "program.py").write_text(source)
    bare = subprocess.run(
        [sys.executable, str(tmp_path / "program.py")], capture_output=True, text=True, timeout=200
    )
    _, output, _ = run_program(source, tmp_path, "--budget", "none")
    assert json.dumps(output) == json.dumps(bare.stdout)


OWN_PROFILER = """
import torch
from torch.profiler import profile, ProfilerActivity
model = torch.nn.Linear(256, 256).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def step():
    optimizer.zero_grad()
    model(torch.ones(64, 256, device="cuda")).sum().backward()
    optimizer.step()
for _ in range(20): step()
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as p:
    for _ in range(5): step()
    torch.cuda.synchronize()
cuda = torch.autograd.DeviceType.CUDA
print(sum(e.device_type() == cuda for e in p.profiler.kineto_results.events()) > 20)
for _ in range(20): step()
"""


def test_a_torch_profiler_of_the_programs_own_gets_the_gpu(tmp_path):
    lap, output, errors = run_program(OWN_PROFILER, tmp_path, "--full")
    assert output.strip() == "True"
    assert errors.count("torch.profiler takes the GPU") == 1
    found = report(lap, "kernels", "warnings")
    assert sum(row["calls"] for row in found["kernels"]) >= 60
    assert [row["count"] for row in found["warnings"] if row["name"] == "gpu_left"] == [1]


def test_ops_that_laptime_runs_itself_are_in_no_table(tmp_path):
    lap, _, _ = run_program(OWN_PROFILER.split("with profile")[0], tmp_path, "--full")
    assert not [row for row in report(lap, "lines")["lines"] if row["line"] == 2 and row["op_ns"]]


CUPY = """
import cupy
x = cupy.ones((512, 512), dtype=cupy.float32)
for _ in range(20):
    y = cupy.tanh(x)  # launch
cupy.cuda.Device().synchronize()
"""


def test_python_without_torch_gets_lines_too(tmp_path):
    pytest.importorskip("cupy")
    lap, _, _ = run_program(CUPY, tmp_path)
    line = CUPY.splitlines().index("    y = cupy.tanh(x)  # launch") + 1
    found = [row for row in report(lap, "kernels")["kernels"] if "tanh" in row["name"]]
    assert [(row["line"], row["calls"]) for row in found] == [(line, 20)], found
