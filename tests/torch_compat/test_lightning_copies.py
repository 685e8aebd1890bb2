"""Copies of laptime's Lightning profilers, started ones too."""

from copy import deepcopy

import pytest
import torch
from laptime.compat import lightning as ours
from lightning import pytorch as pl
from lightning_training import fit

NAMES = ["SimpleProfiler", "AdvancedProfiler", "PyTorchProfiler"]


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_of_a_started_profiler_works_by_itself(name, tmp_path):
    profiler = getattr(ours, name)(dirpath=tmp_path, filename="original")
    profiler.start("before")
    again = deepcopy(profiler)
    assert type(again) is type(profiler)
    assert (again.dirpath, again.filename) == (tmp_path, "original")
    again.filename = "copy"
    with again.profile("in the copy"):
        torch.ones(3)
    again.describe()
    profiler.stop("before")
    with profiler.profile("after"):
        torch.zeros(3)
    if name != "PyTorchProfiler":  # its default schedule has recorded nothing yet
        profiler.describe()
        texts = [(tmp_path / f"{file}.txt").read_text() for file in ("original", "copy")]
        assert "in the copy" in texts[1] and "in the copy" not in texts[0]
        assert "before" in texts[0] and "after" in texts[0] and "after" not in texts[1]


def test_a_copy_keeps_the_events(tmp_path):
    profiler = ours.PyTorchProfiler(
        dirpath=tmp_path,
        filename="ops",
        schedule=None,
        activities=[torch.profiler.ProfilerActivity.CPU],
    )
    profiler.start("action")
    torch.ones(3)
    running = deepcopy(profiler)
    assert running.profiler is None and running.function_events is None
    profiler.stop("action")
    profiler.describe()
    names = [event.name for event in profiler.function_events]
    assert "aten::ones" in names
    assert [event.name for event in deepcopy(profiler).function_events] == names


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_copies_within_a_training(name, tmp_path):
    """Callbacks that copy the module and its Trainer do so."""
    copies = []

    class Copying(pl.Callback):
        def on_train_batch_end(self, trainer, *_):
            copies.append(deepcopy(trainer.profiler))

    profiler = getattr(ours, name)(dirpath=tmp_path, filename="report")
    fit(profiler, tmp_path, trainer=lambda **options: pl.Trainer(callbacks=[Copying()], **options))
    assert len(copies) == 6 and (tmp_path / "fit-report.txt").stat().st_size
