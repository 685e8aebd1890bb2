"""Compressed pictures. The training process unpacks them for every sample of every epoch."""

import argparse
import zlib

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--side", type=int, default=32)
parser.add_argument("--width", type=int, default=16)
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--fused", action="store_true")
parser.add_argument("--rounds", type=int, default=6)
options = parser.parse_args()


def unpack(packed, side):
    pixels = (
        np.frombuffer(zlib.decompress(packed), np.uint8).reshape(3, side, side).astype(np.float32)
    )
    for _ in range(options.rounds):
        pixels = np.sqrt(pixels * 1.01 + 0.1)
    return (pixels - pixels.mean()) / pixels.std()


class Pictures(Dataset):
    def __init__(self, count, side):
        random = np.random.default_rng(0)
        self.side = side
        self.packed = [
            zlib.compress((random.random((3, side, side)) ** 8 * 255).astype(np.uint8).tobytes())
            for _ in range(count)
        ]
        self.labels = random.integers(0, 10, count)

    def __len__(self):
        return len(self.packed)

    def __getitem__(self, index):
        pixels = unpack(self.packed[index], self.side)
        return torch.from_numpy(pixels), int(self.labels[index])


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(3, width, 3, padding=1)
        self.second = nn.Conv2d(width, width, 3, padding=1)
        self.head = nn.Linear(width, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.first(x)), 2)
        return self.head(F.relu(self.second(x)).mean((2, 3)))


def train():
    data = Pictures(1600, options.side)
    loader = DataLoader(
        data,
        batch_size=32,
        shuffle=True,
        num_workers=options.workers,
        persistent_workers=options.workers > 0,
    )
    model = Net(options.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=options.fused)
    while True:
        for images, labels in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    torch.manual_seed(0)
    train()
