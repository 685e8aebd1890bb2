"""Tensors that are in memory already, read one row at a time by a loader."""

import argparse

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--batch", type=int, default=128)
parser.add_argument("--hidden", type=int, default=256)
parser.add_argument("--depth", type=int, default=3)
parser.add_argument("--zero", action="store_true")
parser.add_argument("--fused", action="store_true")
options = parser.parse_args()
torch.manual_seed(0)
x, y = torch.randn(20_000, 64), torch.randint(10, (20_000,))


class Rows:
    def __iter__(self):
        for rows in torch.randperm(len(x)).split(options.batch):
            yield x[rows], y[rows]


loader = DataLoader(TensorDataset(x, y), batch_size=options.batch, shuffle=True)
layers = [nn.Linear(64, options.hidden), nn.ReLU()]
for _ in range(options.depth):
    layers += [nn.Linear(options.hidden, options.hidden), nn.ReLU()]
model = nn.Sequential(*layers, nn.Linear(options.hidden, 10))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=options.fused)
while True:
    for inputs, labels in loader:
        optimizer.zero_grad(set_to_none=not options.zero)
        loss = F.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
