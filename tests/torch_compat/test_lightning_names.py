"""Trainer(profiler="simple") and its other names, with and without `laptime run`."""

import subprocess
import sys
from pathlib import Path

import pytest

LAPTIME = Path(sys.executable).parent / "laptime"
PACKAGES = ["lightning.pytorch", "pytorch_lightning"]

PROGRAM = """
import sys
from importlib import import_module
package = sys.argv[1]
pl, demos, profilers = (import_module(package + module)
                        for module in ("", ".demos.boring_classes", ".profilers"))
for name in ("simple", "Advanced", "pytorch"):
    trainer = pl.Trainer(profiler=name, logger=False, enable_checkpointing=False, accelerator="cpu",
                         enable_progress_bar=False, enable_model_summary=False,
                         max_epochs=1, limit_train_batches=6, limit_val_batches=1)
    kind = type(trainer.profiler)
    original = getattr(profilers, kind.__name__)
    print(kind.__module__.split(".")[0], kind.__name__, issubclass(kind, original))
    trainer.fit(demos.BoringModel())
print(profilers.SimpleProfiler.__module__)
"""


def output(folder, package, *command, program=PROGRAM):
    (folder / "train.py").write_text(program)
    done = subprocess.run(
        [*command, "train.py", package], capture_output=True, text=True, cwd=folder, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return done


def expected(owner, package):
    names = ("SimpleProfiler", "AdvancedProfiler", "PyTorchProfiler")
    return [*(f"{owner} {name} True" for name in names), f"{package}.profilers.simple"]


@pytest.mark.parametrize("package", PACKAGES)
def test_names_lead_to_laptime(tmp_path, package):
    done = output(tmp_path, package, LAPTIME, "run", "--no-lines")
    assert done.stdout.splitlines()[:4] == expected("laptime", package)
    assert done.stderr.count("FIT Profiler Report") == 3
    assert "Profile stats for: run_training_batch" in done.stderr
    assert "Self CPU time total" in done.stderr


@pytest.mark.parametrize("package", PACKAGES)
def test_without_laptime_they_are_lightnings(tmp_path, package):
    done = output(tmp_path, package, sys.executable)
    assert done.stdout.splitlines() == expected(package.split(".")[0], package)


def test_a_failure_leaves_them_to_lightning_and_says_so(tmp_path):
    broken = "import sys; sys.modules['laptime.compat.lightning.advanced'] = None" + PROGRAM
    done = output(tmp_path, "lightning.pytorch", LAPTIME, "run", "--no-lines", program=broken)
    assert done.stdout.splitlines()[:4] == expected("lightning", "lightning.pytorch")
    assert "laptime: lightning.pytorch: Trainer(profiler='…') uses Lightning's own" in done.stderr
    warnings = subprocess.run(
        [LAPTIME, "report", "train.lap", "warnings", "--json"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert "lightning_profilers" in warnings.stdout


FIRST = ["laptime.compat.lightning", "laptime.compat.lightning.for_lightning"]


@pytest.mark.parametrize("first", FIRST)
def test_a_program_that_begins_with_laptimes_classes(tmp_path, first):
    """The first use of a class, or of its pickle, imports Lightning.

    The names change within that import.
    """
    done = output(
        tmp_path,
        "lightning.pytorch",
        LAPTIME,
        "run",
        "--no-lines",
        program=f"""
from {first} import SimpleProfiler
import pickle
from lightning.pytorch import Trainer
profiler = Trainer(profiler="simple", logger=False, accelerator="cpu").profiler
again = pickle.loads(pickle.dumps(profiler))
print(type(profiler) is SimpleProfiler, type(again) is SimpleProfiler)
""",
    )
    assert done.stdout.splitlines()[0] == "True True" and "Lightning's own" not in done.stderr
