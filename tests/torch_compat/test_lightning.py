"""Lightning's profilers on laptime beside Lightning's own."""

import inspect
import io
import pickle
import pstats
import re
import time

import pytest
import torch
from laptime.collect import engine
from laptime.compat import lightning as ours
from lightning.pytorch import profilers as theirs
from lightning_training import fit

NAMES = ["SimpleProfiler", "AdvancedProfiler", "PyTorchProfiler"]


@pytest.mark.parametrize("name", NAMES)
def test_same_class_and_arguments(name):
    mine, original = getattr(ours, name), getattr(theirs, name)
    assert issubclass(mine, original) and mine.__name__ == name
    wanted = inspect.signature(original.__init__).parameters
    profiler = mine(**{k: p.default for k, p in wanted.items() if p.default is not p.empty})
    assert isinstance(profiler, theirs.Profiler)
    assert inspect.signature(mine) == inspect.signature(original)


def rows(text):
    """A SimpleProfiler's table with its numbers hidden, rows in the order of their names."""
    hidden = [
        re.sub(r"\d+\.?\d*(e-?\d+)?", lambda m: "#" if "." in m[0] or "e" in m[0] else m[0], line)
        for line in text.splitlines()
    ]
    return sorted(re.sub(r"# *", "# ", line) for line in hidden if not line.startswith("---"))


@pytest.mark.parametrize("extended", [True, False])
def test_simple_table(tmp_path, extended):
    texts, names = [], []
    for family in (theirs, ours):
        folder = tmp_path / family.__name__
        fit(family.SimpleProfiler(dirpath=folder, filename="simple", extended=extended), folder)
        names.append([path.name for path in folder.iterdir()])
        texts.append((folder / names[-1][0]).read_text())
    assert rows(texts[1]) == rows(texts[0])
    assert names[0] == names[1] and len(names[0]) == 1
    assert ("Num calls" in texts[1]) == extended
    assert texts[1].splitlines()[0] == "FIT Profiler Report"


def test_simple_errors():
    for family in (theirs, ours):
        profiler = family.SimpleProfiler()
        profiler.start("a")
        with pytest.raises(ValueError, match=r"Attempted to start a which has already started."):
            profiler.start("a")
        with pytest.raises(
            ValueError,
            match=r"Attempting to stop recording an action \(b\) which was never started.",
        ):
            profiler.stop("b")


def inner():
    return sum(range(10))


def outer():
    inner()
    with_nested()
    inner()


def with_nested():
    global nested
    nested.start("inner action")
    inner()
    nested.stop("inner action")


def functions(profile):
    profile.create_stats()
    return {name: (entry[1], entry[0]) for (_, _, name), entry in profile.stats.items()}


def test_advanced_actions_may_lie_within_each_other():
    global nested
    nested = ours.AdvancedProfiler()
    with nested.profile("outer action"):
        outer()
        inner()
    outer_action, inner_action = (
        functions(nested.profiled_actions[name]) for name in ("outer action", "inner action")
    )
    assert (
        outer_action["inner"] == (4, 4)
        and outer_action["outer"] == (1, 1)
        and outer_action["with_nested"] == (1, 1)
    )
    assert inner_action["inner"] == (1, 1) and "outer" not in inner_action
    nested.teardown(None)
    # Lightning's own loses what follows the inner action.
    nested = theirs.AdvancedProfiler()
    with nested.profile("outer action"):
        outer()
        inner()
    assert functions(nested.profiled_actions["outer action"])["inner"] != (4, 4)


def recursive(depth, profiler):
    with profiler.profile(f"level {depth}"):
        if depth:
            recursive(depth - 1, profiler)
        time.sleep(0.001)


def test_advanced_recursion_through_actions():
    profiler = ours.AdvancedProfiler()
    recursive(3, profiler)
    for level in range(4):
        profile = profiler.profiled_actions[f"level {level}"]
        profile.create_stats()
        entry = {name: e for (_, _, name), e in profile.stats.items()}
        calls = entry.get("recursive", (0, 0, 0, 0))
        assert calls[:2] == ((1, level) if level else (0, 0)), level
        sleeps = entry["<built-in method time.sleep>"]
        assert sleeps[1] == level + 1
        assert calls[3] < 1 and sleeps[3] >= 0.001 * (level + 1)
        if level:
            assert calls[3] >= 0.001 * level
    profiler.teardown(None)


def test_advanced_report(tmp_path):
    heads = []
    for family in (theirs, ours):
        folder = tmp_path / family.__name__
        profiler = family.AdvancedProfiler(
            dirpath=folder, filename="advanced", line_count_restriction=5, dump_stats=True
        )
        fit(profiler, folder)
        text = next(folder.glob("fit-advanced*.txt")).read_text()
        assert "Ordered by: cumulative time" in text and "due to restriction <5>" in text
        heads.append(
            [
                line
                for line in text.splitlines()
                if line.startswith(("FIT", "Profile stats for", "   ncalls"))
            ]
        )
        dumped = sorted(path.name for path in folder.iterdir() if path.suffix == ".prof")
        heads[-1] += dumped
        stats = pstats.Stats(
            str(folder / next(name for name in dumped if "run_training_batch" in name)),
            stream=io.StringIO(),
        )
        stats.print_callers()
    assert heads[1] == heads[0]


def test_advanced_sees_the_training_step(tmp_path):
    profiler = ours.AdvancedProfiler(dirpath=tmp_path, dump_stats=True)
    fit(profiler, tmp_path, batches=4)
    dumped = pstats.Stats(
        next(str(path) for path in tmp_path.iterdir() if "run_training_batch" in path.name)
    )
    calls = {name: entry[1] for (_, _, name), entry in dumped.stats.items()}
    assert calls["training_step"] == 4


def test_advanced_pickles():
    profiler = ours.AdvancedProfiler(dirpath="here", filename="there", line_count_restriction=3)
    again = pickle.loads(pickle.dumps(profiler))
    assert type(again) is ours.AdvancedProfiler and (
        again.filename,
        again.line_count_restriction,
    ) == ("there", 3)


def calls_of(profile, name):
    return sum(
        entry.callcount
        for entry in profile.getstats()
        if getattr(entry.code, "co_name", None) == name
    )


def test_advanced_actions_are_profiles(capsys):
    profiler = ours.AdvancedProfiler()
    for _ in range(2):
        with profiler.profile("action"):
            outer_without_actions()
            time.sleep(0.02)
    profile = profiler.profiled_actions["action"]
    assert calls_of(profile, "inner") == 4 and calls_of(profile, "outer_without_actions") == 2
    assert 0.04 <= sum(entry.inlinetime for entry in profile.getstats()) < 5
    outer_entry = next(
        entry
        for entry in profile.getstats()
        if getattr(entry.code, "co_name", None) == "outer_without_actions"
    )
    assert [(call.code.co_name, call.callcount) for call in outer_entry.calls] == [("inner", 4)]
    profile.print_stats("cumulative")
    assert "(outer_without_actions)" in capsys.readouterr().out
    profile.clear()
    assert calls_of(profile, "inner") == 0
    profiler.teardown(None)


def outer_without_actions():
    inner()
    inner()


def test_advanced_profiles_of_the_programs_own():
    """Lightning's dictionary makes a profile for a new name.

    The program may use it by itself.
    """
    profiler = ours.AdvancedProfiler()
    assert engine.running()[1] is False
    with profiler.profiled_actions["own"]:
        inner()
        with profiler.profile("action"):
            inner()
    profiler.profiled_actions["own"].runcall(outer_without_actions)
    assert calls_of(profiler.profiled_actions["own"], "inner") == 4
    assert "Profile stats for: own" in profiler.summary()
    profiler.teardown(None)
    assert engine.running()[1] is False


def table_rows(text):
    return sorted(
        (line.split("  ")[0] or line.strip().split("  ")[0], line.split()[-1])
        for line in text.splitlines()
        if re.search(r"\d%", line)
    )


def test_pytorch_report(tmp_path):
    found = []
    for family in (theirs, ours):
        folder = tmp_path / family.__name__
        profiler = family.PyTorchProfiler(
            dirpath=folder,
            filename="ops",
            row_limit=-1,
            sort_by_key="count",
            activities=[torch.profiler.ProfilerActivity.CPU],
        )  # also where there is a GPU
        fit(profiler, folder, batches=8)
        text = next(folder.glob("fit-ops*.txt")).read_text()
        assert text.startswith("FIT Profiler Report")
        assert "Self CPU %" in text and "Self CPU time total" in text
        traces = sorted(
            re.sub(r"\d{10,}", "TIME", path.name)
            for path in folder.iterdir()
            if path.name.endswith(".json")
        )
        found.append((traces, table_rows(text)))
    assert found[1] == found[0]
    assert any(
        "[pl][module]torch.nn.modules.linear.Linear: layer" in row[0] or "pl" in row[0]
        for row in found[1][1]
    )


def test_pytorch_events_on_demand(tmp_path):
    profiler = ours.PyTorchProfiler(
        dirpath=tmp_path,
        filename="ops",
        record_shapes=True,
        group_by_input_shapes=True,
        table_kwargs={"max_name_column_width": 30},
    )
    fit(profiler, tmp_path, batches=8)
    text = next(tmp_path.glob("fit-ops*.txt")).read_text()
    assert "Input Shapes" in text
    assert {"aten::linear"} <= {event.name for event in profiler.function_events}


def test_pytorch_errors():
    for family in (theirs, ours):
        with pytest.raises(KeyError, match="Found invalid table_kwargs key: row_limit"):
            family.PyTorchProfiler(table_kwargs={"row_limit": 1})
        with pytest.raises(Exception, match="Found sort_by_key: nothing"):
            family.PyTorchProfiler(sort_by_key="nothing")


def test_the_other_name_of_lightning(tmp_path):
    """pytorch_lightning's Trainer takes them too when it was there first; in a program of its own
    they are its own.
    """
    import subprocess
    import sys

    text = """
import torch, pytorch_lightning as pl, sys
from laptime.compat.lightning import SimpleProfiler
assert issubclass(SimpleProfiler, pl.profilers.SimpleProfiler)
class Model(pl.LightningModule):
    def __init__(self):
        super().__init__(); self.layer = torch.nn.Linear(8, 2)
    def training_step(self, batch, _): return self.layer(batch).sum()
    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.01)
profiler = SimpleProfiler(dirpath=sys.argv[1], filename="simple")
trainer = pl.Trainer(
    max_epochs=1, profiler=profiler, logger=False, enable_checkpointing=False,
    enable_progress_bar=False, accelerator="cpu", default_root_dir=sys.argv[1],
)
trainer.fit(Model(), torch.utils.data.DataLoader(torch.randn(4, 8)))
"""
    subprocess.run(
        [sys.executable, "-c", text, str(tmp_path)], check=True, capture_output=True, timeout=240
    )
    assert "run_training_batch" in next(tmp_path.glob("fit-simple*.txt")).read_text()
