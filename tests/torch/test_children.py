"""Child processes: those that compute are recorded as their parent is.

A loader's workers are not recorded.
"""

import subprocess
import sys

import pytest
from torch_runs import op_rows

INFER = """
import multiprocessing, os, sys, time, torch
torch.set_num_threads(1)

def infer(seconds):
    linear, x = torch.nn.Linear(16, 16), torch.ones(4, 16)
    calls, end = 0, time.monotonic() + seconds
    with torch.no_grad():
        while time.monotonic() < end:
            linear(x)  # infers
            calls += 1
    return calls

def in_pool(method, seconds):
    with multiprocessing.get_context(method).Pool(1) as pool:
        calls = pool.apply(infer, (seconds,))
        pool.close()
        pool.join()
    return calls

def in_fork(seconds):
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        os.write(write, str(infer(seconds)).encode())
        sys.exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    return int(os.read(read, 20))
"""


@pytest.mark.parametrize(
    "child",
    ["in_pool('fork', {})", "in_pool('spawn', {})", "in_pool('forkserver', {})", "in_fork({})"],
)
def test_a_child_that_infers(run, tmp_path, child):
    process, _ = run(INFER + f"if __name__ == '__main__':\n    print({child.format(5)})\n")
    linear = op_rows(tmp_path / "run.lap")["aten::linear"]
    assert 10 < linear["calls"] < int(process.stdout), "a part of it"
    assert (linear["line"], linear["module"]) == (9, "Linear")
    assert not process.stderr


@pytest.mark.parametrize("child", ["in_pool('fork', {})", "in_pool('spawn', {})", "in_fork({})"])
def test_all_of_a_child_with_full(run, tmp_path, child):
    process, found = run(
        INFER + f"if __name__ == '__main__':\n    print({child.format(0.3)})\n", "--full"
    )
    assert op_rows(tmp_path / "run.lap")["aten::linear"]["calls"] == int(process.stdout)
    assert not [name for name in found.warnings if name.startswith("torch_")]


def test_a_child_that_soon_ends_leaves_no_trace(run):
    """Else it were a process that did not end as it should."""
    _, found = run("""
        import os, torch
        for _ in range(5):
            if (child := os.fork()) == 0:
                torch.ones(3).cumsum(0)
                os._exit(0)
            os.waitpid(child, 0)
        """)
    assert "unfinished_process" not in found.warnings


BLOCK = """
import multiprocessing, torch

def work():
    import laptime
    with laptime.profile("block.lap"):
        for _ in range(7):
            torch.ones(3).cumprod(0)

if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=work)
    process.start()
    process.join()
"""


def test_a_block_in_a_child(tmp_path):
    (tmp_path / "program.py").write_text(BLOCK)
    subprocess.run([sys.executable, "program.py"], cwd=tmp_path, check=True, timeout=250)
    assert op_rows(tmp_path / "block.lap")["aten::cumprod"]["calls"] == 7


@pytest.mark.parametrize("options", [["--full"], []])
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_a_loader_are_not_recorded(run, tmp_path, method, options):
    _, found = run(
        f"""
        import time, torch
        class Squares(torch.utils.data.Dataset):
            def __len__(self):
                return 16
            def __getitem__(self, index):
                time.sleep(0.25)  # long enough for a clock, if there were one
                return torch.full((2,), float(index)).cumprod(0)
        if __name__ == "__main__":
            model = torch.nn.Linear(2, 1)
            optimizer = torch.optim.SGD(model.parameters(), 0.01)
            loader = torch.utils.data.DataLoader(
                Squares(), batch_size=1, num_workers=1, multiprocessing_context={method!r}
            )
            for batch in loader:
                model(batch).sum().backward()
                optimizer.step()
        """,
        *options,
    )
    assert "aten::cumprod" not in op_rows(tmp_path / "run.lap")
    assert found.phases == ["train"] * 16 and found.calls["fetch"] == 16
