"""Advice on real programs: what is wrong is named with its line, and a tuned program gets none."""

import os
import subprocess
import textwrap

import pytest
from torch_runs import LAPTIME, read_tables

# One thread, so that nothing depends on how many CPUs others leave.
ONE_THREAD = {"OMP_NUM_THREADS": "1"}

NAIVE = """
    import torch
    from torch.nn import functional as F

    with open("numbers.txt", "w") as file:
        file.write("0.5 " * 20000)

    def read(path):
        return torch.tensor([float(word) for word in open(path).read().split()])

    model = torch.nn.Linear(100, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(40):
        rows = read("numbers.txt").view(200, 100)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(rows), torch.zeros(200, dtype=torch.long))
        loss.backward()
        optimizer.step()
"""

LOADER = """
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Slow(Dataset):
        def __len__(self):
            return 40 * 16

        def __getitem__(self, index):
            total = sum(i * i for i in range(2000))
            return torch.full((8,), float(total % 7))

    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in DataLoader(Slow(), batch_size=16):
        optimizer.zero_grad()
        model(x).pow(2).mean().backward()
        optimizer.step()
"""

TUNED = """
    import torch
    from torch import nn
    from torch.nn import functional as F

    torch.manual_seed(0)
    images, labels = torch.randn(4096, 1, 14, 14), torch.randint(0, 10, (4096,))
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
        nn.Flatten(), nn.Linear(32 * 196, 10),
    )
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    for epoch in range(3):
        for rows in torch.randperm(len(images)).split(256):
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                loss = F.cross_entropy(model(images[rows]), labels[rows])
            loss.backward()
            optimizer.step()
"""


@pytest.fixture
def advice(run, tmp_path):
    def given(source, *options):
        run(source, *options, env=ONE_THREAD)
        return read_tables(tmp_path / "run.lap", "advice")["advice"]

    return given


def test_data_that_is_read_in_every_step(advice):
    first = advice(NAIVE)[0]
    assert (first["rule"], first["line"]) == ("reload", 13)
    assert first["confidence"] in (
        "high",
        "medium",
    )  # medium where the line takes so long that it may slow the rest
    assert first["share"] > 0.5 and 2 < first["gain_low"] <= first["gain_high"]
    assert 'read("numbers.txt")' in first["message"]


def test_a_slow_dataset(advice):
    by_rule = {row["rule"]: row for row in advice(LOADER)}
    assert by_rule["dataset-line"]["line"] == 9 and by_rule["dataset-line"]["gain_high"] > 1.5
    assert "python-line" not in by_rule  # the dataset's Python is the loader's


def test_a_tuned_program_gets_none(advice):
    assert advice(TUNED) == []
    assert advice(TUNED, "--full", "--shapes", "--memory") == []


def test_the_summary_ends_with_it(tmp_path):
    (tmp_path / "program.py").write_text(textwrap.dedent(NAIVE))
    summary = subprocess.run(
        [LAPTIME, "run", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **ONE_THREAD},
    ).stderr
    assert "\nWhat to do" in summary and "  reload " in summary


UNEVEN = """
    import time
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Samples(Dataset):
        def __len__(self):
            return 100 * 4

        def __getitem__(self, index):
            time.sleep((0.040 if EVEN or index // 4 % 2 else 0.004) / 4)
            return torch.full((8,), float(index % 7))

    model = torch.nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, fused=True)
    for x in DataLoader(Samples(), batch_size=4, num_workers=2):
        time.sleep(COMPUTE)
        optimizer.zero_grad()
        model(x).pow(2).mean().backward()
        optimizer.step()
"""


def test_batches_of_one_worker_that_take_longer(advice):
    by_rule = {
        row["rule"]: row
        for row in advice(UNEVEN.replace("EVEN", "False").replace("COMPUTE", "0.014"))
    }
    imbalance = by_rule["worker-imbalance"]
    assert imbalance["line"] == 15 and imbalance["gain_high"] > 1.15
    assert (
        "one worker's batches" in imbalance["message"]
        and "prefetch" not in by_rule
        and "few-workers" not in by_rule
    )


def test_even_batches_are_no_imbalance(advice):
    assert "worker-imbalance" not in {
        row["rule"] for row in advice(UNEVEN.replace("EVEN", "True").replace("COMPUTE", "0.021"))
    }
