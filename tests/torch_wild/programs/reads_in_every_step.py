"""Reads 60 MB from a file in every step and trains on a few rows of it; with an argument it reads once."""

import json
import os
import sys
import tempfile
import time

import numpy
import torch
from torch import nn

STEPS, WARM, ROWS = 40, 5, 20_000


def main(once):
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "images.npy")
        numpy.save(path, numpy.random.default_rng(0).standard_normal((ROWS, 784), dtype=numpy.float32))
        model = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        labels = torch.randint(0, 10, (ROWS,))
        if once:
            images = torch.from_numpy(numpy.load(path))
        for step in range(STEPS):
            if not once:
                images = torch.from_numpy(numpy.load(path))
            rows = torch.randint(0, ROWS, (64,))
            loss = nn.functional.cross_entropy(model(images[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step == WARM:
                began = time.perf_counter()
        print(f"{(time.perf_counter() - began) / (STEPS - WARM - 1) * 1e3:.3f} ms a step", file=sys.stderr)


if __name__ == "__main__":
    main(len(sys.argv) > 1)
    print(json.dumps({"train": STEPS}))
