"""Two processes that train together on this machine.

The tables tell what each waits for the other, and which of them is to blame.
"""

import json
import socket
import subprocess

import pytest
from torch_runs import LAPTIME, read_tables

PROGRAM = """
    import sys, time
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel as DDP

    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, fused=True)
    for step in range(40):
        x, y = torch.randn(BATCH, 256), torch.randint(0, 10, (BATCH,))
        if SLEEP and dist.get_rank() == 1:
            time.sleep(SLEEP)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    dist.destroy_process_group()
    # gloo's threads let go of tensors. torch aborts where one does so while Python ends (pytorch
    # issue 190489).
    time.sleep(0.5)
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.fixture
def train(run, tmp_path):
    """The tables of a run on two ranks."""

    def trained(batch, sleep):
        run(
            PROGRAM.replace("BATCH", str(batch)).replace("SLEEP", str(sleep)),
            "--full",
            "-m",
            "torch.distributed.run",
            "--nproc_per_node",
            "2",
            "--master_addr",
            "127.0.0.1",
            "--master_port",
            free_port(),
            env={"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"},
        )
        return read_tables(tmp_path / "run.lap", "ranks", "breakdown_steps", "advice")

    return trained


def replayed(path, *changes):
    """Of each rank, what its steps took, and would take with the changes."""
    text = subprocess.run(
        [LAPTIME, "whatif", path, *changes, "--json"], check=True, capture_output=True, text=True
    ).stdout
    table = next(t for t in json.loads(text)["tables"] if t["name"] == "whatif")
    return [dict(zip((c["name"] for c in table["columns"]), row)) for row in table["rows"]]


def test_a_rank_that_sleeps_is_waited_for(train, tmp_path):
    tables = train(batch=512, sleep=0.06)
    fast, slow = tables["ranks"]
    assert (fast["rank"], slow["rank"]) == (0, 1) and min(fast["steps"], slow["steps"]) > 20
    assert slow["slowest"] > 0.8 and fast["communication_ns"] > 30e6 > slow["communication_ns"]
    [finding] = [row for row in tables["advice"] if row["rule"] == "straggler"]
    assert (
        finding["message"].startswith("Rank 1 has ")
        and "python" in finding["message"]
        and "`time.sleep(0.06)`" in finding["message"]
    )
    assert (finding["line"], finding["confidence"]) == (15, "high")
    assert 1.2 < finding["gain_low"] < finding["gain_high"]
    assert not [row for row in tables["advice"] if row["rule"] == "python-line"]  # the same line
    for step in tables["breakdown_steps"]:
        assert (
            sum(
                ns
                for key, ns in step.items()
                if key.endswith("_ns") and key not in ("start_ns", "wall_ns") and ns
            )
            == step["wall_ns"]
        )
    for phase in replayed(tmp_path / "run.lap"):
        assert phase["replayed_ns"] == pytest.approx(phase["before_ns"], rel=0.02)
        assert phase["after_ns"] == pytest.approx(phase["before_ns"], rel=0.02)
    spared = replayed(tmp_path / "run.lap", "--scale", "program.py:15=0")
    assert len(spared) == 2 and all(
        phase["before_ns"] - phase["after_ns"] > 40e6 for phase in spared
    ), spared  # the one that waits for it, too


def test_ranks_that_compute_alike_get_no_advice_about_it(train):
    # Another program on one of the processors makes one rank the slower: not in two runs.
    for _ in range(2):
        tables = train(batch=8192, sleep=0)
        rules = {row["rule"] for row in tables["advice"]} & {"straggler", "exposed-communication"}
        if not rules:
            break
    assert not rules and len(tables["ranks"]) == 2
