"""Two ranks that train together on the CPU. One may have more work."""

import argparse
import hashlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--extra-kb", type=int, default=0)
parser.add_argument("--width", type=int, default=512)
options = parser.parse_args()


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(
        nn.Sequential(
            nn.Linear(256, options.width),
            nn.ReLU(),
            nn.Linear(options.width, options.width),
            nn.ReLU(),
            nn.Linear(options.width, 10),
        )
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x, y = torch.randn(4096, 256), torch.randint(10, (4096,))
    extra = bytes(1000 * options.extra_kb)
    while True:
        rows = torch.randint(4096, (128,))
        if extra and dist.get_rank() == 1:
            hashlib.sha256(extra).digest()
        optimizer.zero_grad()
        F.cross_entropy(model(x[rows]), y[rows]).backward()
        optimizer.step()


main()
