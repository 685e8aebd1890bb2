"""examples/mnist: the same training both ways, and a table that shows where the slow one's time
goes.
"""

import re
import shutil
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "mnist"


@pytest.fixture
def example(sandbox):
    for path in EXAMPLE.glob("*.py"):
        shutil.copy(path, sandbox.folder)
    return sandbox


def shares(text):
    """{source: (hits, share)} of the table's lines."""
    rows = re.findall(r"^ *\d+ +(\d+) +[\d.e+]+ +[\d.e+]+ +([\d.]+)  +(.*)$", text, re.MULTILINE)
    return {source: (int(hits), float(share)) for hits, share, source in rows}


def test_table_names_the_line_that_reloads(example):
    slow = example.python("-m", "laptime.kernprof", "-lvz", "train.py", "reload", "6").stdout
    fast = example.python("-m", "laptime.kernprof", "-lvz", "train.py", "once", "6").stdout
    load = "images, labels = load_dataset(FOLDER)"
    assert shares(slow)[load][0] == 6 and shares(fast)[load][0] == 1
    assert max(shares(slow), key=lambda source: shares(slow)[source][1]) == load
    assert slow.splitlines()[0] == fast.splitlines()[0], "the fix changes no result"
    assert "train_loading_once" not in slow and "train_reloading" not in fast


def test_result_is_the_same_without_laptime(example):
    bare = example.python("train.py", "once", "6").stdout
    assert bare.startswith("loss ")
    assert (
        example.python("-m", "laptime.kernprof", "-l", "-q", "train.py", "once", "6").stdout == bare
    )


def test_training_learns(example):
    accuracy = float(example.python("train.py", "once", "60").stdout.split()[-1])
    assert accuracy > 0.5


def test_usage(example):
    assert "say reload or once" in example.python("train.py", code=1).stderr
