"""`laptime tune` on real programs."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

LAPTIME = Path(sys.executable).parent / "laptime"

# Each sample waits as for a slow disk: a worker hides that, whatever else the machine does.
SLOW_INPUT = """
    import time
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset

    class Data(Dataset):
        def __len__(self):
            return 4000

        def __getitem__(self, index):
            time.sleep(0.004)
            return torch.full((4,), float(index % 7)), torch.tensor(float(index % 7))

    torch.manual_seed(0)
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    for x, y in DataLoader(Data(), batch_size=4):
        optimizer.zero_grad()
        loss = (model(x).squeeze(1) - y).pow(2).mean()
        loss.backward()
        optimizer.step()
        time.sleep(0.008)
"""


@pytest.fixture
def tune(tmp_path):
    def tuned(source, *options, code=0):
        (tmp_path / "train.py").write_text(textwrap.dedent(source).lstrip("\n"))
        done = subprocess.run(
            [LAPTIME, "tune", *options, "train.py"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=500,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return tuned


# Whether a gain is beyond doubt depends on what else the machine does: these hold either way.


def test_the_source_is_left_as_it_is(tune, tmp_path):
    before = textwrap.dedent(SLOW_INPUT).lstrip("\n")
    done = tune(SLOW_INPUT, "--steps", "30", "--only", "workers=1")
    assert (
        done.stdout.startswith("workers=1")
        and "predicted" in done.stdout
        and "measured" in done.stdout
    )
    told = "+for x, y in DataLoader(Data(), batch_size=4, num_workers=1):" in done.stdout
    assert told != ("no change that was tried clearly makes the step faster" in done.stdout)
    assert (tmp_path / "train.py").read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["train.py"]


def test_what_was_tried_as_a_table(tune, tmp_path):
    done = tune(SLOW_INPUT, "--steps", "30", "--only", "workers=1", "--json", "--apply")
    [table] = json.loads(done.stdout)["tables"]
    names = [column["name"] for column in table["columns"]]
    rows = [dict(zip(names, row)) for row in table["rows"]]
    assert table["name"] == "tune" and [row["stage"] for row in rows] in (
        ["alone"],
        ["alone", "confirmed"],
    )
    assert rows[0]["changes"] == "workers=1" and rows[0]["predicted"] > 1
    assert rows[0]["low"] <= rows[0]["measured"] <= rows[0]["high"]
    assert rows[0]["loss"] == pytest.approx(0, abs=1e-6)  # the same batches in the same order
    assert ("num_workers=1" in (tmp_path / "train.py").read_text()) == (len(rows) == 2)


def test_mistakes(tune):
    assert tune("import nothing_like_it", code=1).stderr.startswith(
        "laptime: the program ended with 1: ModuleNotFoundError"
    )
    assert "does not import torch" in tune("print('hello')", code=1).stderr
    assert "a time is given as" in tune("", "--time", "soon", code=2).stderr
    missing = subprocess.run([LAPTIME, "tune", "no_such.py"], capture_output=True, text=True)
    assert missing.returncode == 2 and missing.stderr.startswith("laptime: cannot open no_such.py")
