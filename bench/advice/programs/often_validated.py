"""A validation over all its data after every few steps."""

import argparse

import torch
from torch import nn
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--batches", type=int, default=30)
options = parser.parse_args()
torch.manual_seed(0)
x, y = torch.randn(8192, 1, 16, 16), torch.randint(10, (8192,))
train = torch.utils.data.DataLoader(
    torch.utils.data.TensorDataset(x, y),
    batch_size=None,
    sampler=torch.utils.data.BatchSampler(torch.utils.data.RandomSampler(x), 64, True),
)
held_out = torch.utils.data.DataLoader(
    torch.utils.data.TensorDataset(x, y),
    batch_size=None,
    sampler=torch.utils.data.BatchSampler(range(64 * options.batches), 64, True),
)
model = nn.Sequential(
    nn.Conv2d(1, 16, 3),
    nn.ReLU(),
    nn.Conv2d(16, 16, 3),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(2304, 10),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)


def validate():
    model.eval()
    with torch.no_grad():
        total = sum(F.cross_entropy(model(images), labels).item() for images, labels in held_out)
    model.train()
    return total


def main():
    step = 0
    while True:
        for images, labels in train:
            optimizer.zero_grad()
            F.cross_entropy(model(images), labels).backward()
            optimizer.step()
            step += 1
            if step % options.steps == 0:
                validate()


main()
