"""Epochs of a few batches, with new workers for each."""

import argparse

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--batches", type=int, default=10)
parser.add_argument("--persistent", action="store_true")
options = parser.parse_args()


class Samples(Dataset):
    def __len__(self):
        return 64 * options.batches

    def __getitem__(self, index):
        return torch.full((128,), index / 64), index % 10


def train():
    loader = DataLoader(
        Samples(), batch_size=64, num_workers=2, persistent_workers=options.persistent
    )
    model = nn.Sequential(
        nn.Linear(128, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    while True:
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    train()
