"""Lines that only ops name have the source that the recording stored."""

import os
import subprocess
import time

from torch_runs import LAPTIME, read_tables

TRAIN = """
import sys
import torch
import part

model = torch.nn.Linear(8, 8)
for _ in range(4):
    part.forward(model)
"""
PART = """
def forward(model):
    import torch
    return model(torch.ones(2, 8))  # measured
"""


def record(folder, *options, part_time=None):
    (folder / "train.py").write_text(TRAIN)
    part = folder / "part.py"
    part.write_text(PART)
    if part_time is not None:
        os.utime(part, (part_time, part_time))
    subprocess.run(
        [LAPTIME, "run", "-q", "--full", "-o", "run.lap", *options, "train.py"],
        cwd=folder,
        check=True,
        timeout=300,
    )
    part.write_text(PART.replace("measured", "edited"))
    tables = read_tables(folder / "run.lap", "lines", "warnings")
    lines = {(os.path.basename(row["file"]), row["line"]): row["source"] for row in tables["lines"]}
    return lines, {row["name"]: row["count"] for row in tables["warnings"]}


def test_without_lines_ops_have_source(tmp_path):
    lines, warnings = record(tmp_path, "--no-lines")
    assert lines["part.py", 4] == "    return model(torch.ones(2, 8))  # measured"
    assert "source_left_out" not in warnings


def test_a_file_changed_after_it_was_loaded_is_left_out(tmp_path):
    lines, warnings = record(tmp_path, "--no-lines", part_time=time.time() + 3600)
    assert lines["part.py", 4] is None
    assert warnings["source_left_out"] == 1
