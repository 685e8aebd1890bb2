"""What `laptime tune` writes into a source, and what it leaves alone."""

from laptime._tune.changes import Change
from laptime._tune.patch import make_patch

SOURCE = '''"""A program."""

import argparse
import torch
from torch.utils.data import DataLoader

data = list(range(10))
loader = DataLoader(
    data,
    batch_size=4,  # é
)
other = torch.utils.data.DataLoader(data, num_workers=3)
handed_on = DataLoader(data, **{})
optimizer = torch.optim.Adam([torch.zeros(1)], lr=1e-3)
'''


def patched(*changes):
    return make_patch("train.py", SOURCE, changes)


def test_arguments_of_loaders():
    patch = patched(Change("workers", "2"))
    assert "-    batch_size=4,  # é\n+    batch_size=4, num_workers=2,  # é\n" in patch.diff
    assert patch.source.count("num_workers") == 2  # the one that says so itself is left
    assert not patch.by_hand
    compile(patch.source, "train.py", "exec")


def test_several_at_once():
    patch = patched(
        Change("workers", "2"),
        Change("prefetch", "4"),
        Change("optimizer", "fused"),
        Change("threads", "1"),
    )
    assert "torch.optim.Adam([torch.zeros(1)], lr=1e-3, fused=True)" in patch.source
    assert "from torch.utils.data import DataLoader\ntorch.set_num_threads(1)\n" in patch.source
    assert "batch_size=4, num_workers=2, prefetch_factor=4," in patch.source
    assert patch.diff.startswith("--- a/train.py\n+++ b/train.py\n")
    compile(patch.source, "train.py", "exec")


def test_what_is_left_to_be_done_by_hand():
    patch = patched(Change("compile", by_hand="model.compile()"))
    assert patch.by_hand == [Change("compile")] and patch.diff == "" and patch.source == SOURCE
    assert make_patch("x.py", "import numpy\n", [Change("threads", "1")]).by_hand
