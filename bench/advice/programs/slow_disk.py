"""A dataset that waits, like a disk or a network. Some samples wait longer."""

import argparse
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--wait-us", type=int, default=300)
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--uneven-ms", type=int, default=0, help="for one sample in 200")
parser.add_argument("--prefetch", type=int)
parser.add_argument("--any-order", action="store_true")
options = parser.parse_args()


class Remote(Dataset):
    def __len__(self):
        return 1_000_000

    def __getitem__(self, index):
        time.sleep(options.wait_us / 1e6)
        if options.uneven_ms and index * 2654435761 % 200 == 0:
            time.sleep(options.uneven_ms / 1e3)
        return torch.full((256,), index % 64 / 64), index % 10


def train():
    loader = DataLoader(
        Remote(),
        batch_size=32,
        num_workers=options.workers,
        prefetch_factor=options.prefetch,
        in_order=not options.any_order,
    )
    model = nn.Sequential(
        nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    train()
