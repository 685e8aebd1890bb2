"""Programs without steps: recorded by the clock, and they are told so."""

import re
import subprocess
import sys
import threading
import time

import pytest
import torch
from torch_runs import LAPTIME, read_tables

import laptime
from laptime._torch import stretches

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


def op_rows(path):
    return {row["name"]: row for row in read_tables(path, "ops")["ops"]}


def add_for(seconds):
    """How often an op was called."""
    calls, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        torch.ones(4).sum()
        calls += 1
    return calls


def test_a_run_without_steps(run, tmp_path):
    process, found = run(LOOP.format(seconds=6))
    linear = op_rows(tmp_path / "run.lap")["aten::linear"]
    assert 10 < linear["calls"] < int(process.stdout), "a part of it"
    assert (linear["line"], linear["module"]) == (8, "Linear")
    assert "torch_stretches" in found.losses and "torch_no_steps" not in found.losses
    assert re.match(r"Ops, from [\d.]+ m?s of [\d.]+ s", title(tmp_path / "run.lap", "ops"))
    assert [row["name"] for row in read_tables(tmp_path / "run.lap", "values")["values"]] == ["ops recorded"]


@pytest.mark.parametrize("options", [[], ["--steps", "3:5"], ["--memory"]])
def test_a_short_run_without_steps_says_what_it_lacks(run, options):
    _, found = run(LOOP.format(seconds=0.4), *options)
    assert "laptime.step() or --full" in found.losses["torch_no_steps"]
    assert ("memory" in found.losses["torch_no_steps"]) == ("--memory" in options)


@pytest.mark.parametrize("options", [["--full"], ["--no-ops"], ["--steps", "0:5"]])
def test_where_something_else_decides_nothing_is_said(run, options, tmp_path):
    _, found = run(LOOP.format(seconds=0.4), *options)
    assert not [name for name in found.losses if name.startswith("torch_")]
    assert ("aten::linear" in op_rows(tmp_path / "run.lap")) == (options != ["--no-ops"])


def test_torch_that_is_only_imported_and_workers_of_a_pool(run):
    _, found = run("import torch")
    assert not found.losses
    loop = LOOP.format(seconds=0.3)
    _, found = run(f"import laptime, multiprocessing\nloop = {loop!r}\nif __name__ == '__main__':\n    import torch\n"
                   "    laptime.step()\n    with multiprocessing.get_context('fork').Pool(1) as pool:\n        pool.map(exec, [loop])\n")
    assert "torch_no_steps" not in found.losses


def test_a_short_block_is_recorded_whole(record, tmp_path):
    def infer():
        for _ in range(50):
            torch.ones(4) @ torch.ones(4)

    assert not record(infer, ops=True).losses
    assert op_rows(tmp_path / "run.lap")["aten::dot"]["calls"] == 50


def test_a_long_block_is_recorded_in_parts(record, tmp_path):
    calls = []
    found = record(lambda: calls.append(add_for(4)), ops=True)
    assert 0 < op_rows(tmp_path / "run.lap")["aten::sum"]["calls"] < calls[0]
    assert "torch_stretches" in found.losses


def test_a_main_thread_that_waits_changes_nothing(record, tmp_path):
    """It waits in C, for the thread that works."""
    calls = []

    def infer():
        thread = threading.Thread(target=lambda: calls.append(add_for(4)))
        thread.start()
        thread.join()

    assert "torch_stretches" in record(infer, ops=True).losses
    assert 0 < op_rows(tmp_path / "run.lap")["aten::sum"]["calls"] < 0.8 * calls[0]


def test_steps_take_over(record, tmp_path):
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    def train():
        torch.ones(3).cumsum(0)  # before the first step
        for _ in range(30):
            optimizer.zero_grad()
            model(torch.ones(2, 4)).sum().backward()
            optimizer.step()

    found = record(train, ops=True)
    assert found.phases == ["train"] * 30 and not found.losses
    assert [step["recorded"] for step in found.steps[:10]] == [0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    assert " of 30 steps" in title(tmp_path / "run.lap", "ops")
    rows = op_rows(tmp_path / "run.lap")
    assert "aten::cumsum" not in rows, "not of the steps that the title tells of"
    assert rows["aten::linear"]["calls"] == sum(step["recorded"] for step in found.steps)


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
        assert "aten::cumsum" in op_rows(tmp_path / "run.lap")


def test_a_child_that_is_forked_within_a_stretch_records_nothing_by_it(record, tmp_path):
    def work():
        with torch.multiprocessing.get_context("fork").Pool(1) as pool:
            pool.apply(exec, ("import torch\nfor _ in range(9): torch.ones(3).cumprod(0)",))

    record(work, ops=True)
    assert "aten::cumprod" not in op_rows(tmp_path / "run.lap")


ODD = """
import signal, sys, time, torch, warnings
warnings.simplefilter("ignore")
class Alarm(Exception): pass
armed, raised, seen = False, 0, 0
def ring(*_):
    global raised
    if armed:
        raised += 1
        raise Alarm
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
end = time.monotonic() + 5
while time.monotonic() < end:
    try:
        armed = True
        torch.ones(4).sum()
        armed = False
    except Alarm:
        seen += 1
    armed = False
signal.setitimer(signal.ITIMER_REAL, 0)
def deep():
    torch.ones(1)
    return 1 + deep()
for _ in range(40):
    try:
        deep()
    except RecursionError:
        pass
def graph(x):
    y = x + 1
    print(end="")  # a break
    return y * 2
compiled = torch.compile(graph, backend="eager")
compiled(torch.ones(3))
with torch.compiler.set_stance("fail_on_recompile"):
    for _ in range(300):
        compiled(torch.ones(3))
print(raised == seen, dict(torch._dynamo.utils.counters["frames"]))
"""


def test_handlers_recursion_and_compiled_code_are_as_without(run):
    process, _ = run(ODD)
    assert process.stdout == "True {'total': 2, 'ok': 2}\n" and not process.stderr


SWITCHED = """
import laptime, os, sys, threading, torch
from laptime._torch import stretches
stretches.PERIOD_S = 0.001
torch.set_num_threads(1)

def train(seed, out):
    generator = torch.Generator().manual_seed(seed)
    weight = torch.randn(16, 16, generator=generator, requires_grad=True)
    for _ in range(300):
        (weight @ weight).tanh().sum().backward()
        with torch.no_grad():
            weight -= 0.001 * weight.grad
        weight.grad = None
    out[seed] = weight.sum().item()

def all_of_them():
    out = {}
    threads = [threading.Thread(target=train, args=(seed, out)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        child = os.fork()
        if child == 0:
            torch.ones(3).cumsum(0)
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    for thread in threads:
        thread.join()
    return out

bare = all_of_them()
for _ in range(4):
    with laptime.profile("block.lap", lines=False, budget=0.05):
        assert all_of_them() == bare
print("same")
"""


def test_switched_all_the_time(tmp_path):
    """With threads, backward passes and forks; hand-stepped, so that no step ends it."""
    done = subprocess.run([sys.executable, "-c", SWITCHED], cwd=tmp_path, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0 and done.stdout == "same\n", done.stderr
    assert read_tables(tmp_path / "block.lap", "values")["values"][0]["count"] > 4


def test_a_profile_within_it_has_all_its_ops(record, monkeypatch):
    """The drop-in for torch.profiler wishes for ops, too: the clock takes only its own wish back."""
    from laptime.compat import torch_profiler

    monkeypatch.setattr(stretches, "PERIOD_S", 0.002)
    counted = []

    def work():
        with torch_profiler.profile(activities=[torch_profiler.ProfilerActivity.CPU]) as profile:
            counted.append(add_for(0.5))
        counted.append(next(row.count for row in profile.key_averages() if row.key == "aten::sum"))

    record(work, ops=True)
    assert counted[0] == counted[1] > 0


def test_a_batch_to_look_at_is_no_step(record, tmp_path):
    def infer():
        batch = next(iter(torch.utils.data.DataLoader(torch.ones(8, 4), batch_size=4)))
        for _ in range(30):
            batch.cumsum(0)

    assert not record(infer, ops=True).losses
    assert op_rows(tmp_path / "run.lap")["aten::cumsum"]["calls"] == 30


BUSY = """
import laptime, sys, threading, torch
done = False
def work():
    while not done:
        torch.ones(1 << 18).sum()
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
finders = len(sys.meta_path)
for _ in range(12):
    with laptime.profile("busy.lap", lines=False):
        torch.ones(3).cumsum(0)
done = True
for thread in threads:
    thread.join()
print(len(sys.meta_path) - finders)
"""


def test_blocks_begin_and_end_while_other_threads_run_ops(tmp_path):
    done = subprocess.run([sys.executable, "-c", BUSY], cwd=tmp_path, capture_output=True, text=True, timeout=250)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


def test_a_block_that_is_interrupted_while_it_waits_for_the_gpu_is_over(tmp_path, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("laptime._torch.session._await_gpu", interrupted)
    with pytest.raises(KeyboardInterrupt), laptime.profile(tmp_path / "run.lap", lines=False):
        torch.ones(3).cumsum(0)
    assert "aten::cumsum" in op_rows(tmp_path / "run.lap")
