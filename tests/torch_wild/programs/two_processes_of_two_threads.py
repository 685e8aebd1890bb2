"""Two processes that train at once on two processors, each with as many threads as the argument says, else two."""

import json
import sys
import time

import two_cpus  # noqa: F401
import torch
import torch.multiprocessing
from torch import nn

STEPS, WARM = 40, 10


def train(rank, threads):
    torch.set_num_threads(threads)
    torch.manual_seed(rank)
    model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images, labels = torch.randn(STEPS, 128, 256), torch.randint(0, 10, (STEPS, 128))
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images[step]), labels[step])
        loss.backward()
        optimizer.step()
        if step == WARM:
            began = time.perf_counter()
    print(f"{(time.perf_counter() - began) / (STEPS - WARM - 1) * 1e3:.3f} ms a step", file=sys.stderr)


if __name__ == "__main__":
    torch.multiprocessing.spawn(train, (int(sys.argv[1]) if len(sys.argv) > 1 else 2,), nprocs=2)
    print(json.dumps({"train": 2 * STEPS}))
