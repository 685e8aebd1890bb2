"""Ops that a package calls for the program belong to the program's line, and to the package's line
below it.
"""

import subprocess

import pytest
from torch_runs import LAPTIME, read_tables

PACKAGE = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(64, 64)

    def forward(self, x):
        x = self.fc(x)
        return torch.tanh(x)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters())

    def train(self, batches):
        for x in batches:
            self.model(x).pow(2).mean().backward()
            self.optimizer.step()
            self.optimizer.zero_grad()
"""

PROGRAM = """
    import sys
    sys.path.insert(0, "env/lib/site-packages")
    import torch
    import workshop

    model = torch.nn.Sequential(workshop.Block(), workshop.Block())
    trainer = workshop.Trainer(model)
    trainer.train([torch.ones(256, 64)] * 40)
"""


@pytest.fixture
def recorded(run, tmp_path):
    folder = tmp_path / "env" / "lib" / "site-packages"
    folder.mkdir(parents=True)
    (folder / "workshop.py").write_text(PACKAGE)

    def record(*options, source=PROGRAM):
        process, _ = run(source, *options)
        return process, tmp_path / "run.lap"

    return record


def line_of(text, source=PACKAGE):
    return next(number for number, line in enumerate(source.splitlines(), 1) if text in line)


def test_lines_of_a_package_below_the_programs_own(recorded, tmp_path):
    _, path = recorded("--full")
    rows = read_tables(path, "package_lines")["package_lines"]
    by_line = {row["line"]: row for row in rows}
    assert {row["user_line"] for row in rows} == {8} and {row["user_file"] for row in rows} == {
        str(tmp_path / "program.py")
    }
    assert all(
        row["file"].endswith("site-packages/workshop.py") and row["phase"] == "train"
        for row in rows
    )
    linear = by_line[line_of("self.fc(x)")]
    assert (
        linear["function"] == "Block.forward"
        and linear["op_ns"] > 0
        and linear["backward_ns"] > 0
        and linear["module"].startswith("Sequential")
    )
    assert by_line[line_of("torch.tanh")]["backward_ns"] > 0
    assert by_line[line_of("optimizer.step")]["backward_ns"] == 0
    assert sum(row["share"] for row in rows) <= 1.01


def test_what_the_program_calls_itself_is_no_packages(recorded):
    source = """
        import torch
        model = torch.nn.Linear(4, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(20):
            model(torch.ones(4)).sum().backward()
            optimizer.step()
    """
    _, path = recorded("--full", source=source)
    assert read_tables(path, "package_lines")["package_lines"] == []


def test_who_made_the_optimizer(recorded, tmp_path):
    _, path = recorded()
    settings = {row["key"]: row["value"] for row in read_tables(path, "settings")["settings"]}
    assert (
        settings["optimizer 1 file"],
        settings["optimizer 1 line"],
        settings["optimizer 1 made_by"],
    ) == (str(tmp_path / "program.py"), "7", "workshop")


def test_the_first_screen_goes_below_a_line_that_holds_most_of_a_step(recorded, tmp_path):
    recorded()
    process = subprocess.run(
        [LAPTIME, "run", "-o", "again.lap", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    lines = (process.stdout + process.stderr).splitlines()
    below = next(number for number, line in enumerate(lines) if "program.py:8" in line)
    assert "trainer.train(" in lines[below] and lines[below + 1].startswith("    workshop.py:")
