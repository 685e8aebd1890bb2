"""`laptime tune` on a GPU: every change that only means something there is really made, and
training goes on.
"""

import os
import shutil
import sys
import textwrap

import pytest

LAPTIME = os.environ.get("LAPTIME") or shutil.which("laptime") or "laptime"

IMAGES = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    torch.manual_seed(0)
    data = TensorDataset(torch.randn(6400, 3, 32, 32), torch.arange(6400) % 10)
    model = nn.Sequential(
        nn.Conv2d(3, 64, 3), nn.ReLU(), nn.Conv2d(64, 64, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(4),
        nn.Flatten(), nn.Linear(1024, 256), nn.ReLU(), nn.Linear(256, 10),
    ).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for images, labels in DataLoader(data, batch_size=64):
        images, labels = images.to("cuda"), labels.cuda()
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
"""


@pytest.fixture
def trial(tmp_path):
    from laptime._tune.changes import Change
    from laptime._tune.trial import Laptime, Trials

    def run(*changes):
        program = tmp_path / "train.py"
        program.write_text(textwrap.dedent(IMAGES))
        laptime = Laptime(LAPTIME)
        trials = Trials(laptime, [sys.executable, str(program)], tmp_path, 30, 60)
        told = trials.run([Change(*change.split("=")) for change in changes])
        assert told.problems == [] and len(told.losses) == 32
        tables = laptime.tables("report", str(told.run), "settings", "kernels", "copies", "compile")
        return {row["key"]: row["value"] for row in tables["settings"]}, tables, trials, told

    return run


def test_precision_layout_optimizer_and_copies(trial):
    settings, tables, trials, told = trial(
        "tf32",
        "cudnn_benchmark",
        "channels_last",
        "autocast",
        "optimizer=fused",
        "non_blocking",
        "workers=1",
        "persistent_workers",
    )
    assert settings["torch matmul_precision"] == "high" and settings["torch cudnn_benchmark"] == "1"
    assert settings["torch autocast"] == "cuda bfloat16" and settings["optimizer 1 way"] == "fused"
    assert (
        settings["loader 1 pin_memory"] == "1"
        and settings["loader 1 workers"] == "1"
        and settings["loader 1 persistent"] == "1"
    )
    batches = [
        row for row in tables["copies"] if row["bytes"] and row["bytes"] / row["calls"] > 300_000
    ]  # images and labels are copied on one line
    assert any("pinned" in row["memory"].lower() for row in batches), tables["copies"]
    facts = trials.facts(told)
    assert facts.gpu and facts.loader and facts.workers and facts.optimizer and facts.convolutions


def test_compile(trial):
    _, tables, _, _ = trial("compile")
    assert tables["compile"] and any("triton" in row["name"] for row in tables["kernels"])


def test_what_is_predicted_of_changes_on_a_gpu(trial):
    from laptime._tune.changes import candidates

    settings, _, trials, told = trial()
    assert settings["torch matmul_precision"] == "highest" and "torch autocast" not in settings
    predicted = {
        change.text: trials.predict(told, change)
        for change in candidates(trials.facts(told))
        if change.prediction
    }
    assert {"tf32", "autocast", "compile", "non_blocking", "workers=4"} <= set(predicted)
    assert all(gain is not None and 0.5 < gain < 20 for gain in predicted.values()), predicted
