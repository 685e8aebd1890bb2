"""The clock beside what programs do: handlers of signals, recursion, compiled code, threads, forks,
interruptions.
"""

import subprocess
import sys
from pathlib import Path

import laptime
import pytest
import torch
from torch_runs import op_rows, read_tables

ODD = """
import signal, sys, time, torch, warnings
warnings.simplefilter("ignore")
class Alarm(Exception): pass
armed, raised, seen = False, 0, 0
def ring(*_):
    global armed, raised
    if armed:
        armed = False  # else the next one could come while this one is being caught
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
from laptime.frameworks.torch import intervals
intervals.PERIOD_S = 0.001
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

# Each op once before: its first call takes a lock of the C library's, which a child that is forked
# then finds held, laptime or not.
train(9, {})
torch.ones(3).cumsum(0)
bare = all_of_them()
for _ in range(4):
    with laptime.profile("block.lap", lines=False, budget=0.05):
        assert all_of_them() == bare
print("same")
"""


def test_switched_all_the_time(tmp_path):
    """With threads, backward passes and forks; hand-stepped, so that no step ends it."""
    done = subprocess.run(
        [sys.executable, "-c", SWITCHED], cwd=tmp_path, capture_output=True, text=True, timeout=250
    )
    assert done.returncode == 0 and done.stdout == "same\n", done.stderr
    assert read_tables(tmp_path / "block.lap", "values")["values"][0]["count"] > 4


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
    done = subprocess.run(
        [sys.executable, "-c", BUSY], cwd=tmp_path, capture_output=True, text=True, timeout=250
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")


def test_a_block_that_is_interrupted_while_it_waits_for_the_gpu_is_over(tmp_path, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("laptime.frameworks.torch.session._await_gpu", interrupted)
    with pytest.raises(KeyboardInterrupt), laptime.profile(tmp_path / "run.lap", lines=False):
        torch.ones(3).cumsum(0)
    assert "aten::cumsum" in op_rows(tmp_path / "run.lap")


def test_a_block_whose_end_is_interrupted_leaves_no_clock(tmp_path, monkeypatch):
    from laptime.collect.patches import Patches

    remove = Patches.remove

    def interrupted(patches):
        remove(patches)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Patches, "remove", interrupted)
        with pytest.raises(KeyboardInterrupt), laptime.profile(tmp_path / "run.lap", lines=False):
            torch.ones(3).cumsum(0)
    names = [path.read_text().strip() for path in Path("/proc/self/task").glob("*/comm")]
    assert "laptime-clock" not in names
