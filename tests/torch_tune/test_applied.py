"""Changes that `laptime tune` makes inside a program: each is really made, and training goes on."""

import shutil
import sys
import textwrap
from pathlib import Path

import pytest
from laptime._tune.changes import Change
from laptime._tune.trial import Laptime, Trials

LAPTIME = Path(sys.executable).parent / "laptime"

IMAGES = """
    import sys
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    torch.manual_seed(0)
    data = TensorDataset(torch.randn(400, 3, 8, 8), torch.arange(400) % 4)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    kinds = set()
    def look(module, inputs, output):
        last = output.is_contiguous(memory_format=torch.channels_last)
        kinds.add((str(output.dtype), last))
    model[0].register_forward_hook(look)
    for images, labels in DataLoader(data, batch_size=8):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        with open(sys.argv[1], "a") as file:
            print(loss.dtype, sorted(kinds), file=file)
"""


@pytest.fixture
def trial(tmp_path):
    """What a trial with some changes tells, and the settings that its record holds."""

    def run(*changes):
        program = tmp_path / "train.py"
        program.write_text(textwrap.dedent(IMAGES))
        output = tmp_path / "output.txt"
        laptime = Laptime(str(LAPTIME))
        trials = Trials(laptime, [sys.executable, str(program), str(output)], tmp_path, 6, 30)
        told = trials.run([Change(*change.split("=")) for change in changes])
        settings = {
            row["key"]: row["value"]
            for row in laptime.tables("report", str(told.run), "settings")["settings"]
        }
        return told, settings, output.read_text().splitlines(), trials.facts(told)

    return run


def test_the_facts_of_a_program_on_a_cpu(trial):
    told, settings, output, facts = trial()
    assert told.problems == [] and len(told.losses) == 8 and settings["optimizer 1 way"] == "single"
    assert (
        facts.loader
        and facts.optimizer
        and facts.convolutions
        and not facts.gpu
        and not facts.workers
    )
    assert output[-1] == "torch.float32 [('torch.float32', False)]"


def test_autocast_and_layout_and_optimizer(trial):
    told, settings, output, _ = trial("autocast", "channels_last", "optimizer=fused", "threads=1")
    assert told.problems == [] and len(told.losses) == 8
    # The first call is as it was; from the second on the model computes in bfloat16, and the loss
    # does not.
    assert output[-1].startswith("torch.float32") and "('torch.bfloat16', True)" in output[-1]
    assert (
        settings["optimizer 1 way"] == "fused"
        and settings["torch threads"] == "1"
        and settings["torch autocast"] == "cpu bfloat16"
    )


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_compile(trial):
    told, _, _, _ = trial("compile")
    assert told.problems == [] and len(told.losses) == 8
    assert Laptime(str(LAPTIME)).tables("report", str(told.run), "compile")["compile"]


def test_copies_that_do_not_block_need_no_gpu_to_be_made(trial):
    told, settings, _, _ = trial("non_blocking")
    assert told.problems == [] and settings["loader 1 pin_memory"] == "1"


def test_a_change_that_cannot_be_made_is_told(trial):
    told, _, _, _ = trial("threads=none")
    assert told.problems == ["threads=none: invalid literal for int() with base 10: 'none'"]
